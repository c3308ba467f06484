#!/usr/bin/env bash
# requeue_test.sh PROGRAM SOURCE_DIR
#
# Which stopped jobs the job scripts requeue, and the exit codes of the others, alone and in a
# chain. The launcher and scontrol are stand-ins: srun waits for a signal and ends with exit code
# 75 and a summary, like a run, or immediately with another one; scontrol shows the job's state.
source "$(dirname "$0")/../app/support.sh"
cat >srun <<'END'
#!/usr/bin/env bash
trap 'exit 75' USR1
# The script reads the summary if bash loses the exit code.
[[ -n ${HEARD:-}${ENDS_BY_ITSELF:-} ]] || { mkdir -p result; echo '  "status": "stopped"' >result/summary.json; }
touch "$STARTED"
[[ -z ${ENDS_BY_ITSELF:-} ]] || exit "$ENDS_BY_ITSELF"
while :; do sleep 0.05; done
END
cat >scontrol <<'END'
#!/usr/bin/env bash
if [[ $1 == show ]]; then
  cat "$STATE"
else
  echo "$@" >>"$STATE.asked"
  [[ -z ${REFUSES:-} ]]
fi
END
chmod +x srun scontrol
export PATH=$PWD:$PATH SLURM_JOB_ID=7 ISOTHERM=$program STATE=$PWD/state STARTED=$PWD/started
unset LAUNCHER ENDS_BY_ITSELF CHAIN_JOB SLURM_ARRAY_JOB_ID SLURM_ARRAY_TASK_ID SLURM_RESTART_COUNT

# stop_job STATE SIGNAL...: a job in this state gets these signals, one after the other; its exit
# code is in $code
stop_job() {
  local shell
  code=0
  rm -f "$STATE.asked" "$STARTED"
  printf '   JobState=RUNNING Reason=None\n   PreemptTime=None\n' >"$STATE"
  # If the shell waited for SLURM to end it, each of these tests would take two minutes.
  bash -uc 'source "$1"; sleep() { [[ $1 == 120 ]] || command sleep 0.1; }
    if [[ -n ${ASKS_SLOWLY:-} ]]; then
      ask_to_stop() { kill -s USR1 "$launcher"; command sleep 0.5; }
    fi
    run_resumable case.toml result' - "$source_dir/jobs/slurm/resumable.sh" >"$work/out" 2>"$work/err" &
  shell=$!
  [[ -n ${ENDS_BY_ITSELF:-} ]] || wait_until test -e "$STARTED"
  echo "$1" >"$STATE"
  for signal in "${@:2}"; do
    kill -s "$signal" "$shell" 2>/dev/null || true  # an earlier signal may have ended it
    # bash may miss the first of two simultaneous signals.
    wait_until grep -q "received SIG$2" "$work/out"
  done
  wait "$shell" || code=$?
}
# ends_with CODE WHAT; goes_back WHAT [JOB]; ends WHAT [CODE]
ends_with() { ((code == $1)) || fail "exit code $code instead of $1: $2"; }
goes_back() {
  grep -qsx "requeue ${2:-7}" "$STATE.asked" || fail "not sent back to the queue: $1"
  ends_with 75 "$1"
}
ends() {
  [[ ! -e $STATE.asked ]] || fail "sent back to the queue: $1"
  ends_with "${2:-75}" "$1"
}

running='   JobState=RUNNING Reason=None PreemptTime=None'
stop_job "$running" USR1
goes_back "its time is nearly over"
stop_job '   JobState=CANCELLED Reason=None PreemptTime=None' TERM
ends "scancel"
said 'cancelled, so it is not requeued. To resume from its checkpoint'
stop_job '   JobState=CANCELLED Reason=None PreemptTime=None' USR1 TERM
ends "scancel, when its time was nearly over"
stop_job "$running" TERM
ends "SIGTERM of somebody"
stop_job '   JobState=RUNNING Reason=None PreemptTime=2030-01-02T03:04:05' TERM
goes_back "another job takes its nodes"

# The launcher ends while its shell still handles the signal.
ASKS_SLOWLY=yes stop_job "$running" USR1
goes_back "a launcher that ends at once"

# A single element of an array is requeued, not all of them.
export SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=3
stop_job "$running" USR1
goes_back "an element of an array" 7_3
said 'job 7_3, start 1'
unset SLURM_ARRAY_JOB_ID SLURM_ARRAY_TASK_ID

# If no job may be requeued.
REFUSES=yes stop_job "$running" USR1
goes_back "SLURM refuses it"
said 'SLURM does not requeue it.*chain.sh'
SLURM_RESTART_COUNT=100 stop_job "$running" USR1
ends "restarted too often"

# In a chain the next job continues, if there is one.
export CHAIN_JOB=9/10
stop_job "$running" USR1
ends "the time of a job in a chain is over" 0
said 'job 9/10 of its chain, and the next continues'
stop_job '   JobState=CANCELLED Reason=None PreemptTime=None' USR1 TERM
ends "scancel of a job in a chain"
CHAIN_JOB=10/10 stop_job "$running" USR1
ends "the time of the last job of a chain is over"
said 'the last job of its chain'
mkdir -p result
echo '  "status": "done"' >result/summary.json
for end in 0 1 3; do
  ENDS_BY_ITSELF=$end stop_job "$running"
  ends "a run in a chain that ends by itself" $end
done
ENDS_BY_ITSELF=0 CHAIN_JOB=2 stop_job "$running"
ends "a chain without an end" 2
complained 'CHAIN_JOB=2: must be two numbers'
unset CHAIN_JOB

# The launcher succeeds, but there was no run.
for status in running failed 'not converged'; do
  echo "  \"status\": \"$status\"" >result/summary.json
  ENDS_BY_ITSELF=0 stop_job "$running"
  ends "a launcher that has started nothing" 1
  said 'result contains no finished run'
done
rm result/summary.json
ENDS_BY_ITSELF=0 stop_job "$running"
ends "a launcher that has started nothing" 1

# It loses track of ranks that were asked to stop.
cat >result/summary.json <<<'  "status": "running"'
sed -i "s/^trap 'exit 75'/trap 'exit \${HEARD:-75}'/" srun
HEARD=0 stop_job "$running" USR1
goes_back "its time is nearly over, as the shell knows"
HEARD=0 stop_job '   JobState=CANCELLED Reason=None PreemptTime=None' TERM
ends "scancel, and a launcher that ends well"
rm result/summary.json

# Only the ranks were stopped: by their own time limit, or by scancel --signal.
export ENDS_BY_ITSELF=75
echo '  "message": "stopped for run.wall_time"' >result/summary.json
stop_job "$running"
goes_back "stopped for its wall time"
CHAIN_JOB=1/2 stop_job "$running"
ends "stopped for its wall time, in a chain" 0
echo '  "message": "stopped because of SIGTERM",' >result/summary.json
stop_job "$running"
ends "SIGTERM for the ranks"

# A run that ended by itself is not restarted.
ENDS_BY_ITSELF=1 stop_job "$running"
ends "a run that failed" 1
echo "only jobs whose time is over, or that are preempted, go back to the queue"
