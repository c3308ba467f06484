# shellcheck shell=bash
# Sourced by the job scripts beside it: runs a case so that the job may be stopped at any time.
#
#   run_resumable CASE RESULT_DIRECTORY [OPTION of isotherm run]...
#
# Goes on from the newest checkpoint in RESULT_DIRECTORY where there is one, and starts anew where
# there is none, replacing what an earlier start may have left (--resume-or-overwrite). A signal that
# SLURM sends to the batch shell is passed on to the ranks, which write a checkpoint and end with exit
# code 75. What becomes of the job then depends on why it was stopped:
#
#   its time is nearly over (USR1, which --signal asks for, or the run's own wall_time),
#   or another job takes the nodes (TERM, and SLURM says that it is preempted)
#       it goes back to the queue and is resumed when it is started again
#   scancel, or any other TERM
#       it ends: who cancels a job does not want it back

source "${BASH_SOURCE[0]%/*}/launch.sh"

say() { echo "[$(date +%FT%T)] job ${SLURM_JOB_ID:-?}, start $((${SLURM_RESTART_COUNT:-0} + 1)): $*"; }

# The shell must not be busy with the launcher when the signal comes: bash runs a trap only between
# commands, so the launcher is in the background, and `wait` is what the trap interrupts.
# Whatever came, the ranks get USR1: at a TERM of its own mpirun kills them within a second.
forward() {
  say "SIG$1 received, ranks are asked to stop"
  [[ -z $stop ]] || return
  stop=$1
  [[ -z $launcher ]] || ask_to_stop
}

# A launcher that has not started its ranks yet may lose a signal, so it is sent until it is heard.
ask_to_stop() {
  while kill -s USR1 "$launcher" 2>/dev/null; do sleep 10; done &
}

# Ended by the request: with exit code 75, or, where it came before there were ranks, by USR1 itself.
was_stopped() { (($1 == 75)) || { [[ -n $stop ]] && (($1 == 128 + 10)); }; }

# Whether the run's own summary names this signal, which may have reached the ranks alone.
ranks_heard() { grep -qs "\"message\": \"stopped on request $1\"" "$2/summary.json"; }

# is_wanted_back RESULT_DIRECTORY: SLURM knows who cancelled or preempted the job; the signal does not tell.
is_wanted_back() {
  local job
  job=$(scontrol show job "${SLURM_JOB_ID:-}" 2>/dev/null)
  [[ $job != *JobState=CANCELLED* ]] || return
  [[ $job != *JobState=PREEMPTED* && ! $job =~ PreemptTime=[0-9] ]] || return 0
  [[ $stop == USR1 ]] || { [[ -z $stop ]] && ! ranks_heard SIGTERM "$1"; }
}

wait_for_launcher() {
  local code
  while :; do
    wait "$launcher"
    code=$?
    kill -0 "$launcher" 2>/dev/null || return $code  # else a trap has ended the wait, not the job
  done
}

back_to_the_queue() {
  if ((${SLURM_RESTART_COUNT:-0} >= ${MOST_RESTARTS:-100})); then
    say "restarted ${SLURM_RESTART_COUNT} times already; it is not sent back once more"
    return
  fi
  say "stopped; back to the queue"
  scontrol requeue "$SLURM_JOB_ID"
  sleep 120  # SLURM ends this shell; were it to end first, the job would count as completed
}

run_resumable() {
  (($# >= 2)) || { echo "what to run? sbatch SCRIPT CASE.toml RESULT_DIRECTORY [OPTION]..." >&2; return 2; }
  local case=$1 result=$2 program code
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
  trap - USR1 TERM
  say "exit code $code"
  if was_stopped $code; then
    if is_wanted_back "$result"; then
      back_to_the_queue
    else
      say "cancelled: it ends here. sbatch with the same arguments goes on from its checkpoint"
    fi
  fi
  return $code
}
