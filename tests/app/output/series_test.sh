#!/usr/bin/env bash
# series_test.sh PROGRAM SOURCE_DIR: if a run is killed anywhere in its output, the series and the
# table of residuals never name a missing file. After resuming, they equal those of an unbroken run.
# FAILING_CALLS in the environment: the library that kills the run.
in_memory=yes
source "$(dirname "$0")/../support.sh"

# series_is_sound DIRECTORY: all files that the series names exist
series_is_sound() {
  local file
  for file in $(cat "$1"/u{,_snapshots}.{vtkhdf.series,xmf} 2>/dev/null | grep -o 'u_[0-9a-z.]*vtkhdf' | sort -u); do
    [[ -f $1/$file ]] || fail "$1 names $file, which is missing"
  done
}

diffusion_case 'end_time = 0.2' 'check_every = 3' | sed 's/^points = .*/points = [16, 12]/' |
  cat - <(printf '%s\n' '[output]' 'snapshot_interval = 0.04' 'picture = false' \
    '[checkpoint]' 'every = 3' 'keep = 1') >whole.toml  # 20 steps, a snapshot every four
sed 's/^picture = .*/&\nprecision = "float32"/' whole.toml >reduced.toml

# killed KIND CALL COUNT FILE: the run is killed instead of the call after COUNT such calls, and is
# resumed
killed() {
  local output=$1-${2}-$3-${4#.} code=0 same
  LD_PRELOAD=$FAILING_CALLS ISOTHERM_FAILING_CALL="$2 kill 0 $3 $4" \
    "$program" run "$1.toml" --output "$output" --quiet >"$work/out" 2>"$work/err" || code=$?
  ((code == 137)) || fail "exit code $code of a run that is killed at $2 $4, call $3"
  series_is_sound "$output"
  expect 0 1 run "$1.toml" --output "$output" --resume-or-overwrite --quiet
  series_is_sound "$output"
  for same in u{,_snapshots}.{xmf,vtkhdf.series} residuals.csv; do
    cmp "$1/$same" "$output/$same" || fail "$same is another one after $2 $4, call $3"
  done
}

for kind in whole reduced; do
  expect 0 1 run $kind.toml --output $kind --quiet
  series_is_sound $kind
  [[ $(grep -c 'Time Value' $kind/u.xmf) -ge 6 ]] || fail "the series of $kind is too short"
  # Renaming a file, the two series that name it, and removing the old checkpoint.
  for count in 0 1 4 6; do
    killed $kind rename $count .vtkhdf.tmp
    killed $kind rename $count u.xmf.tmp
    killed $kind rename $count u.vtkhdf.series.tmp
  done
  killed $kind rename 1 u_snapshots.xmf.tmp
  killed $kind remove 0 .vtkhdf
  killed $kind remove 2 .vtkhdf
  killed $kind rename 0 residuals.csv.tmp
  killed $kind rename 0 summary.json.tmp
done

# A picture that the killed run had no time to draw is drawn on resume.
film=(--set output.picture=true --set output.picture_every=3)
code=0
LD_PRELOAD=$FAILING_CALLS ISOTHERM_FAILING_CALL="rename kill 0 0 u_000006.png.tmp" \
  "$program" run whole.toml --output film "${film[@]}" --quiet >"$work/out" 2>"$work/err" || code=$?
((code == 137)) || fail "exit code $code of a run that is killed while it draws a picture"
[[ -f film/u_000006.vtkhdf && ! -e film/u_000006.png ]] || fail "the run was killed elsewhere"
expect 0 1 run whole.toml --output film "${film[@]}" --resume --quiet
[[ $(echo film/u_0*.png) == "$(printf 'film/u_%06d.png ' 0 3 6 9 12 15 18 20 | sed 's/ $//')" ]] || fail "a film of other frames"

# A resumed run removes excess checkpoints of the killed one before it writes its own.
interrupted() { # CALL
  code=0
  LD_PRELOAD=$FAILING_CALLS ISOTHERM_FAILING_CALL="$1" "$program" run whole.toml --output kept \
    --resume-or-overwrite --quiet >"$work/out" 2>"$work/err" || code=$?
  ((code == 137)) || fail "exit code $code of a run that is killed at: $1"
}
interrupted "remove kill 0 0 .vtkhdf"
[[ -e kept/u_000003.vtkhdf && -e kept/u_000006.vtkhdf ]] || fail "the run was killed elsewhere"
interrupted "rename kill 0 0 .vtkhdf.tmp"
[[ ! -e kept/u_000003.vtkhdf && -e kept/u_000006.vtkhdf ]] || fail "more checkpoints than keep says"

# Resumed from an older field in the same directory: new files replace the old ones.
expect 0 1 run whole.toml --output again --set checkpoint.keep=100 --quiet
cp again/residuals.csv again/u.xmf .
rm again/summary.json
expect 0 1 run whole.toml --output again --set checkpoint.keep=100 \
  --resume again/u_000003.vtkhdf --quiet
cmp residuals.csv again/residuals.csv || fail "the table of residuals has changed"
cmp u.xmf again/u.xmf || fail "the series has changed"

# Checkpoints of later iterations remain until the run resumed from an older one has written its
# own.
code=0
LD_PRELOAD=$FAILING_CALLS ISOTHERM_FAILING_CALL="rename kill 0 0 .vtkhdf.tmp" "$program" run whole.toml \
  --output again --resume again/u_000006.vtkhdf --quiet >"$work/out" 2>"$work/err" || code=$?
((code == 137)) || fail "exit code $code of a run that is killed before its first checkpoint"
[[ ! -e again/u_000003.vtkhdf ]] || fail "more checkpoints than keep says"
for file in again/u_0000{06,09,15,18}.vtkhdf; do
  [[ -e $file ]] || fail "$file is gone, and nothing newer is there"
done

# --overwrite removes the series before the fields that it names.
code=0
LD_PRELOAD=$FAILING_CALLS ISOTHERM_FAILING_CALL="remove kill 0 2 .vtkhdf" \
  "$program" run whole.toml --output again --overwrite --quiet >"$work/out" 2>"$work/err" || code=$?
((code == 137)) || fail "exit code $code of a run that is killed while it removes files"
series_is_sound again
echo "series: all as it should be"
