#!/usr/bin/env bash
# statistics_test.sh PROGRAM SOURCE_DIR: statistics of the values of a file, independent of the
# number of ranks.
in_memory=yes
pictures=no
source "$(dirname "$0")/../support.sh"

laplace_case 'iterations = 6' 'check_every = 2' |
  sed 's/^type = "laplace"/type = "poisson"\nsource = "x*y - z"/' >case.toml
expect 0 2 run case.toml --output result --quiet --set 'output.fields=["u","source"]' --set output.snapshot_every=3

# The run's own numbers, and those of the formula, whose extremes are at the ends of the grid.
expect 0 1 info result/u_000006.vtkhdf --statistics --json
cp "$work/out" alone.json
python3 - "$work/out" result/summary.json <<'END' || fail "other numbers than the run's"
import json, sys
file, run = (json.load(open(name)) for name in sys.argv[1:])
u, source = file["statistics"]
field = run["result"]["field"]
assert (u["field"], source["field"]) == ("u", "source")
assert u["points"] == file["points"][0] * file["points"][1] * file["points"][2], u
assert u["not_finite"] == source["not_finite"] == 0
assert (u["min"], u["max"]) == (field["min"], field["max"]), (u, field)
assert abs(u["mean"] - field["mean"]) <= 1e-12 * max(abs(u["min"]), abs(u["max"])), (u, field)
for which in ("min", "max"):
    place = source[which + "_at"]
    for axis in range(3):
        assert place[axis] == file["lower"][axis] + file["spacing"][axis] * source[which + "_point"][axis]
    assert abs(place[0] * place[1] - place[2] - source[which]) < 1e-6, source
END

# The same bits on several ranks, and a list for a directory.
expect 0 3 info result/u_000006.vtkhdf --statistics --json
cmp -s "$work/out" alone.json || fail "other numbers on three ranks"
expect 0 2 info result --statistics
[[ $(grep -c '^  values of ' "$work/out") == 6 ]] || fail "not of each field of each file"
said '^    not finite  0 of '

# Damage is reported as by verify; the other files have numbers.
cp -r result damaged
size=$(stat -c %s damaged/u_000003.vtkhdf)
truncate -s $((size / 2)) damaged/u_000003.vtkhdf
newest=damaged/u_000006.vtkhdf
expect 0 1 verify $newest
printf 'damage' | dd of=$newest bs=1 seek=$((size / 2)) conv=notrunc status=none
expect 2 1 verify $newest
reason=$(sed 's/^.*: damaged: //' "$work/out")
expect 2 2 info $newest --statistics
complained "$reason"
said '^  contents    damaged$'
! grep 'values of' "$work/out" || fail "numbers of a damaged file"
expect 2 2 info damaged --statistics
complained 'ignored: damaged/u_000003.vtkhdf is truncated'
complained "$reason"
[[ $(grep -c '^  values of ' "$work/out") == 2 ]] || fail "no numbers of the sound file"
expect 2 2 info damaged/u_000003.vtkhdf --statistics
complained 'is truncated'
expect 2 1 info result/u_000006.vtkhdf --statistics --case
complained '--case excludes --statistics\|--statistics excludes --case'
