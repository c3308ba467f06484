#!/usr/bin/env bash
# extend_test.sh PROGRAM SOURCE_DIR: a run that is given a later end goes on with its own time step.
# ISOTHERM_TEST_BACKEND: see support.sh.
source "$(dirname "$0")/support.sh"
"$program" new diffusion | sed 's/^points .*/points = [24, 24]/
  s/^picture .*/picture = false/' >new.toml

# The case that `new` writes, to a later end that its own time step does not fit.
expect 0 1 run new.toml --output new --device $device
step=$(grep -o '"time_step_s": [^,]*' new/summary.json)
expect 0 1 run new.toml --output new --device $device --resume --set method.end_time=0.031 --dry-run
said '^time step .* is kept; .* the first end of a step after 0.031$'
expect 0 2 run new.toml --output new --device $device --resume --set method.end_time=0.031
said '^time step .* is kept; .* the first end of a step after 0.031$'
[[ $(grep -o '"time_step_s": [^,]*' new/summary.json) == "$step" ]] || fail "the time step has changed"
grep -o '"time_s": [^,]*' new/summary.json | awk '{ exit !($2 >= 0.031 && $2 < 0.0325) }' \
  || fail "the run ended at another time"

# The same field as that of a run which was as long from the beginning; and once more, to an end that fits.
expect 0 1 run new/case.toml --output whole --device $device
last=$(printf 'u_%06d.vtkhdf' "$(iteration_of new)")
same_field "new/$last" "whole/$last"
expect 0 1 run new.toml --output new --device $device --resume --set method.end_time=0.04
said 'is kept; .* steps end at t = 0.04$'

# Again, and nothing is left to do.
expect 0 1 run new.toml --output new --device $device --resume --set method.end_time=0.04
said 'already at its end'

# Nor is a step kept that the case does not want any more.
expect 2 1 run new.toml --output new --device $device --resume --set method.end_time=0.05 \
  --set method.time_step=1e-6
complained 'time_step is 1e-06, the file has'
echo "extend: all as it should be"
