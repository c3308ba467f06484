#!/usr/bin/env bash
# extend_test.sh PROGRAM SOURCE_DIR: a run with a later end time continues to it, and meets it
# exactly. ISOTHERM_TEST_BACKEND: see support.sh.
in_memory=yes
source "$(dirname "$0")/../support.sh"
"$program" new diffusion | sed 's/^points .*/points = [24, 24]/
  s/^picture .*/picture = false/' >new.toml

# ends_at DIRECTORY TIME
ends_at() { holds "$1/summary.json" "\"time_s\": $2,"; }

# The case that `new` writes, with a later end that is no multiple of its time step.
expect 0 1 run new.toml --output new --device $device
ends_at new 0.02
expect 0 1 run new.toml --output new --device $device --resume --set method.end_time=0.031 --dry-run
expect 0 2 run new.toml --output new --device $device --resume --set method.end_time=0.031
ends_at new 0.031
newest() { printf 'u_%06d.vtkhdf' "$(iteration_of "$1")"; }

# The same field as that of a run that was this long from the beginning and met the earlier end on
# its way.
expect 0 1 run new.toml --output whole --device $device --set method.end_time=0.031 \
  --set 'output.snapshot_times=[0.02]'
same_field "new/$(newest new)" "whole/$(newest whole)"
# And once more, from the case that the run has stored.
expect 0 1 run new/case.toml --output new --device $device --resume --set method.end_time=0.04
ends_at new 0.04
expect 0 1 run new.toml --output whole --device $device --overwrite --set method.end_time=0.04 \
  --set 'output.snapshot_times=[0.02, 0.031]'
same_field "new/$(newest new)" "whole/$(newest whole)"

# Again: nothing remains to be done.
expect 0 1 run new.toml --output new --device $device --resume --set method.end_time=0.04
said 'already finished'

# If the step divides the end time, the result equals that of an uninterrupted run.
sed 's/"stable"/0.0004/' new.toml >fitting.toml
expect 0 1 run fitting.toml --output fitting --device $device --quiet
expect 0 1 run fitting.toml --output fitting --device $device --resume --set method.end_time=0.032 --quiet
expect 0 1 run fitting.toml --output fitting-whole --device $device --set method.end_time=0.032 --quiet
same_field fitting/u_000080.vtkhdf fitting-whole/u_000080.vtkhdf

# Another time step is another problem.
expect 2 1 run new.toml --output new --device $device --resume --set method.end_time=0.05 \
  --set method.time_step=1e-6
complained 'time_step is 1e-06, but the file has'
echo "extend: all as it should be"
