#!/usr/bin/env bash
# sweep_test.sh PROGRAM SOURCE_DIR: isotherm sweep runs all combinations, skips what is finished,
# resumes what is not, and lists failures; isotherm table collects results.
in_memory=yes
source "$(dirname "$0")/../support.sh"

cat >case.toml <<'END'
title = "bar"
[grid]
points = [9, 9]
[equation]
type = "poisson"
source = 1.0
conductivity = 1.0
[boundary]
all = { type = "dirichlet", value = 0.0 }
x_lower = { type = "dirichlet", value = 1.0 }
[method]
tolerance = 1e-8
[output]
picture = false
quantities = ["flux"]
[[probe]]
name = "middle"
at = [0.5, 0.5]
END

# lists NAME... -- ARGUMENT...: a dry run lists exactly these directories
lists() {
  local names=()
  while [[ $1 != -- ]]; do names+=("$1") && shift; done
  expect 0 1 sweep case.toml "${@:2}" --dry-run
  grep -v '; nothing was written$' "$work/out" | sed 's|^case-sweep/||; s|  fails: .*||' >names
  printf '%s\n' "${names[@]}" | diff - names || fail "other names from: ${*:2}"
}
lists source-1_points-9-9 source-1_points-5-5 source-2_points-9-9 source-2_points-5-5 -- \
  --over equation.source=1,2 --over 'grid.points=[9,9],[5,5]'
lists source-0.1 source-0.2 source-0.3 -- --over equation.source=0.1:0.3:3
lists source-0.001 source-0.1 source-10 source-7 -- --over equation.source=0.001:10:3:log,7
lists source-max-x-y -- --over 'equation.source="max(x, y)"'
lists source-1 source-2 -- --over equation.source=1,2 boundary.all.value=3
lists all.value-1_x_lower.value-2 -- --over boundary.all.value=1 --over boundary.x_lower.value=2
# Names are short, and do not depend on the order of the study. Digits distinguish texts that are cut.
listed() { expect 0 1 sweep case.toml "$@" --dry-run && grep -v '; nothing was written$' "$work/out" | sed 's|^case-sweep/||; s|  fails: .*||' | sort >names; }
listed --over 'title="a b","a/b"'
[[ $(grep -c '^title-a-b_[0-9a-f]\{6\}$' names) == 2 && $(sort -u names | wc -l) == 2 ]] || fail "titles: $(<names)"
lists source-0.333333 source-0.666667 source-1 -- --over equation.source=0.333333333333333:1:3
long='100*exp(-((x - 0.5)^2 + (y - 0.5)^2)/0.02)'
listed --over "equation.source=\"$long\",\"2*$long\",\"3*$long\"" --over method.tolerance=1e-7,1.23456789e-6
[[ $(sort -u names | wc -l) == 6 && -z $(grep -vE '^.{1,64}$' names) ]] || fail "long names: $(<names)"
cp names before
listed --over "equation.source=\"3*$long\",\"2*$long\",\"$long\"" --over method.tolerance=1.23456789e-6,1e-7
cmp -s names before || fail "names depend on the order: $(<names)"
printf '# sources\n3\n\n4 \n' >values.txt
lists source-3 source-4 -- --over equation.source=@values.txt
printf 'equation.source, grid.points\n1, [9, 9]\n2, [5, 5]\n' >table.csv
lists source-1_points-9-9 source-2_points-5-5 -- --over @table.csv
printf 'equation.source, grid.points\n1, [9, 9]\n2, [5, 5]\n1, [9, 9]\n' >repeated.csv
lists source-1_points-9-9 source-2_points-5-5 -- --over @repeated.csv
lists source-1 source-2 source-3 -- --over equation.source=1:2:2,1,2:3:2,3
# Equal values in different spelling are one run, which is reported.
lists source-0.1 source-2 -- --over equation.source=0.1,1e-1,2,2.0,+2.0,1.0E-1
[[ $(wc -l <"$work/err") == 4 ]] || fail "not one line for each repetition"
complained '^isotherm: --over: 1e-1 of equation.source equals 0.1, which is run once$'
lists points-9-9 points-5-5 -- --over 'grid.points=[9,9],[9, 9],[5, 5]'
complained '\[9, 9\] of grid.points equals \[9,9\], which is run once'
lists source-x source-x-0.1 source-x-1e-1 -- --over 'equation.source=x,"x","x*0.1","x*1e-1"'
printf 'equation.source, grid.points\n1, [9, 9]\n1.0, [9, 9]\n' >spelled.csv
lists source-1_points-9-9 -- --over @spelled.csv
complained '1.0, \[9, 9\] of equation.source, grid.points equals 1, \[9, 9\], which is run once'
lists source-1 source-2 -- --over equation.source=1:2:2,1,2
[[ ! -s $work/err ]] || fail "the same spelling is reported"
[[ ! -e case-sweep ]] || fail "a dry run left something"

refused() {
  expect 2 1 sweep "${@:2}"
  complained "$1"
}
refused '--over "equation.source" needs the form KEY=VALUE' case.toml --over equation.source
refused '"\[9,9\],\[17,17" has a bracket without its counterpart' case.toml --over 'grid.points=[9,9],[17,17'
refused 'has a bracket without its counterpart' case.toml --over 'grid.points=9,9],[17,17]'
refused 'has a quote that is not closed' case.toml --over 'equation.source="1,2'
refused 'is not a range (needs A:B:N' case.toml --over equation.source=1:2
refused 'is not a range (needs A:B:N' case.toml --over equation.source=1:2:1.5
refused '"1:2:1e12" has 1e12 numbers (a sweep has at most 100000 runs)' case.toml --over equation.source=1:2:1e12
refused 'value 2 of "1,,2" is empty (remove a comma, or write "" for an empty text)' case.toml --over equation.source=1,,2
refused 'value 2 of "1," is empty' case.toml --over equation.source=1,
printf 'equation.source,equation.conductivity\n1,\n' >empty.csv
refused 'value 2 of empty.csv: "1," is empty' case.toml --over @empty.csv
refused 'varied twice' case.toml --over equation.source=1 --over equation.source=2
refused '--over: absent.txt: no such file' case.toml --over equation.source=@absent.txt
mkfifo pipe
refused 'pipe is not a file' case.toml --over equation.source=@pipe
refused 'pipe is not a file' case.toml --over @pipe
refused 'case.toml cannot be created: .* (choose another --output)' case.toml --over equation.source=1,2 --output case.toml
refused '^isotherm: --over equation.sorce=1: ' case.toml --over equation.sorce=1,2
refused '^isotherm: --device gpu: \[run\] device is "gpu"' case.toml --over equation.source=1 --device gpu
refused 'required' case.toml
refused 'not standard input' - --over equation.source=1
expect 2 2 sweep case.toml --over equation.source=1
complained 'start it without mpirun'

expect 1 1 sweep case.toml --over equation.conductivity=1,-1 --dry-run
said 'conductivity--1  fails: '

# One combination is refused and the others run, two at a time. The table has a row for each.
expect 1 1 sweep case.toml --over equation.source=1,2 --over equation.conductivity=1,-1 --jobs 2 --table results.csv
said '^\[[1-4]/4\] source-2_conductivity-1  done in '
complained '^isotherm: source-1_conductivity--1: .*conductivity'
[[ $(wc -l <results.csv) == 5 ]] || fail "not a row for each combination: $(cat results.csv)"
holds results.csv '^equation.source,equation.conductivity,status,iterations,min,max,mean,flux.x_lower,.*heat_balance.net,.*probe_middle'
holds results.csv '^2,1,done,[0-9]*,0.0,1.0,' && holds results.csv '^2,-1,failed,,,'
expect 0 1 run case.toml --output alone --set equation.source=2 --set equation.conductivity=1 --quiet
same_field alone case-sweep/source-2_conductivity-1

# Finished runs are skipped, without a change to their files.
before=$(ls -lR --time-style=full-iso case-sweep)
expect 0 1 sweep case.toml --over equation.source=1,2 --over equation.conductivity=1 --table again.csv
[[ $(grep -c 'skipped: finished by an earlier sweep' "$work/out") == 2 ]] || fail "finished runs were not skipped"
[[ $(ls -lR --time-style=full-iso case-sweep) == "$before" ]] || fail "finished runs were changed"
grep -v failed results.csv | cmp - again.csv || fail "the table of skipped runs differs"
# A changed case is refused, run by run, with the key that differs.
expect 1 1 sweep case.toml boundary.x_lower.value=3 --over equation.source=1,2 --over equation.conductivity=1 --quiet
[[ $(grep -c '^isotherm: source-[12]_conductivity-1: .*x_lower' "$work/err") == 2 ]] || fail "a changed case was not refused"
# A tolerance that is not reached.
expect 3 1 sweep case.toml method.name=jacobi method.iterations=3 --over equation.source=5 --output slow
said 'not-converged'

# A request to stop reaches the runs, and the same command resumes them.
diffusion_case 'steps = 1000000000' 'check_every = 100' >endless.toml
"$program" sweep endless.toml --over equation.diffusivity=0.1,0.2 --output long >"$work/out" 2>"$work/err" &
job=$! code=0
wait_until grep -q '^100,' long/diffusivity-0.1/residuals.csv
kill -s TERM $job
wait $job || code=$?
((code == 75)) || fail "exit code $code after SIGTERM"
said 'not run' && said '0 of 2 runs done; the same command resumes the others'
steps=$(($(iteration_of long/diffusivity-0.1) + 57))
expect 0 1 sweep endless.toml method.steps=$steps output.picture=false --over equation.diffusivity=0.1 --output long --quiet
holds long/diffusivity-0.1/run.log 'resumed  *from'
expect 0 1 run endless.toml method.steps=$steps equation.diffusivity=0.1 --output whole --quiet
same_field "$(printf 'long/diffusivity-0.1/u_%06d.vtkhdf' $steps)" "$(printf 'whole/u_%06d.vtkhdf' $steps)"

# Tables of existing runs, by default with the keys that differ.
expect 0 1 table case-sweep
said '^equation.source  status  iterations  ' && said '^ *2  done '
expect 0 1 table case-sweep/source-1_conductivity-1 alone --columns run,grid.points,max,probe_middle,wall_s --format json
python3 - "$work/out" <<'END' || fail "not the JSON that was expected: $(cat "$work/out")"
import json, sys
rows = json.load(open(sys.argv[1]))
assert [row["run"] for row in rows] == ["source-1_conductivity-1", "alone"], rows
assert rows[0]["grid.points"] == "[9, 9]" and rows[0]["max"] == 1.0 and rows[0]["wall_s"] > 0
assert 0.2 < rows[0]["probe_middle"] < rows[1]["probe_middle"] < 1
END
expect 0 1 table alone --columns status --output one.csv
printf 'status\ndone\n' | cmp - one.csv || fail "another table: $(cat one.csv)"
# A table replaces a table of the same kind, and other files only with --overwrite.
expect 0 1 table alone --columns status,max --output one.csv
cp case.toml other.toml
expect 2 1 table alone --output other.toml
complained "^isotherm: other.toml exists and is not a table that begins with \"run\" (--overwrite replaces it"
expect 2 1 sweep case.toml --over equation.source=1 --table other.toml
cmp case.toml other.toml || fail "a table replaces a case file"
expect 0 1 table alone --output other.toml --overwrite
expect 2 1 table alone --output alone/summary.json --overwrite
complained '^isotherm: --output alone/summary.json: alone/summary.json is an input file: choose another name$'
# Reading from a pipe to see whether it holds a table might never end.
mkfifo pipe.csv
expect 2 1 table alone --output pipe.csv
complained '^isotherm: pipe.csv is not a regular file, so it is not replaced$'
expect 2 1 table alone --output pipe.csv --overwrite
complained '^isotherm: pipe.csv is not a regular file, so it is not replaced$'
expect 2 1 sweep case.toml --over method.iterations=1,2 --output piped --table pipe.csv --quiet
complained '^isotherm: pipe.csv is not a regular file, so it is not replaced$'
# A table that could not be printed is a failure.
code=0
"$program" sweep case.toml --over method.iterations=1,2 --output full >/dev/full 2>"$work/err" || code=$?
((code == 1)) || fail "exit code $code on a full disk"
complained '^isotherm: cannot write to standard output'
cat >plate.toml <<'END'
[grid]
points = [9, 9]
[equation]
type = "laplace"
[boundary]
all = { type = "dirichlet", value = 0.0 }
[[fixed]]
name = "plate"
box = { lower = [0.4, 0.4], upper = [0.6, 0.6] }
floating = true
flux = 1.0
[method]
tolerance = 1e-8
END
expect 0 1 run plate.toml output.picture=false --quiet
expect 0 1 table plate
said 'floating.plate.value'
expect 2 1 table alone --columns maxx
complained 'no run has "maxx" (did you mean max? there are run, status'
expect 2 1 table absent
complained 'absent: no such directory (needs the output directory of a run, or of a sweep)'
expect 2 1 table "$work"
complained 'contains no run'

# Rows are in the order of the values, whatever the names of the directories.
expect 0 1 sweep case.toml --over equation.source=0.1,0.2,0.05,1e-3,10 --output order --quiet
expect 0 1 table order --columns source --format csv
[[ $(tr '\n' ' ' <"$work/out") == 'source 0.001 0.05 0.1 0.2 10 ' ]] || fail "another order: $(cat "$work/out")"

# A column that no run has: the nearest name, and where the columns are.
expect 0 1 sweep case.toml --over equation.source=1,2 --output near --columns source,heat_balance.inflow
complained 'no run has the column "heat_balance.inflow" (did you mean heat_balance.in? isotherm table near shows the columns)'

# A study of grids: the observed order is that of the discretisation, and the extrapolated value at
# the centre is that of -∇·∇u = 1 on a square (S. P. Timoshenko and J. N. Goodier, 1951).
study=(boundary.x_lower.value=0 --over 'grid.points=[9,9],[17,17],[33,33]' --output grids --quiet)
expect 0 1 sweep case.toml "${study[@]}"
expect 0 1 table grids --columns points,probe_middle,min,iterations --extrapolate --format csv
awk -F, '/^extrapolated/ { good += ($2 - 0.0736713533) ^ 2 < 4e-12 && $3 == 0 && $4 == "" }
         /^observed order/ { good += ($2 - 2) ^ 2 < 2e-3 && $3 == "" } END { exit good != 2 }' "$work/out" ||
  fail "another extrapolation: $(cat "$work/out")"
# Without a column that names the runs, one is added. An empty first field has its comma.
expect 0 1 table grids --columns max,min --extrapolate
said '^run  *max  *min$' && said '^extrapolated  *0\.0736' && said '^observed order  *1\.97'
expect 0 1 table grids --columns iterations,points,max --extrapolate --format csv
said '^,extrapolated,0\.0736'
expect 2 1 table grids/points-9-9 grids/points-17-17 --extrapolate
complained '^isotherm: --extrapolate: there are results on 2 different grids (needs three)$'
expect 0 1 sweep case.toml boundary.x_lower.value=0 --over 'grid.points=[33,17]' --output grids --quiet
expect 2 1 table grids/points-9-9 grids/points-17-17 grids/points-33-17 --extrapolate
complained 'the intervals of the y axis grow from 16 to 16, but those of the x axis from 16 to 32'
# Of one axis: the mean of x (1 - x) / 2 by the trapezoidal rule has the error h^2 / 12.
printf '%s\n' '[grid]' 'points = [9]' '[equation]' 'type = "poisson"' 'source = 1.0' '[boundary]' \
  'all = { type = "dirichlet", value = 0.0 }' '[method]' 'tolerance = 1e-12' '[output]' 'picture = false' >rod.toml
expect 0 1 sweep rod.toml --over 'grid.points=[9],[17],[33]' --output rods --quiet
expect 0 1 table rods --columns points,mean --extrapolate --format csv
awk -F, '/^extrapolated/ { good += ($2 - 1 / 12) ^ 2 < 1e-20 } /^observed order/ { good += ($2 - 2) ^ 2 < 1e-6 }
         /^error bar/ { good += ($2 - 1.25 / 32 ^ 2 / 12) ^ 2 < 1e-20 } END { exit good != 3 }' "$work/out" || fail "another extrapolation of one axis: $(cat "$work/out")"
# A result that alternates has no order. The warning names the finest value and the largest difference.
for n in 9 17 33; do
  sed "s/\"mean\": [^,]*/\"mean\": $((n == 17 ? 2 : 1)).5/" rods/points-$n/summary.json >summary.json
  mv summary.json rods/points-$n/summary.json
done
expect 0 1 table rods --columns points,mean --extrapolate
complained 'mean has no observed order, because its differences alternate in sign: 1, then -1 (report the finest value, 1\.5, and the largest difference, 1,'
expect 2 1 table case-sweep --extrapolate
complained 'the runs also differ in equation.source (choose runs that differ in grid.points or method.time_step only)'

# A study of time steps: the decay of an eigenmode by backward Euler, an error of first order.
cat >decay.toml <<END
[grid]
points = [9, 9]
[equation]
type = "diffusion"
[boundary]
all = { type = "dirichlet", value = 0.0 }
[initial]
value = "sin(pi*x)*sin(pi*y)"
[method]
name = "backward_euler"
end_time = 0.1
END
expect 0 1 sweep decay.toml output.picture=false --over method.time_step=4e-3,2e-3,1e-3 --output steps --quiet
expect 0 1 table steps --columns time_step,max,points --extrapolate --format csv
# The discrete mode decays at the rate 16 · 8 · sin²(π / 16).
awk -F, '/^extrapolated/ { good += ($2 - 0.14242279) ^ 2 < 1e-8 }
         /^observed order/ { good += ($2 - 1) ^ 2 < 1e-3 } /9, *9/ { points++ } END { exit !(good == 2 && points) }' "$work/out" ||
  fail "another extrapolation: $(cat "$work/out")"
echo "sweep: all as it should be"
