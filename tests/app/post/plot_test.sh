#!/usr/bin/env bash
# plot_test.sh PROGRAM SOURCE_DIR: isotherm plot, of the tables of runs, of other tables and of
# benchmarks, and its messages about files that are none.
in_memory=yes
source "$(dirname "$0")/../support.sh"

# drawn OUTPUT ARGUMENT...: plots to this file, which then begins like its format
drawn() {
  expect 0 1 plot "${@:2}" --output "$1" --overwrite
  said "^wrote $1$"
  case $1 in
    *.png) [[ $(head -c 4 "$1" | tail -c 3) == PNG ]] ;;
    *.svg) [[ $(head -c 5 "$1") == '<?xml' ]] ;;
    *.pdf) [[ $(head -c 4 "$1") == %PDF ]] ;;
  esac || fail "$1 is of another format"
}
# refused PATTERN ARGUMENT...: exit code 2, one line, and nothing is written
refused() {
  expect 2 1 plot "${@:2}" --output refused.png
  complained "$1"
  (($(wc -l <"$work/err") == 1)) || fail "more than one line"
  [[ ! -e refused.png ]] || fail "a picture was written"
}

# --- The tables of a run.
diffusion_case 'steps = 20' >case.toml
cat >>case.toml <<'END'
[output]
quantities = ["integral", "max"]
[[probe]]
name = "middle"
at = [0.5, 0.5]
[[probe]]
name = "axis"
from = [0.0, 0.5]
to = [1.0, 0.5]
points = 11
END
expect 0 1 run case.toml --output a --quiet --set method.check_every=5
expect 0 1 run case.toml --output b --quiet --set method.check_every=5 --set equation.diffusivity=0.2
expect 0 1 plot a/residuals.csv
said '^wrote a/residuals.png$'
expect 2 1 plot a/residuals.csv
complained 'a/residuals.png already exists: --overwrite replaces it'
rm a/residuals.png
drawn both.svg a b/ --title 'Two & "more"'
grep -q '<title>Two &amp; &quot;more&quot;</title>' both.svg || fail "the title is missing"
drawn plain.svg a
for label in --x-label --y-label; do
  drawn labelled.svg a $label 'norm [K]'
  ! cmp -s plain.svg labelled.svg || fail "$label has no effect"
done
drawn middle.pdf a/probe_middle.csv b/probe_middle.csv
drawn axis.png a/probe_axis.csv
drawn axis.png a/probe_axis.csv --by iteration --columns x,value
drawn quantities.png a/quantities.csv --columns time,max --log xy
# A steady line: the last iteration is the solution.
printf '%s\n' iteration,distance,x,y,value 0,0,0,0,7 0,1,1,0,7 4,0,0,0,1 4,1,1,0,2 >probe_steady.csv
drawn steady.svg probe_steady.csv
said '^probe_steady.csv: iteration 4 is drawn, the last one; --by iteration draws more$'
drawn all.svg probe_steady.csv --by iteration
! cmp -s steady.svg all.svg || fail "--by iteration draws the last iteration only"
# The label of the case is that of the vertical axis.
echo '{"case": {"label": "Temperature"}}' >summary.json
drawn labelled.svg probe_steady.csv
! cmp -s steady.svg labelled.svg || fail "the label of the case is missing"
mkdir timed
cp a/probe_middle.csv timed
drawn timed.svg timed/probe_middle.csv
echo '{"case": {"time_unit": "s"}}' >timed/summary.json
drawn unit.svg timed/probe_middle.csv
! cmp -s timed.svg unit.svg || fail "the unit of time is missing"
rm summary.json
refused 'residuals.csv has no column "tolerance"' a --columns iteration,tolerance
refused 'did you mean "residual"?' a --columns iteration,residuall
printf 'time,value,value\n0,1,2\n1,2,3\n' >twice.csv
refused 'twice.csv: several columns have the name "value"$' twice.csv --columns time,value
refused '"distance", but .*"time": name common columns with --columns' a/probe_axis.csv a/quantities.csv
refused '--columns needs two names' a --columns iteration

# --- A table of a study: units, texts, missing numbers.
cat >study.csv <<'END'
conductivity [W/m/K],status,"max [K]",min [K]
0.1,done,30.5,1
0.2,done,,2
0.4,failed,nan,
0.8,done,25.5,4
END
drawn study.png study.csv --log x
drawn study.svg study.csv --columns 'conductivity [W/m/K],max [K]'
# A key of the case may have its section or not.
printf '%s\n' equation.diffusivity,max,probe_a.min 1,2,3 2,3,4 >long.csv
printf '%s\n' diffusivity,max,min 1,2,3 2,3,4 >short.csv
drawn long.svg long.csv --columns diffusivity,max
drawn short.svg short.csv --columns equation.diffusivity,max
refused 'long.csv has no column "min"' long.csv --columns diffusivity,min
refused 'study.csv: line 2: "done" in the column "status" is not a number' study.csv --columns 'min [K],status'

# --- Files that are no tables.
printf 'x,y\n1,2\n3\n' >ragged.csv
printf 'x,y\n1,two\n3,4\n' >text.csv
printf 'x,y\n1,2\n3,four\n' >mixed.csv
printf 'x,y\nnan,1\n2,nan\n' >nan.csv
printf 'x,y\n1,-2\n2,0\n' >negative.csv
printf 'x,y\n' >rows.csv
: >empty.csv
head -c 1000 /dev/zero >zero.csv
truncate -s 10G huge.csv
{ printf 'x'; printf ',y%d' {1..30}; printf '\n1'; printf ',%d' {1..30}; printf '\n'; } >wide.csv
refused 'ragged.csv: line 3 has 1 column instead of 2' ragged.csv
refused 'text.csv has fewer than two columns of numbers' text.csv
refused 'mixed.csv: line 3: "four" in the column "y" is not a number' mixed.csv
refused 'nan.csv: no numbers to draw' nan.csv
refused 'negative.csv: no value is positive' negative.csv --log y
refused 'rows.csv has no rows' rows.csv
refused 'empty.csv is empty' empty.csv
refused 'zero.csv: line 1 is not a header' zero.csv
refused 'huge.csv is larger than 64 MiB' huge.csv
refused '30 curves cannot be distinguished (at most 20)' wide.csv
refused 'none.csv: no such file' none.csv
refused 'residuals.csv: no such file' .
refused '"lin" is not\|lin is not one of' rows.csv --log lin
expect 2 1 plot study.csv --output study.csv --overwrite
complained 'must end in .png, .svg or .pdf'
ln study.csv input.png
expect 2 1 plot input.png --output input.png --overwrite
complained 'is an input file'
expect 2 1 plot study.csv --output nowhere/study.png
complained 'there is no directory nowhere'

# --- Benchmarks: every part of bench.
cat >sweep.json <<'END'
{"device": "d", "rows": [
  {"precision": "float32", "plan": "line", "gcells_per_second": 2.0, "ms_per_iteration": 1.5},
  {"precision": "float64", "plan": "line", "gcells_per_second": 1.0, "ms_per_iteration": 3.0}]}
END
cat >solve.json <<'END'
{"rows": [{"method": "multigrid", "precision": "float64", "tolerance": 1e-8, "converged": true, "cycles": 4,
           "gdof_per_second": 0.5, "ms": 4.0}]}
END
cat >transform.json <<'END'
{"rows": [{"precision": "float32", "axis": "x", "kind": "fft", "task": "to_modes", "bytes_per_second": 1e10}]}
END
cat >tune.json <<'END'
{"rows": [{"dimension": 3, "precision": "float32", "fixed": true, "source": false, "points": [64, 64, 64],
           "plans": [{"plan": "line", "gcells_per_second": 1.0}, {"plan": "block", "gcells_per_second": null}, 7]}]}
END
cat >scaling.json <<'END'
{"rows": [{"scaling": "strong", "ranks": 1, "precision": "float32", "efficiency": 1.0, "gcells_per_second": 1},
          {"scaling": "strong", "ranks": 2, "precision": "float32", "efficiency": 0.9, "gcells_per_second": 1.8},
          {"scaling": "weak", "ranks": 4, "precision": "float32", "obstacle": "too few GPUs"}]}
END
cat >classic.json <<'END'
{"rows": [{"case": "laplace", "plan": "line", "kernel_ms": 4.0, "operand_bytes_per_second": 1e9},
          {"case": "diffusion", "plan": "line", "kernel_ms": 3.0, "operand_bytes_per_second": 1e9}]}
END
cat >shared.json <<'END'
{"rows": [{"dimension": 2, "precision": "float32", "steps": 10, "points_per_axis": 64, "gain": 1.2},
          {"dimension": 2, "precision": "float32", "steps": 10, "points_per_axis": 128, "gain": 1.1}]}
END
cat >reduce.json <<'END'
{"rows": [{"form": "serial", "bytes_per_second": 1e9}, {"form": "tree", "bytes_per_second": 2e9}]}
END
for part in sweep solve transform tune scaling classic shared reduce; do
  drawn $part.svg $part.json
done
drawn sweep.png sweep.json sweep.json --columns ms_per_iteration
drawn scaling.png scaling.json --columns ranks,gcells_per_second --log xy
# Labels replace those of curves, and the axis of sizes is logarithmic unless --log chooses otherwise.
for option in '--x-label n' '--y-label gain' '--log none' '--columns steps,gain'; do
  # shellcheck disable=SC2086  # an option and its value
  drawn other.svg shared.json $option
  ! cmp -s other.svg shared.svg || fail "$option has no effect"
done
expect 0 1 bench sweep --grid 16x16x16 --repeat 1 --batch 0.001 --device cpu --precision float32 --json own.json
drawn own.png own.json
refused 'cannot be drawn in one picture' sweep.json study.csv
refused 'is of bench sweep, but solve.json of bench solve' sweep.json solve.json
refused 'sweep.json has no number "speed"' sweep.json --columns speed
echo '{"rows": 3}' >wrong.json
refused 'is not a file of bench --json: it has no list "rows"' wrong.json
echo '{"rows": []}' >wrong.json
refused 'has no measurements of bench' wrong.json
echo '{"rows": [{"plan": {}, "precision": [], "gcells_per_second": "x"}]}' >wrong.json
refused 'wrong.json has no number "gcells_per_second"' wrong.json
printf '{"rows": %0200000d' 0 | tr 0 '[' >wrong.json
refused 'is not a file of bench --json' wrong.json
