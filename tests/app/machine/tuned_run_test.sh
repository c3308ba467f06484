#!/usr/bin/env bash
# tuned_run_test.sh PROGRAM SOURCE_DIR: a run measures the plans of a device that has none
# remembered, later runs use the result, and fields do not depend on it.
# ISOTHERM_TEST_BACKEND: see support.sh.
pictures=no
in_memory=yes
source "$(dirname "$0")/../support.sh"
laplace_case 'iterations = 20' >case.toml
on=(--device "$device")
export OMP_NUM_THREADS=1  # the plans of a CPU are remembered for each number of threads
table() { find "$XDG_CACHE_HOME" -name '*.toml' 2>/dev/null; }

# Neither the CPU nor a known GPU is measured unless that is asked for. A dry run writes nothing.
expect 0 1 run case.toml --output plain --set run.plan=plain --quiet "${on[@]}"
expect 0 1 run case.toml --output unasked "${on[@]}"
expect 0 1 run case.toml --dry-run --set run.tune=true "${on[@]}"
! grep -q '^measured ' "$work/out" || fail "a dry run has measured"
expect 0 1 run case.toml --output never --set run.tune=false --quiet "${on[@]}"
[[ -z $(table) ]] || fail "something was measured"

# The first run measures; the second, on any number of ranks, finds the plans.
expect 0 1 run case.toml --output first --verbose --set run.tune=true "${on[@]}"
said '^measured  *[0-9]* plans in .* is the fastest, .* GCell/s; remembered in .*\.toml$'
said "^sweeps  *.* by $(table)"
[[ $(table | wc -l) == 1 ]] || fail "not one table: $(table)"
holds "$(table)" '^backend = "'"$device"'"$'
holds first/summary.json '"plan_table": ".*plans/.*\.toml"'
cp "$(table)" kept.toml
for ranks in 1 2; do
  expect 0 $ranks run case.toml --output "later$ranks" --verbose "${on[@]}"
  ! grep -q '^measured ' "$work/out" || fail "measured again"
  said '^sweeps ' && same_field plain/u_000020.vtkhdf "later$ranks/u_000020.vtkhdf"
done
cmp -s kept.toml "$(table)" || fail "the table has changed"
same_field plain/u_000020.vtkhdf first/u_000020.vtkhdf

# Another kind of sweep is measured for itself, and added.
expect 0 2 run case.toml --output double --set grid.precision=float64 --set run.tune=true "${on[@]}"
said '^measured '
holds "$(table)" '^precision = "float32"$' && holds "$(table)" '^precision = "float64"$'

# A grid of another class of sizes has none of these plans, nor has a CPU with other threads.
expect 0 1 run case.toml --output larger --verbose --set 'grid.points=[40,40,40]' "${on[@]}"
said '^sweeps ' && ! grep -q "$(table)" "$work/out" || fail "a plan of smaller grids is used"
if [[ $device == cpu ]]; then
  OMP_NUM_THREADS=2 expect 0 1 run case.toml --output threads --quiet --set run.tune=true "${on[@]}"
  [[ $(table | wc -l) == 2 ]] || fail "the plans of 1 and of 2 threads are not in a table each"
fi

# The user's own table has priority; it makes a measurement useless.
printf '[[plan]]\nbackend = "%s"\ndimension = 3\nplan = "plain"\n' "$device" >own.toml
rm -r "$XDG_CACHE_HOME"
expect 0 1 run case.toml --output own --verbose --set run.tune=true --set run.plan_table=own.toml "${on[@]}"
said '^sweeps  *plain by .*own.toml' && [[ -z $(table) ]] || fail "measured in spite of a table"

# Methods that do not sweep from check to check have no plans to choose.
expect 3 1 run case.toml --output cycles --set method.name=multigrid --set method.iterations=1 \
  --set method.tolerance=1e-9 --set run.tune=true --quiet "${on[@]}"
[[ -z $(table) ]] || fail "measured for multigrid"

# A damaged table and a place that cannot be written are warnings.
mkdir -p "$(dirname "$XDG_CACHE_HOME")" && : >"$XDG_CACHE_HOME"
expect 0 1 run case.toml --output nowhere --set run.tune=true "${on[@]}"
said '^measured ' && complained 'warning: the measured plans are not remembered: '
rm "$XDG_CACHE_HOME"
expect 0 1 run case.toml --output again --set run.tune=true --quiet "${on[@]}"
echo 'plan = 3' >"$(table)"
expect 0 1 run case.toml --output damaged "${on[@]}"
complained 'warning: ignored: .*\.toml'
same_field plain/u_000020.vtkhdf damaged/u_000020.vtkhdf
echo "tuned run: all as it should be"
