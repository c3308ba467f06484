# shellcheck shell=bash
# Sourced by the job scripts in this folder: runs a case so that the job may be stopped at any time.
#
#   run_resumable CASE RESULT_DIRECTORY [OPTION of isotherm run]...
#
# Resumes from the newest checkpoint in RESULT_DIRECTORY. If there is none, it starts over and replaces
# the remains of an earlier start (--resume-or-overwrite). A signal that SLURM sends to the batch shell is
# passed on to the ranks, which write a checkpoint and end with exit code 75. Then the reason decides:
#
#   the time limit is near (USR1, requested by --signal, or the run's own wall_time),
#   or the job is preempted (TERM, and SLURM reports a preemption)
#       the job is requeued, and resumes when it starts again
#   scancel, or any other TERM
#       the job ends
#
# Environment variables:
#   MOST_RESTARTS=…     maximum number of restarts by requeueing (default: 100)
#   CHAIN_JOB=2/5       set by chain.sh: this is the second of five jobs, each of which starts when the
#                       previous one has ended with exit code 0. A stopped job is not requeued but ends with
#                       exit code 0, and the next one continues; the last one ends with 75. The exit codes
#                       of finished, failed, cancelled and unconverged runs are unchanged.

source "${BASH_SOURCE[0]%/*}/launch.sh"

# An element of an array is named by the array and its index. One of the elements has the array's
# own number as SLURM_JOB_ID, and that number names all of them.
this_job=${SLURM_ARRAY_TASK_ID:+${SLURM_ARRAY_JOB_ID:-}_}${SLURM_ARRAY_TASK_ID:-${SLURM_JOB_ID:-}}

# Without $(…): bash 5.2 may crash if one of these signals arrives while it reads such a command in a trap.
say() { printf '[%(%FT%T)T] job %s, start %d: %s\n' -1 "${this_job:-?}" $((${SLURM_RESTART_COUNT:-0} + 1)) "$*"; }

# bash runs a trap only between commands, or while it waits. So the launcher runs in the background, and
# the trap interrupts `wait`. The ranks always get USR1: if mpirun gets TERM, it kills them within a second.
forward() {
  say "received SIG$1; asking the ranks to stop"
  [[ -z $stop ]] || return
  stop=$1
  [[ -z $launcher ]] || ask_to_stop
}

# A launcher that has not started its ranks yet may lose a signal, so it is repeated until the launcher ends.
ask_to_stop() {
  while kill -s USR1 "$launcher" 2>/dev/null; do sleep 10; done &
}

# True if the request ended the launcher: with exit code 75, or by USR1 if no rank had started.
was_stopped() { (($1 == 75)) || { [[ -n $stop ]] && (($1 == 128 + 10)); }; }

# True if the run's summary names this signal, which may have reached only the ranks.
ranks_heard() { grep -qs "\"message\": \"stopped because of $1\"" "$2/summary.json"; }

# is_wanted_back RESULT_DIRECTORY: true if the job must be requeued. Only SLURM knows whether the job was cancelled or
# preempted: the signal is the same.
is_wanted_back() {
  local job
  job=$(scontrol show job "$this_job" 2>/dev/null)
  [[ $job != *JobState=CANCELLED* ]] || return
  [[ $job != *JobState=PREEMPTED* && ! $job =~ PreemptTime=[0-9] ]] || return 0
  [[ $stop == USR1 ]] || { [[ -z $stop ]] && ! ranks_heard SIGTERM "$1"; }
}

# ended_well RESULT_DIRECTORY OPTION...: true if the run's summary has the status done. The exit code is not enough:
# srun also ends with 0 if it could not start a rank, or lost its ranks while SLURM ended the job.
ended_well() {
  [[ " ${*:2} " == *" --dry-run "* ]] || grep -qs '"status": "done"' "$1/summary.json"
}

# A trap ends `wait` with a code of its own. After the launcher has ended, perhaps during the trap, each
# further `wait` returns the launcher's exit code.
wait_for_launcher() {
  wait "$launcher"
  while kill -0 "$launcher" 2>/dev/null; do wait "$launcher"; done
  wait "$launcher"
}

# judged_by_summary RESULT_DIRECTORY: the exit code of a run whose launcher's own is lost. If two signals come
# together, bash 5.2 may end the launcher's wait with -1 and forget the code.
judged_by_summary() {
  if grep -qs '"status": "done"' "$1/summary.json"; then return 0; fi
  if grep -qs '"status": "stopped"' "$1/summary.json"; then return 75; fi
  return 1
}

back_to_the_queue() {
  if ((${SLURM_RESTART_COUNT:-0} >= ${MOST_RESTARTS:-100})); then
    say "restarted ${SLURM_RESTART_COUNT} times already, so it is not requeued again (limit: MOST_RESTARTS)"
    return
  fi
  say "stopped; requeueing the job"
  if ! scontrol requeue "$this_job"; then
    say "SLURM does not requeue it. To resume from its checkpoint, submit it again with the same arguments;" \
      "chain.sh submits several jobs that continue each other"
    return
  fi
  trap - USR1 TERM
  sleep 120  # SLURM ends this shell; if it ended first, SLURM would record the job as completed
}

# True if the job may end successfully, because the next one of its chain continues the run.
leave_to_the_next() {
  if ((${CHAIN_JOB%/*} < ${CHAIN_JOB#*/})); then
    say "stopped; this was job $CHAIN_JOB of its chain, and the next continues"
  else
    say "stopped; this was the last job of its chain. To continue, run chain.sh with the same arguments"
    return 1
  fi
}

run_resumable() {
  (($# >= 2)) || { echo "arguments are missing (usage: sbatch SCRIPT CASE.toml RESULT_DIRECTORY [OPTION]...)" >&2; return 2; }
  local case=$1 result=$2 program code
  [[ ${CHAIN_JOB-1/1} =~ ^[1-9][0-9]*/[1-9][0-9]*$ ]] \
    || { echo "CHAIN_JOB=$CHAIN_JOB: must be two numbers such as 2/5, as chain.sh sets it" >&2; return 2; }
  program=$(find_isotherm "${BASH_SOURCE[0]%/jobs/slurm/*}") || return
  say "$case on ${SLURM_JOB_NUM_NODES:-1} nodes (${SLURM_JOB_NODELIST:-here})"
  launcher='' stop=''
  trap 'forward USR1' USR1
  trap 'forward TERM' TERM
  launch "$program" run "$case" --output "$result" --resume-or-overwrite \
    "${@:3}" &
  launcher=$!
  [[ -z $stop ]] || ask_to_stop  # it came in between
  wait_for_launcher
  code=$?
  trap ':' USR1 TERM  # what comes from now on does not end the shell before it has decided
  if [[ -n $stop ]] && ((code < 0 || code == 255)); then
    judged_by_summary "$result"
    code=$?
  fi
  say "exit code $code"
  if ((code == 0)) && ! ended_well "${@:2}"; then
    say "but $result contains no finished run"
    code=1
    [[ -z $stop ]] || code=75
  fi
  if was_stopped $code; then
    if is_wanted_back "$result"; then
      if [[ -z ${CHAIN_JOB:-} ]]; then
        back_to_the_queue
      elif leave_to_the_next; then
        code=0
      fi
    else
      say "cancelled, so it is not requeued. To resume from its checkpoint, submit it again with the same arguments"
    fi
  fi
  return $code
}
