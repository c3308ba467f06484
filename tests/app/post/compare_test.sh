#!/usr/bin/env bash
# compare_test.sh PROGRAM SOURCE_DIR: isotherm compare, info, new and bench.
pictures=no
in_memory=yes
source "$(dirname "$0")/../support.sh"

laplace_case 'iterations = 30' >case.toml
expect 0 2 run case.toml --output a --quiet
expect 0 1 run case.toml --output b --quiet
expect 0 1 run case.toml --output short --set method.iterations=29 --quiet
expect 0 1 run case.toml --output double --set 'grid.precision="float64"' --quiet
expect 0 1 run case.toml --output larger --set 'grid.points=[20,17,14]' --quiet

# Exit code 0: equal, or within the tolerance; 1: beyond it; 2: not comparable.
same_field a/u_000030.vtkhdf b/u_000030.vtkhdf
expect 1 1 compare a/u_000030.vtkhdf short/u_000029.vtkhdf
said "different" && said "max" && said "l2"
expect 0 1 compare a/u_000030.vtkhdf short/u_000029.vtkhdf --tolerance 0.5
said "within the tolerance"
expect 1 1 compare a/u_000030.vtkhdf short/u_000029.vtkhdf --tolerance 1e-12
expect 0 1 compare a/u_000030.vtkhdf double/u_000030.vtkhdf --tolerance 1e-5
expect 0 1 compare a/u_000030.vtkhdf double/u_000030.vtkhdf --relative-tolerance 1e-5
expect 1 1 compare a/u_000030.vtkhdf double/u_000030.vtkhdf --relative-tolerance 1e-12
expect 1 1 compare a/u_000030.vtkhdf double/u_000030.vtkhdf

# Other points: B is interpolated at A's points. This is reported, as are the points of A outside B.
expect 1 2 compare a/u_000030.vtkhdf larger/u_000030.vtkhdf
said "^grids 20 x 17 x 13 points in A, 20 x 17 x 14 in B: B is interpolated .* 680 common points$"
said "^[0-9]* of 4420 points differ: different$"
! grep '^part' "$work/out" || fail "nothing is left out"
expect 0 1 run case.toml --output wide --set 'grid.points=[20,17,25]' --set 'grid.upper=[1.0,0.8,1.2]' --quiet
expect 1 2 compare wide/u_000030.vtkhdf a/u_000030.vtkhdf
said "^grids .* except at 4420 common points$"
said "^part  4420 of 8500 points of A lie in the box of B and are compared: (0, 0, 0) to (1, 0.8, 0.6)$"
expect 1 3 compare wide/u_000030.vtkhdf a/u_000030.vtkhdf --json
said '"interpolated": true' && said '"points_of_a": 8500' && said '"coinciding_points": 4420' && said '"points": 4420'
! grep warning "$work/err" || fail "a warning of what was done on purpose"
expect 0 1 run case.toml --output apart --set 'grid.points=[20,17,25]' \
  --set 'grid.lower=[0.0,0.0,3.0]' --set 'grid.upper=[1.0,0.8,4.0]' --quiet
expect 2 2 compare a/u_000030.vtkhdf apart/u_000030.vtkhdf
complained "no point of .* lies in the box of apart/u_000030.vtkhdf"

expect 0 1 run case.toml --output longer --set 'grid.upper=[1.0,1.0,2.0]' --quiet
expect 1 1 compare a/u_000030.vtkhdf longer/u_000030.vtkhdf
complained "the grids differ in position or spacing"
expect 0 1 compare a/u_000030.vtkhdf double/u_000030.vtkhdf --tolerance 1e-5 --json
said '"same_coordinates": true'
expect 2 1 compare a/u_000030.vtkhdf case.toml
expect 1 3 compare a/u_000030.vtkhdf short/u_000029.vtkhdf --json
said '"different_points"'
[[ $(grep -c '"max":' "$work/out") == 1 ]] || fail "compare speaks once per rank"

# Fields of different times are compared with a warning.
diffusion_case 'steps = 4' >heat.toml
expect 0 1 run heat.toml --output four --quiet
expect 0 1 run heat.toml --output three --set method.steps=3 --quiet
expect 1 1 compare four three
complained '^warning: A is the field at t = [0-9.e-]*, B that at t = [0-9.e-]*$'

# The norms of a known difference, between a constant field and another one.
flat() { laplace_case 'iterations = 0' | sed -e '/x_upper\|z_lower/d' -e "s/value = .*/value = $1 }/;s/^value = $1 }/value = $1/"; }
flat 2.0 >two.toml
flat 3.5 >more.toml
expect 0 1 run two.toml --output two --quiet
expect 0 1 run more.toml --output more --quiet
expect 1 1 compare two/u_000000.vtkhdf more/u_000000.vtkhdf
said "max   1.500000e+00  relative 7.500000e-01  at (0, 0, 0), point (0, 0, 0)$"
said "l2    1.500000e+00  relative 7.500000e-01"
said "^relative: to the largest |A|, 2.000000e+00, and to the l2 norm of A, 2.000000e+00$"
said "4420 of 4420 points differ"

# The place of the largest difference: a single changed point with distinct indices.
sed 's/^\[method\]/[[initial.box]]\nlower = [0.36, 0.14, 0.54]\nupper = [0.38, 0.16, 0.56]\nvalue = 9.0\n[method]/' \
  two.toml >changed.toml
expect 0 1 run changed.toml --output changed --quiet
expect 1 1 compare two/u_000000.vtkhdf changed/u_000000.vtkhdf
said "max   7.000000e+00 .* at (0.368421, 0.15, 0.55), point (7, 3, 11)$"
said "1 of 4420 points differ"
expect 1 1 compare two/u_000000.vtkhdf changed/u_000000.vtkhdf --json
python3 - "$work/out" <<'END' || fail "another place in JSON"
import json, sys
found = json.load(open(sys.argv[1]))
assert found["max_point"] == [7, 3, 11], found
assert max(abs(a - b) for a, b in zip(found["max_at"], (7 / 19, 0.15, 0.55))) < 1e-6, found
END
# The tolerance limits the largest difference, not the l2 norm, which is 0.105 here.
expect 1 1 compare two/u_000000.vtkhdf changed/u_000000.vtkhdf --tolerance 1
expect 0 1 compare two/u_000000.vtkhdf changed/u_000000.vtkhdf --tolerance 7

# A directory stands for its newest field, which is named.
expect 0 1 run two.toml --output two --resume --set method.iterations=3 --quiet
expect 0 1 compare two two/u_000003.vtkhdf
said '^two/u_000003.vtkhdf and two/u_000003.vtkhdf:$' && said identical
expect 1 1 compare more two --json
said '"a": "more/u_000000.vtkhdf"' && said '"b": "two/u_000003.vtkhdf"'
mkdir empty
expect 2 1 compare two empty
complained 'there is no field in empty'

# info: a file, its case, a directory.
expect 0 1 info a/u_000030.vtkhdf
said "20 x 17 x 13" && said "float32" && said "iteration 30" && said "can be resumed"
expect 0 2 info a/u_000030.vtkhdf --json
said '"can_resume": true' && said '"iteration": 30'
cp a/u_000030.vtkhdf $'u_\xff.vtkhdf' # not UTF-8
expect 0 1 info $'u_\xff.vtkhdf' --json
said '"iteration": 30'
pictures=yes expect 0 1 run case.toml --quiet  # into the directory named after the title
expect 0 1 info small/u_000030.vtkhdf --case
diff "$work/out" case.toml || fail "the file holds another case"
expect 0 1 info a
[[ $(wc -l <"$work/out") == 2 ]] || fail "info lists other than the report and the one file"
expect 2 1 info .

# A damaged value is detected by compare and verify, not only on resume.
expect 0 1 run case.toml --output sound --set 'grid.points=[64,64,64]' --set method.iterations=1 --quiet
expect 0 1 info sound/u_000001.vtkhdf --verify
said "contents    sound"
cp -r sound damaged
printf 'damaged!' | dd of=damaged/u_000001.vtkhdf bs=1 seek=$((1 << 19)) conv=notrunc status=none
expect 0 1 info damaged/u_000001.vtkhdf
expect 2 1 compare sound/u_000001.vtkhdf damaged/u_000001.vtkhdf
complained "damaged/u_000001.vtkhdf is damaged"
expect 2 2 info damaged --verify
said "damaged$" && complained "damaged/u_000001.vtkhdf is damaged"

# Also as JSON, and for unreadable files.
cp damaged/u_000001.vtkhdf damaged/u_000002.vtkhdf && truncate -s 100 damaged/u_000002.vtkhdf
expect 2 1 info damaged --verify --json
[[ $(grep -c '"sound": false' "$work/out") == 2 ]] || fail "a file that cannot be read is left out"
said '"file": "damaged/u_000002.vtkhdf"'
mkdir alone && cp damaged/u_000002.vtkhdf alone
expect 2 1 info alone --verify --json
said '"file": "alone/u_000002.vtkhdf"'
expect 2 1 info alone
expect 0 1 info damaged --json
! grep -q '"sound"' "$work/out" || fail "nobody asked whether it is sound"

# A damaged description is reported in one line, without messages from HDF5.
cp -r a unreadable
for offset in {512..4096..256}; do # the description comes before the values
  printf 'damaged!' | dd of=unreadable/u_000030.vtkhdf bs=1 seek="$offset" conv=notrunc status=none
done
expect 2 1 info unreadable/u_000030.vtkhdf
complained "is damaged"
[[ $(wc -l <"$work/err") == 1 ]] || fail "more than one line"

# File names and texts in files must not control the terminal.
odd=$'odd\e[2J\xc2\x9b.vtkhdf'
cp a/u_000030.vtkhdf "$odd"
expect 0 1 info "$odd"
truncate -s -700 "$odd"
expect 2 1 info "$odd"
complained 'odd\\x1b\[2J\\u009b.vtkhdf is truncated'
if command -v script >/dev/null; then  # `script` provides a terminal
  # No overrides on the command line, which would remove the comment.
  laplace_case 'iterations = 1' >orders.toml
  printf '[output]\ndirectory = "orders" # \xc2\x9b2J\n' >>orders.toml
  pictures=yes expect 0 1 run orders.toml
  script -qec "'$program' info orders/u_000001.vtkhdf --case" /dev/null >"$work/out" </dev/null
  said '# \\u009b2J' && said 'title = "small"'
fi

# new: the cases run unchanged.
for kind in laplace poisson diffusion; do
  expect 0 1 new $kind
  cp "$work/out" new-$kind.toml
  expect 0 1 run new-$kind.toml --dry-run --device cpu
done
for file in "$source_dir"/jobs/cases/*.toml; do  # at a size that fits every machine
  points=$(grep -m 1 '^points' "$file" | sed 's/^[^[]*//; s/#.*//; s/[0-9]\+/32/g; s/ //g')
  expect 0 1 run "$file" --dry-run --device cpu --output dry --set "grid.points=$points"
done

# Output that cannot be written is a failure.
for words in 'new laplace' 'info a' 'compare a/u_000030.vtkhdf b/u_000030.vtkhdf' --version; do
  code=0
  # shellcheck disable=SC2086
  "$program" $words >/dev/full 2>"$work/err" || code=$?
  ((code == 1)) || fail "exit code $code instead of 1 from: isotherm $words >/dev/full"
  complained "^isotherm: cannot write the output"
done

# bench: every plan gives the field of the plain one, on one rank and on two.
for ranks in 1 2; do
  expect 0 $ranks bench sweep --grid 33x29x31 --repeat 1 --batch 0.001 --device cpu --json sweep.json
  said "plain"
  holds sweep.json '"largest_difference_from_plain": 0.0'
done
expect 0 1 bench sweep --grid 65x63 --equation diffusion --boundary periodic --precision float64 \
  --repeat 1 --batch 0.001 --device cpu
expect 0 1 bench sweep --grid 33x17x19 --boundary neumann --plan auto --repeat 1 --batch 0.001 --device cpu
echo "compare, info, new, bench: all as they should be"
