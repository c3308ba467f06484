#!/usr/bin/env bash
# plan_table_test.sh PROGRAM SOURCE_DIR: runs take their plans from a table, wherever it is found,
# and report it.
pictures=no
in_memory=yes
source "$(dirname "$0")/../support.sh"
laplace_case 'iterations = 20' >case.toml

# row BACKEND PLAN: prints a row that matches any 3D sweep
row() { printf '[[plan]]\nbackend = "%s"\ndimension = 3\nplan = "%s"\n' "$1" "$2"; }
row cpu wavefront-2 >two.toml
row cpu plain >one.toml
sweeps() { said "^sweeps  *$1"; }

# Without a table, or with an explicit plan, no table is named.
expect 0 1 run case.toml --output without --quiet
expect 0 1 run case.toml --dry-run --verbose
sweeps 'wavefront-4, 4 iterations'
expect 0 1 run case.toml --dry-run --verbose --set run.plan_table=two.toml --set run.plan=plain
sweeps 'plain, 1 iteration '

# The table's plan on any number of ranks, with the same field.
for ranks in 1 3; do
  expect 0 $ranks run case.toml --output table$ranks --verbose --set run.plan_table=two.toml
  sweeps 'wavefront-2 by .*two.toml, 2 iterations'
  holds table$ranks/summary.json '"plan_table": ".*two.toml"'
  same_field without/u_000020.vtkhdf table$ranks/u_000020.vtkhdf
done
holds without/summary.json '"plan_table": null'

# The resident plan takes all steps between checks in one launch. It gives the same field and
# residuals, even if it ends between checks, and refuses what it cannot sweep.
diffusion_case 'steps = 90' 'check_every = 20' >plane.toml
expect 0 1 run plane.toml --output stepwise --set run.plan=plain --quiet
expect 0 1 run plane.toml --output resident --verbose --set run.plan=resident
sweeps 'resident, one kernel for all steps'
same_field stepwise/u_000090.vtkhdf resident/u_000090.vtkhdf
same_table stepwise resident
expect 0 1 run plane.toml --output resumed --set run.plan=resident --set method.steps=47 --quiet
expect 0 2 run plane.toml --output resumed --resume --quiet
same_field stepwise/u_000090.vtkhdf resumed/u_000090.vtkhdf
expect 2 2 run plane.toml --output split --set run.plan=resident
complained 'no sweep plan "resident" here'

# The steps that remain before a check are swept between two fields, even if the table has
# "resident".
row cpu resident | sed 's/= 3/= 2/' >stay.toml
expect 0 1 run plane.toml --output mixed --set run.plan=wavefront-8 --set run.plan_table=stay.toml
same_field stepwise/u_000090.vtkhdf mixed/u_000090.vtkhdf

# A row that does not match leaves the choice to the built-in table.
{ row cpu plain && echo 'least_points = 1000000'; } >large.toml
expect 0 1 run case.toml --dry-run --verbose --set run.plan_table=large.toml
sweeps 'wavefront-4, 4 iterations'

# A run can be resumed with another table, which is not part of the problem.
expect 0 1 run case.toml --output table3 --resume --set method.iterations=30 \
  --set run.plan_table=one.toml --quiet
expect 0 1 run case.toml --output longer --set method.iterations=30 --quiet
same_field longer/u_000030.vtkhdf table3/u_000030.vtkhdf

# The search order: relative to the case file, then the environment, then the configuration.
mkdir -p cases/own "$XDG_CONFIG_HOME/isotherm"
cp two.toml cases/own/
{ cat case.toml && echo 'plan_table = "own/two.toml"'; } >cases/case.toml
expect 0 2 run cases/case.toml --dry-run --verbose
sweeps 'wavefront-2 by cases/own/two.toml'
cp one.toml "$XDG_CONFIG_HOME/isotherm/plans.toml"
expect 0 2 run case.toml --dry-run --verbose
sweeps 'plain by .*/config/isotherm/plans.toml'
ISOTHERM_PLAN_TABLE=two.toml expect 0 1 run case.toml --dry-run --verbose
sweeps 'wavefront-2 by two.toml'
ISOTHERM_PLAN_TABLE=one.toml expect 0 1 run cases/case.toml --dry-run --verbose
sweeps 'wavefront-2 by cases/own/two.toml'
ISOTHERM_PLAN_TABLE=/dev/null expect 0 1 run case.toml --dry-run --verbose
sweeps 'wavefront-4, 4 iterations'
expect 0 1 run cases/case.toml --output from-case --quiet  # the stored case is valid in any folder
expect 0 1 run from-case/case.toml --dry-run --verbose --output elsewhere
sweeps 'wavefront-2 by'

# Errors are reported once, before anything is written.
refused() {
  local ranks
  for ranks in 1 3; do
    expect 2 $ranks run case.toml --output refused "${@:2}"
    [[ $(grep -c '^isotherm: ' "$work/err") == 1 ]] || fail "not one message"
    complained "$1"
    [[ ! -e refused ]] || fail "something was written"
  done
}
row cpu wavefrnt-2 >misspelt.toml
refused 'misspelt.toml:4: \[plan\] plan is "wavefrnt-2" (did you mean "wavefront-2"?' \
  --set run.plan_table=misspelt.toml
refused 'absent.toml: no such file' --set run.plan_table=absent.toml
! grep -q ISOTHERM_PLAN_TABLE "$work/err" || fail "blames a variable that is not set"
ISOTHERM_PLAN_TABLE=misspelt.toml refused '^isotherm: ISOTHERM_PLAN_TABLE in the environment: misspelt.toml:4'
ISOTHERM_PLAN_TABLE=absent.toml refused \
  '^isotherm: ISOTHERM_PLAN_TABLE in the environment: absent.toml: no such file'
{ row cpu plain && echo 'last_points = 3'; } >unknown.toml
refused 'unknown.toml:5: \[plan\] last_points is not a key (did you mean least_points?)' \
  --set run.plan_table=unknown.toml

# Rows for other devices are checked for syntax only. An unknown plan in a table that was not
# requested is ignored.
{ row cuda 'of another build' && row cpu wavefront-2; } >both.toml
expect 0 1 run case.toml --dry-run --verbose --set run.plan_table=both.toml
sweeps 'wavefront-2 by'
cat misspelt.toml two.toml >"$XDG_CONFIG_HOME/isotherm/plans.toml"
expect 0 2 run case.toml --dry-run --verbose
sweeps 'wavefront-2 by' && complained 'warning: ignored: .*plans.toml:4: \[plan\] plan is "wavefrnt-2"'
echo "plan table: all as it should be"
