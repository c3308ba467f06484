#!/usr/bin/env bash
# probe_test.sh PROGRAM SOURCE_DIR: measurements of probes are the same on any number of ranks, and
# after a stop, a kill or a full disk. Tables are replaced like other results. FAILING_CALLS in the
# environment: the library that kills the run. ISOTHERM_TEST_BACKEND: see support.sh.
in_memory=yes
source "$(dirname "$0")/../support.sh"

# probed CASE...: prints the case with [output] quantities and three probes
probed() {
  "$@"
  cat <<END
[output]
picture = false
quantities = ["integral", "min", "max"]
[[probe]]
name = "middle"
at = [0.51, 0.52]
[[probe]]
name = "axis"
from = [0, 0]
to = [1, 1]
points = 101
[[probe]]
name = "lid"
plane = { y = 0.5 }
END
}
probed diffusion_case 'steps = 90' 'check_every = 20' >case.toml
tables=(probe_middle.csv probe_axis.csv probe_lid.csv quantities.csv)
moments() { cut -d, -f1 "$1" | uniq | tr '\n' ' '; }
same_tables() { # DIRECTORY DIRECTORY
  local table
  for table in "${tables[@]:0:${3:-4}}"; do cmp "$1/$table" "$2/$table" || fail "$table of $2 is another one"; done
}

# Rows at each check, at the start and at the end; flushed, complete, and the same bits on three
# ranks.
expect 0 1 run case.toml --output whole --quiet
for table in "${tables[@]}"; do
  [[ $(moments whole/$table) == "iteration 0 20 40 60 80 90 " ]] || fail "$table is of $(moments whole/$table)"
done
holds whole/probe_middle.csv '^iteration,time,value$'
holds whole/probe_axis.csv '^iteration,time,distance,x,y,value$'
holds whole/probe_axis.csv '^90,.*,1.4142135623730951,1,1,'
[[ $(wc -l <whole/probe_axis.csv) == 607 ]] || fail "a line of 101 points has other rows"
holds whole/probe_lid.csv '^iteration,time,mean,min,max$'
awk -F, 'NR > 1 && ($3 - 0.25) ^ 2 > 1e-28 { exit 1 }' whole/quantities.csv || fail "the integral is not kept"
expect 0 3 run case.toml --output three --quiet
same_tables whole three 3
paste -d, whole/quantities.csv three/quantities.csv |
  awk -F, 'NR > 1 && (($3 - $8) ^ 2 > 1e-28 || $4 != $9 || $5 != $10) { exit 1 }' || fail "quantities depend on the ranks"
holds whole/summary.json '"probe_axis.csv"'
expect 0 1 verify whole
said 'probe_axis.csv: sound'

# Steady problems have no time column, and multigrid has a row for each cycle. Values at Dirichlet
# faces are those of the faces.
laplace_case 'iterations = 5' 'check_every = 0' | cat - <(printf '%s\n' '[[probe]]' 'name = "face"' \
  'at = [0.5, 0.4, 0.0]' '[[probe]]' 'name = "floor"' 'plane = { z = 0.01 }' \
  '[[probe]]' 'name = "diagonal"' 'from = [0, 0, 0.6]' 'to = [1, 0.8, 0]' 'points = 5') >steady.toml
expect 0 2 run steady.toml --output steady --quiet
[[ $(sed -n 1p steady/probe_face.csv) == "iteration,value" ]] || fail "a steady problem has a time"
awk -F, 'NR > 1 && ($2 - 0.4 * cos(3.14159265 / 38)) ^ 2 > 1e-12 { exit 1 }' steady/probe_face.csv ||
  fail "not the values of the face, half way between two points"
[[ $(moments steady/probe_face.csv) == "iteration 0 5 " ]] || fail "not at the start and the end"
holds steady/probe_floor.csv '^5,.*,0,'
holds steady/probe_diagonal.csv '^iteration,distance,x,y,z,value$'
awk -F, '/^5,/ && n++ == 2 && ($2 - sqrt(0.5)) ^ 2 < 1e-28 && $3 == 0.5 && $4 == 0.4 && $5 == 0.3 { found = 1 }
  END { exit !found }' steady/probe_diagonal.csv || fail "not the middle of the diagonal"
expect 0 1 run steady.toml --set method.name=multigrid --set method.check_every=1 --output cycles --quiet
[[ $(moments cycles/probe_face.csv) == "iteration 0 1 2 3 4 5 " ]] || fail "not at each cycle"
probed diffusion_case 'steps = 4' | sed 's/"ftcs"/"crank_nicolson"/; s/"stable"/0.01/' >implicit.toml
expect 0 1 run implicit.toml --output implicit --quiet
[[ $(moments implicit/probe_lid.csv) == "iteration 0 1 2 3 4 " ]] || fail "not at each implicit step"

# A run that is extended: the row of the former end remains, without duplicates or gaps.
expect 0 1 run case.toml --output longer --set method.steps=47 --set checkpoint.every=30 --quiet
expect 0 3 run case.toml --output longer --resume --quiet
[[ $(moments longer/probe_axis.csv) == "iteration 0 20 40 47 60 80 90 " ]] || fail "$(moments longer/probe_axis.csv)"
for table in "${tables[@]}"; do sed -i '/^47,/d' longer/$table; done
same_tables whole longer 3
cp -r longer again
rm again/u_000090.vtkhdf again/summary.json
expect 0 1 run case.toml --output again --resume --quiet
same_tables whole again 3

# Killed within a row, within the rows of one time, and before and after a checkpoint.
rows_missing() { # COUNT
  head -c -3 killed/probe_middle.csv >rest.csv
  cp rest.csv killed/probe_middle.csv
  head -n "-$1" killed/probe_axis.csv >rest.csv
  cp rest.csv killed/probe_axis.csv
}
options=(--set checkpoint.every=20 --set output.in_background=false)
for count in 2 4; do
  rm -rf killed
  code=0
  LD_PRELOAD=$FAILING_CALLS ISOTHERM_FAILING_CALL="write kill 0 $count probe_axis.csv" "$program" run case.toml \
    "${options[@]}" --output killed --quiet >"$work/out" 2>"$work/err" || code=$?
  ((code == 137)) || fail "exit code $code of a run that is killed"
  rows_missing 7
  expect 2 1 verify killed
  said 'probe_middle.csv: damaged: .*is incomplete'
  expect 0 1 run case.toml --output killed --resume --quiet
  same_tables whole killed
done

# Stopped between two checks: no row there, and no gap after resuming.
"$program" run case.toml --set method.steps=1000000000 --output stopped --quiet >"$work/out" 2>"$work/err" &
job=$!
wait_until grep -q '^100,' stopped/probe_lid.csv
kill -s USR1 $job
code=0
wait $job || code=$?
((code == 75)) || fail "exit code $code of a run that was stopped"
last=$(($(iteration_of stopped) / 20 * 20 + 60))
expect 0 1 run case.toml --set method.steps=$last --output stopped --resume --quiet
for table in "${tables[@]}"; do
  [[ $(moments stopped/$table) == "iteration $(seq -s ' ' 0 20 $last) " ]] || fail "$table after a stop"
done

# On resume, a new probe starts its table, the table of a removed one remains, and a probe that
# measures something else is refused.
expect 0 1 run case.toml --output more --set method.steps=50 --quiet
unchanged() { # RANKS PATTERN OPTION...
  local before
  before=$(ls -l --time-style=full-iso more)
  expect 2 "$1" run case.toml --output more --resume "${@:3}"
  complained "$2"
  [[ $(ls -l --time-style=full-iso more) == "$before" ]] || fail "something was changed by a refusal"
}
unchanged 3 '^isotherm: case.toml:[0-9]*: \[probe\] name goes into probe_middle.csv, which the run to resume fills with other values' \
  --set 'probe.0.at=[0.5,0.5]'
unchanged 1 'probe_lid.csv, which has other columns in the output directory: iteration,time,mean,min,max (needs iteration,time,value' \
  --set 'probe.2={name="lid",at=[0.5,0.5]}'
unchanged 1 'quantities goes into quantities.csv, which has other columns' --set 'output.quantities=["max"]'
cp more/probe_lid.csv lid.csv
expect 0 1 run case.toml --output more --resume --set 'probe.2={name="new",at=[0.5,0.5]}' --quiet
[[ $(moments more/probe_new.csv) == "iteration 50 60 80 90 " ]] || fail "a new probe has $(moments more/probe_new.csv)"
[[ $(moments more/probe_middle.csv) == "iteration 0 20 40 50 60 80 90 " ]] || fail "$(moments more/probe_middle.csv)"
cmp lid.csv more/probe_lid.csv || fail "the table of a probe that is left out was changed"
# The same for a run that had ended.
expect 0 1 run case.toml --output more --resume --set 'probe.2={name="late",at=[0.5,0.5]}' --quiet
[[ $(moments more/probe_late.csv) == "iteration 90 " ]] || fail "a late probe has $(moments more/probe_late.csv)"

# A probe that was removed temporarily would have a gap.
unchanged 1 'probe_lid.csv, which has older rows, although the run to resume has no such probe'

# Results are replaced only on request, and then all of them.
expect 2 1 run case.toml --output more
expect 0 1 run case.toml --output more --overwrite --quiet
[[ ! -e more/probe_new.csv ]] || fail "the table of a former run is still there"
same_tables whole more

# A full disk: missing rows are written later, or the run finally fails.
with() { LD_PRELOAD=$FAILING_CALLS ISOTHERM_FAILING_CALL="$1" expect "${@:2}"; }
with "write ENOSPC 0 1 probe_axis.csv 2" 0 1 run case.toml --output full --quiet
same_tables whole full
holds full/run.log 'probe_axis.csv could not be written: .*No space left on device; the run continues'
with "write ENOSPC 0 1 probe_axis.csv" 1 2 run case.toml --output full --overwrite --quiet
complained 'probe_axis.csv.*No space left on device'
holds full/summary.json '"status": "failed"'
[[ $(moments full/probe_axis.csv) == "iteration 0 " ]] || fail "half of what could not be written is there"

# Errors are reported before anything is written.
expect 2 3 run case.toml --output none --set 'probe.1.to=[1, 1.5]'
complained '^isotherm: --set probe.1.to=.*: \[probe\] to is 1.5 on the y axis, outside the grid (which extends from 0 to 1)$'
[[ ! -e none ]] || fail "something was written of a case that is refused"

# Ahead of a front, where values fall below the smallest normal number, they are 0: processors would
# take a hundred times longer for them.
cat >front.toml <<'END'
[grid]
points = [120, 120]
precision = "float32"
[equation]
type = "laplace"
[boundary]
x_lower = { type = "dirichlet", value = 1 }
x_upper = { type = "dirichlet", value = 0 }
y_lower = { type = "periodic" }
y_upper = { type = "periodic" }
[method]
name = "jacobi"
iterations = 90
[output]
picture = false
[[probe]]
name = "axis"
from = [0, 0]
to = [1, 0]
points = 120
END
expect 0 1 run front.toml --output front --quiet
awk -F, '$1 == 90 && $5 > 0 { least = $5 } $1 == 90 { last = $5 }
  END { exit !(least > 1.1754e-38 && least < 1e-30 && last == 0) }' front/probe_axis.csv ||
  fail "there are subnormal numbers ahead of a front: $(grep ^90, front/probe_axis.csv | cut -d, -f5 | tr '\n' ' ')"
echo "probes: all as it should be"
