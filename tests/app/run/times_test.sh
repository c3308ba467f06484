#!/usr/bin/env bash
# times_test.sh PROGRAM SOURCE_DIR: snapshots at given times and an end time are met exactly, also
# by resumed runs. ISOTHERM_TEST_BACKEND: see support.sh.
in_memory=yes
source "$(dirname "$0")/../support.sh"

# times DIRECTORY: prints the times of the fields as stored in the files, on one line
times() {
  "$program" info "$1" --json | awk '/"time_s"/ && !/residual/ { gsub(/,/, ""); t = $2 }
    /"role": "snapshot"/ { printf "%s ", t }'
}
# times_are DIRECTORY TIME...
times_are() {
  local found
  found=$(times "$1")
  [[ $found == "${*:2} " ]] || fail "the times in $1 are $found instead of ${*:2}"
}
# last DIRECTORY: prints the file of the final field
last() { grep -o '"final_file": "[^"]*' "$1/summary.json" | cut -d'"' -f4; }

diffusion_case 'end_time = 0.05' 'check_every = 7' |
  cat - <(printf '[output]\npicture = false\n') >ftcs.toml
sed 's/"ftcs"/"crank_nicolson"/; s/"stable"/0.004/; s/^check_every.*/norm = "max"/' ftcs.toml >implicit.toml
expect 0 1 run implicit.toml --output long --dry-run --set method.time_step=2
complained 'method.time_step=2: .*it exceeds end_time, 0.05, so the run takes only 1 step'
listed=(--set 'output.snapshot_times=[0.03, 0.011, 0.0201]')
regular=(--set output.snapshot_interval=0.01)

for method in ftcs implicit; do
  expect 0 1 run $method.toml --output $method-plain --quiet
  expect 0 1 run $method.toml "${listed[@]}" --output $method-dry --dry-run
  said 'steps of .* to .*, which end at 3 output times before the end$'
  said ' 3 snapshots of .*, 1 whole field of '
  expect 0 1 run $method.toml "${listed[@]}" --output $method --quiet
  times_are $method 0.011 0.0201 0.03 0.05
  holds $method/summary.json '"time_s": 0.05,'
  for time in 0.011 0.0201 0.03 0.05; do
    grep -q "<Time Value=\"$time\"/>" $method/u.xmf || fail "t = $time is not in the series of $method"
  done
  expect 0 1 run $method.toml "${regular[@]}" --output $method-regular --quiet
  times_are $method-regular 0.0 0.01 0.02 0.03 0.04 0.05
  expect 0 1 run $method.toml "${regular[@]}" "${listed[@]}" --output $method-both --quiet
  times_are $method-both 0.0 0.01 0.011 0.02 0.0201 0.03 0.04 0.05
done

# Output times that are multiples of the step change nothing.
expect 0 1 run ftcs.toml --set method.time_step=0.0005 --output even-plain --quiet
expect 0 1 run ftcs.toml --set method.time_step=0.0005 "${regular[@]}" --output even --quiet
same_field even-plain/u_000100.vtkhdf even/u_000100.vtkhdf
said identical
times_are even 0.0 0.01 0.02 0.03 0.04 0.05

# Stopped within an interval between output times, at its end and after it, and resumed on other
# numbers of ranks.
final=$(last ftcs)
met=$(cd ftcs && printf '%s\n' u_*.vtkhdf | head -1 | tr -dc 0-9)
for at in $((10#$met - 2)) $((10#$met)) $((10#$met + 3)); do
  expect 0 1 run ftcs.toml "${listed[@]}" --output checkpoints --overwrite --set checkpoint.every="$at" \
    --set checkpoint.keep=100 --quiet
  for ranks in 1 3; do
    expect 0 $ranks run ftcs.toml "${listed[@]}" --output "cut-$at-$ranks" \
      --resume "checkpoints/$(printf 'u_%06d.vtkhdf' "$at")" --quiet
    same_field "ftcs/$final" "cut-$at-$ranks/$final"
  done
done
from=$at
expect 0 3 run ftcs.toml "${listed[@]}" --output three --quiet
same_field "ftcs/$final" "three/$final"
same_table ftcs three
rm -rf own
cp -r checkpoints own
newest=$(last checkpoints)
rm -f "own/$newest" own/summary.json
expect 0 3 run ftcs.toml "${listed[@]}" --output own --resume --quiet
same_field "ftcs/$final" "own/$final"
same_table ftcs own
expect 0 1 run ftcs.toml "${listed[@]}" --output own --resume
said "already finished"
final=$(last implicit)
expect 0 1 run implicit.toml "${listed[@]}" --output implicit-checkpoints --set checkpoint.every=1 \
  --set checkpoint.keep=100 --quiet
for at in 4 9 12; do  # after an output time, at one, and on the way to the end
  expect 0 1 run implicit.toml "${listed[@]}" --output "implicit-$at" \
    --resume "implicit-checkpoints/$(printf 'u_%06d.vtkhdf' "$at")" --quiet
  same_field "implicit/$final" "implicit-$at/$final"
done

# A step so short that its change is rounding does not end a run, and the tolerance ignores it.
relaxing=(--set method.tolerance=0.2 --set method.check_every=1 --set method.end_time=2.0 --quiet)
expect 0 1 run ftcs.toml "${relaxing[@]}" --output relaxed
for times in 1e-16 0.01,0.01000000000001; do
  expect 0 1 run ftcs.toml "${relaxing[@]}" --set "output.snapshot_times=[$times]" --output relaxed-$times
  [[ $(last relaxed-$times) == $(last relaxed) || $(iteration_of relaxed-$times) -le $(($(iteration_of relaxed) + 2)) ]] ||
    fail "a run that meets $times ends at $(last relaxed-$times) instead of $(last relaxed)"
  (($(iteration_of relaxed-$times) >= $(iteration_of relaxed))) || fail "a run that meets $times ends too early"
done

# A run that reaches its end again has its complete table.
cp -r implicit again
rm again/summary.json
expect 0 1 run implicit.toml "${listed[@]}" --output again --resume --quiet
same_table implicit again

# New output times start from the time of the file; so does a new end.
expect 0 1 run ftcs.toml --output other --resume "checkpoints/$(printf 'u_%06d.vtkhdf' "$from")" \
  --set 'output.snapshot_times=[0.001, 0.0333]' --set method.end_time=0.0412 --quiet
times_are other 0.0333 0.0412
expect 2 1 run ftcs.toml --output past --resume "ftcs/$(last ftcs)" --set method.end_time=0.03
complained "is at t = 0.05, after the end_time of the case, 0.03"

# The same for runs with a number of steps.
diffusion_case 'steps = 40' | cat - <(printf '[output]\npicture = false\n') >steps.toml
expect 0 1 run steps.toml --output steps --set 'output.snapshot_times=[0.011]' --quiet
[[ $(times steps) == "0.011 "* && $(iteration_of steps) == 40 ]] || fail "not 0.011, or not 40 steps"

# The initial field has the time start_time; time_steps gives other lengths to parts of the run.
late=(--set method.start_time=2.0 --set method.end_time=2.05 --set method.time_step=0.002)
expect 0 1 run implicit.toml --output now --quiet --set method.time_step=0.002
expect 0 1 run implicit.toml "${late[@]}" "${regular[@]}" --output late --quiet
times_are late 2.0 2.01 2.02 2.03 2.04 2.05
[[ $(iteration_of late) == $(iteration_of now) ]] || fail "a later start changes the number of steps"
expect 0 1 compare "late/$(last late)" "now/$(last now)" --tolerance 1e-12
# Values that vary in time are sampled at start_time, not at 0: the same functions of the time since then.
for method in ftcs implicit; do
  expect 0 1 run $method.toml --output $method-from-0 --quiet --set method.time_step=0.001 \
    --set 'equation.source="1/(2 + t) + log(2 + t)"' --set 'boundary.all={ type = "dirichlet", value = "1/(2 + t)" }'
  expect 0 1 run $method.toml "${late[@]}" --output $method-from-2 --quiet --set method.time_step=0.001 \
    --set 'equation.source="1/t + log(t)"' --set 'boundary.all={ type = "dirichlet", value = "1/t" }'
  expect 0 1 compare "$method-from-2/$(last $method-from-2)" "$method-from-0/$(last $method-from-0)" --tolerance 1e-12
done
fading='{ type = "dirichlet", value = 0.0 }'
for start in 0 2; do
  expect 0 1 run ftcs.toml --output fading-$start --quiet --set method.start_time=$start.0 --set method.end_time=9.0 \
    --set method.check_every=1 --set method.tolerance=1.23e-2 --set 'method.relative_to="rhs"' \
    --set "equation.source=\"1000*exp(-20*(t - $start))\"" --set "boundary.all=$fading"
done
[[ $(iteration_of fading-2) == $(iteration_of fading-0) ]] || fail "the tolerance refers to a source of another time"
parts=(--set '!method.time_step' --set '!method.end_time'
  --set 'method.time_steps=[{ step = 0.001, to = 0.01 }, { step = 0.008, to = 0.05 }]')
for method in ftcs implicit; do
  expect 0 1 run $method.toml "${parts[@]}" --set 'output.snapshot_times=[0.034]' --output $method-parts --quiet \
    --set 'method.time_steps.1.step=0.001'
  times_are $method-parts 0.034 0.05
done
expect 0 1 run implicit.toml "${parts[@]}" --set checkpoint.every=1 --set checkpoint.keep=99 --output lengths --quiet
[[ $(iteration_of lengths) == 15 ]] || fail "$(iteration_of lengths) steps instead of 10 + 5"
for at in 3 10 12; do
  expect 0 1 run implicit.toml "${parts[@]}" --output "lengths-$at" --quiet \
    --resume "lengths/$(printf 'u_%06d.vtkhdf' "$at")"
  same_field lengths/u_000015.vtkhdf "lengths-$at/u_000015.vtkhdf"
done

laplace_case 'iterations = 10' >steady.toml
refused_run 'snapshot_interval applies only to methods that advance time, and "jacobi" does not' steady.toml "${regular[@]}"
refused_run 'snapshot_times applies only to methods that advance time' steady.toml "${listed[@]}"
refused_run 'snapshot_interval is 1e-12, which gives 5e+10 files up to t = 0.05 (needs at most 100000)' ftcs.toml \
  --set output.snapshot_interval=1e-12
refused_run 'snapshot_interval is 0 (needs a number above 0)' ftcs.toml --set output.snapshot_interval=0.0
refused_run 'snapshot_interval' ftcs.toml --set output.snapshot_interval=nan
refused_run 'snapshot_interval' ftcs.toml --set output.snapshot_interval=inf
refused_run "snapshot_times contains 0.06 (needs times above 0 and up to the end of the run, t = 0.05)" ftcs.toml \
  --set 'output.snapshot_times=[0.01, 0.06]'
refused_run 'snapshot_times contains 0 (needs' ftcs.toml --set 'output.snapshot_times=[0.0]'
refused_run 'snapshot_times contains 1e-310 (needs' ftcs.toml --set 'output.snapshot_times=[1e-310]'
refused_run 'snapshot_times contains -1 (needs' ftcs.toml --set 'output.snapshot_times=[-1]'
refused_run 'snapshot_times' ftcs.toml --set 'output.snapshot_times=[nan]'
refused_run 'snapshot_times is empty' ftcs.toml --set 'output.snapshot_times=[]'
refused_run 'snapshot_times' ftcs.toml --set 'output.snapshot_times=0.1'
refused_run "but the 40 steps end at t = " steps.toml --set 'output.snapshot_times=[0.0001, 0.0002, 0.0399]' \
  --set method.time_step=0.001
refused_run 'start_time is -1 (needs 0 or more)' ftcs.toml --set method.start_time=-1.0
refused_run 'end_time is 0.05, which is not after start_time, 1' ftcs.toml --set method.start_time=1.0
refused_run 'time_step conflicts with time_steps' implicit.toml "${parts[@]:2}"
refused_run 'to is 0.01 (needs a time after 0.02)' implicit.toml "${parts[@]}" --set method.time_steps.0.to=0.02 \
  --set method.time_steps.1.to=0.01
refused_run 'step is missing' implicit.toml "${parts[@]:0:4}" --set 'method.time_steps=[{ to = 0.1 }]'
printf '[output]\nsnapshot_times = [9.0]\n' | cat <(grep -v '^\[output\]\|^picture' ftcs.toml) - >late.toml
expect 2 1 run late.toml
complained '^isotherm: late.toml:[0-9]*: \[output\] snapshot_times contains 9 '
echo "times: all as it should be"
