#!/usr/bin/env bash
# resume_test.sh PROGRAM SOURCE_DIR
#
# The job scripts under a real SLURM. The scenarios below run concurrently, each in its own folder.
# Exit code 77 (skipped) without root or SLURM.
set -euo pipefail
program=$1 source=$2
source "$source/tests/slurm/support.sh" "$@"
source "$source/tests/slurm/resumed_jobs.sh"
slurm=$source/jobs/slurm
# Two ranks next to other jobs: this SLURM's node is one machine with few cores.
beside_others=(--partition=steady --oversubscribe --ntasks-per-node=2 --cpus-per-task=1)
# The shortest limit that SLURM accepts. It checks every 30 s, so the signal comes after 15 to 45 s.
limited="--time=1 --signal=B:USR1@45"

time_limit() {
  local job
  make_case $endless
  # shellcheck disable=SC2086  # several options
  job=$(sbatch --parsable $limited "${beside_others[@]}" "$slurm/cpu-nodes.sbatch" case.toml result "${options[@]}")
  wait_for_return "$job"
  resumes "$job" result
  echo "stopped at its time limit, requeued and resumed: the same field"
}

# Without ISOTHERM_HOME the job asks SLURM from where its script was submitted.
preemption() {
  local job
  make_case $endless
  job=$(env -u ISOTHERM_HOME sbatch --parsable --gpus-per-node=1 --ntasks-per-node=2 --cpus-per-task=1 --time=10 \
    "$slurm/one-node.sbatch" case.toml result "${options[@]}")
  wait_for "checkpoint" 60 has_field result
  # There is one GPU. The tasks of srun get SIGTERM.
  sbatch --partition=urgent --gpus-per-node=1 --time=1 --output=urgent.log --wrap="true" >/dev/null
  wait_for_return "$job"
  resumes "$job" result
  echo "preempted, requeued and resumed: the same field"
}

# A cancelled job must end, even if it has been requeued.
cancelled() {
  local running waiting job at
  make_case $endless
  running=$(sbatch --parsable --time=10 "${beside_others[@]}" "$slurm/cpu-nodes.sbatch" case.toml running "${options[@]}")
  waiting=$(sbatch --parsable --time=10 "${beside_others[@]}" "$slurm/cpu-nodes.sbatch" case.toml waiting "${options[@]}")
  wait_for "checkpoint" 60 has_field running
  wait_for "checkpoint" 60 has_field waiting
  scancel "$running"
  scancel --batch --signal=USR1 "$waiting"
  wait_for_return "$waiting"
  scancel "$waiting"
  for job in "$running" "$waiting"; do
    wait_for "cancelled job" 60 state_is "$job" CANCELLED
  done
  ! logged "$running" "requeueing the job" || fail "a cancelled job was sent back to the queue"
  at=$(iteration_of waiting)
  set_steps $((at + 100))
  job=$(sbatch --parsable --time=10 "${beside_others[@]}" "$slurm/cpu-nodes.sbatch" case.toml waiting "${options[@]}")
  wait_for "end of what was submitted once more" 60 state_is "$job" COMPLETED
  must_have_logged "$job" "resumed .*iteration $at"
  ! logged "$waiting" "start 2" || fail "a job that was cancelled in the queue was started"
  state_is "$running" CANCELLED || fail "a cancelled job went back to the queue"
  echo "cancelled, running or in the queue: they stay so"
}

# chain_of N CASE RESULT OPTION...: submits a chain; its jobs are in the array jobs
chain_of() {
  local printed
  printed=$(bash "$slurm/chain.sh" "$1" "$slurm/cpu-nodes.sbatch" "${@:2}")
  mapfile -t jobs < <(sed 's/^job \([0-9]*\):.*/\1/' <<<"$printed")
  ((${#jobs[@]} == $1)) || fail "${#jobs[@]} jobs instead of $1: $printed"
}

# SLURM's state of a job whose run fails, is refused or does not converge; later jobs of the chain
# are cancelled.
failing() {
  local jobs code
  local -A first second
  export SBATCH="--time=10 ${beside_others[*]}"
  make_case 100
  chain_of 2 case.toml failed "${options[@]}" --set 'equation.source=sqrt(0.001 - t)'
  first[1]=${jobs[0]} second[1]=${jobs[1]}
  chain_of 2 case.toml refused "${options[@]}" --set method.what=1
  first[2]=${jobs[0]} second[2]=${jobs[1]}
  "$program" new laplace >steady.toml
  chain_of 2 steady.toml not_converged --device cpu --set method.name=jacobi --set method.iterations=20 \
    --set method.tolerance=1e-12
  first[3]=${jobs[0]} second[3]=${jobs[1]}
  for code in 1 2 3; do
    ended_as "${first[$code]}" FAILED "$code:0"
    must_have_logged "${first[$code]}" "exit code $code"
    wait_for "end of the chain" 60 state_is "${second[$code]}" CANCELLED
    ! logged "${second[$code]}" . || fail "a job was started behind one that ended with $code"
  done
  echo "failed, refused, not converged: FAILED with exit codes 1, 2 and 3, and their chains end"
}

# The first job reaches its time limit, the second one finishes the run, the third one finds it
# finished.
chain() {
  local jobs at
  make_case $endless
  SBATCH="$limited --partition=steady --oversubscribe" chain_of 3 case.toml result "${options[@]}"
  scontrol hold "${jobs[1]}"
  ended_as "${jobs[0]}" COMPLETED 0:0
  must_have_logged "${jobs[0]}" "job 1/3 of its chain, and the next continues"
  # On a busy machine the others might be warned of their limit before they start.
  scontrol update JobId="${jobs[1]}" TimeLimit=10
  scontrol update JobId="${jobs[2]}" TimeLimit=10
  at=$(iteration_of result)
  set_steps $((at + 500))
  scontrol release "${jobs[1]}"
  ended_as "${jobs[1]}" COMPLETED 0:0
  must_have_logged "${jobs[1]}" "resumed .*iteration $at"
  ended_as "${jobs[2]}" COMPLETED 0:0
  must_have_logged "${jobs[2]}" "already finished"
  echo "a chain: stopped, ended, already finished"
}

# In SLURM the last element of an array has the array's own number.
parameters() {
  local array at
  make_case $endless
  cat >table.csv <<'END'
equation.diffusivity, method.steps, grid.points
0.1, 700, "[32,32]"
0.2, 1000000000, "[32,48]"
0.3, 1000000000, "[48,32]"
END
  array=$(SBATCH="--time=10 --gpus-per-node=0 --partition=steady --cpus-per-task=1" \
    bash "$slurm/parameters.sh" case.toml table.csv result --device cpu --set checkpoint.every=500)
  array=${array#job } array=${array%%:*}
  wait_for "checkpoint of row 2" 60 has_field result/row-0002
  wait_for "checkpoint of row 3" 60 has_field result/row-0003
  [[ $(shown "${array}_3" JobId) == "$array" ]] || fail "no element has the array's own number"
  scancel --batch --signal=USR1 "${array}_3"
  wait_for "return to the queue" 60 logged "$array-3" "requeueing the job"
  wait_for "requeued element" 60 state_is "${array}_3" PENDING
  at=$(iteration_of result/row-0003)
  sed -i "s/^0.3, [0-9]*/0.3, $((at + 300))/" table.csv
  start_again "${array}_3"
  wait_for "end of row 3" 60 state_is "${array}_3" COMPLETED
  wait_for "end of row 1" 60 state_is "${array}_1" COMPLETED
  must_have_logged "$array-3" "resumed .*iteration $at"
  state_is "${array}_2" RUNNING || fail "row 2 is not running any more"
  [[ $(shown "${array}_1" Restarts) == 0 && $(shown "${array}_2" Restarts) == 0 && $(shown "${array}_3" Restarts) == 1 ]] \
    || fail "wrong elements were restarted"
  scancel "${array}_2"
  [[ $(iteration_of result/row-0001) == 700 ]] || fail "row 1 ended elsewhere"
  "$program" info --case result/row-0001/u_000700.vtkhdf | grep -q '^diffusivity = 0.1' || fail "row 1 has other values"
  "$program" info --case result/row-0003/"$(printf 'u_%06d' $((at + 300)))".vtkhdf | grep -q '^points = \[48, *32\]' \
    || fail "row 3 has other values"
  echo "an array: one element was requeued and resumed, the others were not"
}

start_slurm
scenarios=(time_limit cancelled failing)
# SLURM signals a preemption to srun only; chains and arrays do not use a launcher.
[[ $LAUNCHER != srun ]] || scenarios+=(preemption chain parameters)
side_by_side "${scenarios[@]}"
