#!/usr/bin/env bash
# verify_test.sh PROGRAM SOURCE_DIR: damage to a run's files is found and named, and a run resumes
# from the newest valid one.
in_memory=yes
pictures=no
source "$(dirname "$0")/../support.sh"

laplace_case 'iterations = 6' 'check_every = 2' |
  sed -e 's/^type = "laplace"/type = "poisson"\nsource = "x*y - z"/' -e '1s/.*/title = "Wärme in m², 20 °C"/' >case.toml
large=(--quiet --set 'grid.points=[64,64,64]' --set 'output.fields=["u","source"]')
expect 0 2 run case.toml --output whole "${large[@]}" --set output.snapshot_every=2
expect 0 1 run case.toml --output longer "${large[@]}" --set method.iterations=8

# The files of a run are valid: fields, series, tables.
expect 0 1 verify whole
[[ $(wc -l <"$work/out") == 11 ]] || fail "not one line a file"
! grep -v '^whole/[^ ]*: sound$' "$work/out" || fail "a file is not sound"
expect 0 2 verify whole/u_000004.vtkhdf whole/u.xmf longer
said '^whole/u_000004.vtkhdf: sound$' && said '^whole/u.xmf: sound$' && said '^longer/residuals.csv: sound$'

# offset_of FILE BYTES NUMBER: prints the offset of the NUMBER-th match of BYTES, a regular
# expression
offset_of() { LC_ALL=C grep -obUaP -e "$2" "$1" | sed -n "${3}s/:.*//p"; }
# flip FILE OFFSET: flips a bit of that byte
flip() {
  local byte
  byte=$(od -An -tu1 -j"$2" -N1 "$1")
  printf '%b' "\\x$(printf %02x $((byte ^ 4)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
# Prints the checksum of a file's field as bytes, which is also that of its only block.
checksum_bytes() {
  "$program" info "$1" | awk '/checksum/ { print $2 }' | fold -w2 | tac | sed 's/^/\\x/' | tr -d '\n'
}

mib=$((1 << 20)) # the values of each of the two fields
newest=damaged/u_000006.vtkhdf
start=$((mib / 2))
spoil() { # KIND
  case $1 in
    truncated) truncate -s $((mib + mib / 2)) $newest ;;
    values) flip $newest $start ;;
    source) flip $newest $((start + mib)) ;;
    texts) flip $newest "$(offset_of $newest 'method' 1)" ;;
    table) flip $newest "$(offset_of $newest "$(checksum_bytes $newest)" 1)" ;;
  esac
}

# Each kind of damage is named. A run resumes from the file before, unless it does not need the
# damaged part.
while IFS=: read -r kind from what; do
  rm -rf damaged && cp -r whole damaged && spoil "$kind"
  expect 2 1 verify damaged
  said "^damaged/u_000006.vtkhdf: damaged: $what"
  [[ $(grep -c 'u_0.*: sound$' "$work/out") == 3 ]] || fail "a sound file is not"
  for ranks in 1 3; do
    rm -rf resumed && cp -r damaged resumed
    expect 0 $ranks run case.toml --output resumed --resume "${large[@]:1}" --set method.iterations=8
    said "^resumed  *from resumed/u_00000$from.vtkhdf"
    if ((from < 6)); then
      complained "ignored: resumed/u_000006.vtkhdf is "
    else
      ! grep ignored "$work/err" || fail "a file was left out that has all that a run needs"
    fi
    same_field longer/u_000008.vtkhdf resumed/u_000008.vtkhdf
  done
done <<'END'
truncated:4:truncated
values:4:in the values of "u": the checksum of the block of all points is wrong
source:6:in the values of "source": the checksum of the block of all points is wrong
texts:4:in its description
table:4:in its description: its checksum is wrong
END

# Values keep their checksums if another program rewrites the file; netCDF's tools read it, too.
if command -v h5repack >/dev/null; then
  # repacked OPTION...: h5repack with these options keeps all values
  repacked() {
    rm -f repacked.vtkhdf
    h5repack "$@" whole/u_000006.vtkhdf repacked.vtkhdf
    expect 0 1 verify repacked.vtkhdf
    said "^repacked.vtkhdf: sound, but rewritten by another program\$"
    same_field whole/u_000006.vtkhdf repacked.vtkhdf
  }
  repacked
  repacked -l CONTI
  for options in '-f SHUF' '-f GZIP=4 -f SHUF' '-l /VTKHDF/PointData/u:CHUNK=3x20x50' \
    '-l /VTKHDF/PointData/source:CHUNK=5x40x30 -f GZIP=1'; do
    # shellcheck disable=SC2086
    repacked $options
  done
  repacked -f GZIP=4
  expect 0 1 info repacked.vtkhdf --statistics
  said '^  checksum '
  expect 0 2 run case.toml --output resumed --overwrite --resume repacked.vtkhdf "${large[@]:1}" \
    --set method.iterations=8 --quiet
  same_field longer/u_000008.vtkhdf resumed/u_000008.vtkhdf
  # may be missing, as SZIP is licensed
  h5repack -f SZIP=8,NN whole/u_000006.vtkhdf szip.vtkhdf 2>/dev/null || rm -f szip.vtkhdf
  if [[ -f szip.vtkhdf ]]; then
    expect 2 1 verify szip.vtkhdf
    said '^szip.vtkhdf: damaged: its values were written with filter 4'
  fi
else
  echo "h5repack is not installed, and not tried"
fi
if command -v nccopy >/dev/null; then
  nccopy whole/u_000006.vtkhdf copy.nc || fail "netCDF does not read a file"
else
  echo "nccopy is not installed, and not tried"
fi
if command -v octave-cli >/dev/null; then
  octave-cli --quiet --eval 's = load("whole/u_000006.vtkhdf"); disp([size(s.u), size(s.x), size(s.z)])' >"$work/out" ||
    fail "Octave does not read a file"
  [[ $(xargs <"$work/out") == "64 64 64 1 64 1 64" ]] || fail "Octave reads something else: $(cat "$work/out")"
else
  echo "octave-cli is not installed, and not tried"
fi

# A dry run reads the values from which the run would resume.
expect 0 1 run case.toml --output damaged --resume --dry-run "${large[@]:1}" --set method.iterations=8
said 'would resume  from damaged/u_000004.vtkhdf, iteration 4'

# As JSON, and for several directories.
rm -rf damaged && cp -r whole damaged && spoil values
expect 2 1 verify longer damaged --json
[[ $(grep -c '"sound": true' "$work/out") == 18 && $(grep -c '"sound": false' "$work/out") == 1 ]] ||
  fail "other than one of nineteen files is damaged"
said '"damage": "in the values of' && said '"file": "damaged/u_000006.vtkhdf"'

# Series that name missing files, and truncated tables.
rm damaged/u_000002.vtkhdf
truncate -s 100 damaged/u_000004.vtkhdf
truncate -s -1 damaged/residuals.csv
truncate -s -3 damaged/summary.json
expect 2 1 verify damaged
said '^damaged/u.xmf: damaged: of u_000002.vtkhdf, which it names: no such file$'
said '^damaged/u.vtkhdf.series: damaged: of u_000002.vtkhdf, which it names: no such file$'
said '^damaged/residuals.csv: damaged: line [0-9]* is incomplete$'
said '^damaged/summary.json: damaged: it is not a JSON object$'
cp whole/u_000002.vtkhdf damaged
expect 2 1 verify damaged/u.xmf
said '^damaged/u.xmf: damaged: of u_000004.vtkhdf, which it names: truncated'
sed -i 's|PointData/u<|PointData/v<|' damaged/u.xmf
expect 2 1 verify damaged/u.xmf
said 'it names the dataset "/VTKHDF/PointData/v", which u_000000.vtkhdf does not have$'
for text in '{"files": 3}' '[]' '{"files": [{"name": "u_000002.vtkhdf"}]}' '{"files": [{"name": "../u", "time": 1}]}'; do
  echo "$text" >damaged/u.vtkhdf.series
  expect 2 1 verify damaged/u.vtkhdf.series
  said '^damaged/u.vtkhdf.series: damaged: '
done
echo '{"format": "something"}' >damaged/summary.json
sed -i 2s/,/x/ damaged/residuals.csv
echo >>damaged/residuals.csv
expect 2 1 verify damaged/summary.json damaged/residuals.csv damaged/nothing.vtkhdf
said '"isotherm summary 1"$' && said 'line 2 is not a row of 5 numbers$' && said 'nothing.vtkhdf: damaged: no such file$'
# A pipe is not waited for.
rm damaged/residuals.csv
mkfifo damaged/residuals.csv
expect 2 1 verify damaged/residuals.csv
said 'residuals.csv: damaged: it is not a regular file$'
mkdir empty
expect 2 1 verify empty
said '^empty: damaged: there is no snapshot in it$'
expect 2 1 verify
complained 'FILE'
echo "verify: all as it should be"
