# shellcheck shell=bash
# Sourced after support.sh by tests of jobs that are sent back to the queue and resumed: a case, what SLURM and the logs
# say of a job, and the comparison with an uninterrupted run.
program=$ISOTHERM

# Long enough for any machine to be interrupted in time.
endless=1000000000
options=(--set 'grid.points=[64,64]' --set 'checkpoint.every=500' --device cpu)

# make_case STEPS: writes case.toml
make_case() { "$program" new diffusion | sed "s/^end_time .*/steps = $1/" >case.toml; }
set_steps() { sed -i "s/^steps .*/steps = $1/" case.toml; }
iteration_of() { "$program" info "$1" | awk 'END { print $1 }'; }
has_field() { compgen -G "$1/u_*.vtkhdf" >/dev/null; }

# state JOB, exit_code JOB, restarts JOB: as SLURM reports it
shown() { scontrol show job "$1" | grep -o "\<$2=[^ ]*" | head -n 1 | cut -d= -f2; }
state_is() { [[ $(shown "$1" JobState) == "$2" ]]; }
ended_as() {
  wait_for "job $1 that is $2" 60 state_is "$1" "$2"
  [[ $(shown "$1" ExitCode) == "$3" ]] || fail "job $1 is $2 with exit code $(shown "$1" ExitCode) instead of $3"
}
logged() { grep -qs -e "$2" ./*-"$1".log; }
must_have_logged() { logged "$1" "$2" || fail "job $1 has not logged '$2'"; }
wait_for_return() {
  wait_for "return to the queue" 60 logged "$1" "requeueing the job"
  wait_for "requeued job" 60 state_is "$1" PENDING
  must_have_logged "$1" "exit code 75"
}
# Without this, SLURM would delay the job for two minutes. It cannot restart in the second in which
# it ended, because its credential of that second is revoked.
start_again() { scontrol update jobid="$1" StartTime=now+2; }

# resumes JOB RESULT: a requeued job continues to the field of an uninterrupted run
resumes() {
  local at limit last
  at=$(iteration_of "$2")
  limit=$((at + 1234))
  set_steps $limit
  start_again "$1"
  wait_for "end of the resumed job" 120 state_is "$1" COMPLETED
  must_have_logged "$1" "start 2: case.toml"
  must_have_logged "$1" "resumed .*iteration $at"
  mpirun -n 1 "$program" run case.toml "${options[@]}" --set checkpoint.every=0 --output whole --quiet
  last=$(printf 'u_%06d.vtkhdf' $limit)
  "$program" compare "$2/$last" "whole/$last" --tolerance 0 >comparison \
    || fail "the resumed field differs from the uninterrupted one: $(<comparison)"
}
