#!/usr/bin/env bash
# requeue_test.sh PROGRAM SOURCE_DIR
#
# Which stopped jobs the job scripts send back to the queue. The launcher and scontrol are stand-ins:
# srun waits for a signal and ends with exit code 75, as a run does, and scontrol shows the job's state.
source "$(dirname "$0")/support.sh"
cat >srun <<'END'
#!/usr/bin/env bash
trap 'exit 75' USR1
touch "$STARTED"
[[ -z ${ENDS_BY_ITSELF:-} ]] || exit 75
while :; do sleep 0.05; done
END
cat >scontrol <<'END'
#!/usr/bin/env bash
if [[ $1 == show ]]; then
  cat "$STATE"
else
  echo "$@" >>"$STATE.asked"
fi
END
chmod +x srun scontrol
export PATH=$PWD:$PATH SLURM_JOB_ID=7 ISOTHERM=$program STATE=$PWD/state STARTED=$PWD/started
unset LAUNCHER ENDS_BY_ITSELF

# stop_job STATE SIGNAL...: a job that SLURM shows so gets these signals, one after the other
stop_job() {
  local shell
  rm -f "$STATE.asked" "$STARTED"
  printf '   JobState=RUNNING Reason=None\n   PreemptTime=None\n' >"$STATE"
  # Were the shell to wait for SLURM to end it, each of these would take two minutes.
  bash -uc 'source "$1"; sleep() { [[ $1 == 120 ]] || command sleep 0.1; }
    run_resumable case.toml result' - "$source_dir/jobs/slurm/resumable.sh" >"$work/out" 2>"$work/err" &
  shell=$!
  [[ -n ${ENDS_BY_ITSELF:-} ]] || wait_until test -e "$STARTED"
  echo "$1" >"$STATE"
  for signal in "${@:2}"; do
    kill -s "$signal" "$shell"
  done
  wait "$shell" || (($? == 75)) || fail "exit code of a job that got ${*:2}"
}
goes_back() { [[ -e $STATE.asked ]] || fail "not sent back to the queue: $1"; }
ends() { [[ ! -e $STATE.asked ]] || fail "sent back to the queue: $1"; }

running='   JobState=RUNNING Reason=None PreemptTime=None'
stop_job "$running" USR1
goes_back "its time is nearly over"
stop_job '   JobState=CANCELLED Reason=None PreemptTime=None' TERM
ends "scancel"
said 'cancelled: it ends here. sbatch with the same arguments goes on'
stop_job '   JobState=CANCELLED Reason=None PreemptTime=None' USR1 TERM
ends "scancel, when its time was nearly over"
stop_job "$running" TERM
ends "SIGTERM of somebody"
stop_job '   JobState=RUNNING Reason=None PreemptTime=2030-01-02T03:04:05' TERM
goes_back "another job takes its nodes"

# The ranks alone were stopped: by their own clock, or by scancel --signal.
mkdir result
export ENDS_BY_ITSELF=1
echo '  "message": "stopped for run.wall_time"' >result/summary.json
stop_job "$running"
goes_back "stopped for its wall time"
echo '  "message": "stopped on request SIGTERM",' >result/summary.json
stop_job "$running"
ends "SIGTERM for the ranks"
echo "only jobs whose time is over, or that are preempted, go back to the queue"
