#!/usr/bin/env bash
# wall_time_test.sh PROGRAM SOURCE_DIR: a run with a time limit stops by itself with a checkpoint,
# and finally gives the field of an uninterrupted run. ISOTHERM_TEST_BACKEND: see support.sh.
pictures=no
source "$(dirname "$0")/../support.sh"
diffusion_case 'steps = 1000000000' >endless.toml
unset SLURM_JOB_END_TIME

# stopped DIRECTORY REASON: checks how a run ended
stopped() {
  holds "$1/summary.json" '"status": "stopped"'
  holds "$1/summary.json" '"exit_code": 75'
  holds "$1/summary.json" "\"message\": \"stopped before its time limit ($2)\""
  holds "$1/run.log" "stopped before its time limit ($2), continue with --resume"
  holds "$1/run.log" "time  .*: $2; the run will stop before it"
  expect 0 1 info "$1"
  said checkpoint
}

expect 75 2 endless.toml --output limited --wall-time 2
stopped limited run.wall_time
limit=$(($(iteration_of limited) + 57))
expect 0 1 run endless.toml --output limited --resume --set method.steps=$limit --quiet
expect 0 1 run endless.toml --output whole --set method.steps=$limit --quiet
last=$(printf 'u_%06d.vtkhdf' $limit)
same_field "limited/$last" "whole/$last"

# Inside a SLURM job, the job's end applies if it comes first. On a slow machine it may precede the
# start of the run; then it is repeated with more time.
export SLURM_JOB_END_TIME
for seconds in 3 15 50; do
  SLURM_JOB_END_TIME=$(($(date +%s) + seconds))
  expect 75 1 run endless.toml --output job --overwrite --set run.wall_time=00:01:00
  grep -q 'SLURM_JOB_END_TIME=.* is over' "$work/err" || break
done
stopped job "the end of the SLURM job"
# Even with too little time, some iterations are done.
SLURM_JOB_END_TIME=$(($(date +%s) + 86400))
expect 75 1 run endless.toml --output short --wall-time 00:00:01
stopped short run.wall_time
(($(iteration_of short) > 0)) || fail "a run whose time is short does nothing"
# An end in the past, or an unreadable one, is ignored.
for end in 1700000000 tomorrow; do
  SLURM_JOB_END_TIME=$end
  expect 0 1 run endless.toml --output over --set method.steps=10 --overwrite
  complained "SLURM_JOB_END_TIME=\"$end\" in the environment"
done
echo "wall time: runs stop in time"
