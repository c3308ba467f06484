#!/usr/bin/env bash
# one_machine.sh up DIR | down DIR
#
# A SLURM cluster of one node on this machine, for tests: munge, controller and node daemon, started
# without systemd, with all state below DIR and one fake GPU. Requires root. `up` prints a line to
# evaluate; `down` stops what `up` started, by its pid files.
set -euo pipefail
command=$1 dir=$(realpath -m "$2")
export SLURM_CONF=$dir/slurm.conf

write_configuration() {
  local host
  host=$(hostname -s)
  cat >"$SLURM_CONF" <<END
ClusterName=isotherm
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=26817
SlurmdPort=26818
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
StateSaveLocation=$dir/state
TmpFS=$dir/tmp
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=30
GresTypes=gpu
NodeName=$host NodeAddr=127.0.0.1 CPUs=32 Boards=1 SocketsPerBoard=1 CoresPerSocket=32 ThreadsPerCore=1 RealMemory=1000 Gres=gpu:1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP PriorityTier=1 GraceTime=120
PartitionName=steady Nodes=$host MaxTime=INFINITE State=UP PriorityTier=1 PreemptMode=OFF
PartitionName=urgent Nodes=$host MaxTime=INFINITE State=UP PriorityTier=2
END
  echo "NodeName=$host Name=gpu File=$dir/gpu0" >"$dir/gres.conf"
  printf '%s=no\n' CgroupAutomount ConstrainCores ConstrainDevices ConstrainRAMSpace \
    >"$dir/cgroup.conf"
  echo IgnoreSystemd=yes >>"$dir/cgroup.conf"
}

wait_until_idle() {
  local tries=0
  until [[ $(sinfo -h -o %t 2>/dev/null) == idle ]]; do
    ((++tries < 1200)) || { tail -n 20 "$dir"/*.log >&2; return 1; }
    sleep 0.1
  done
}

up() {
  rm -rf "$dir"
  mkdir -p "$dir"/{state,spool,tmp} && mkdir -m 711 "$dir/munge"
  head -c 128 /dev/urandom >"$dir/munge/key"
  chmod 400 "$dir/munge/key"
  mknod "$dir/gpu0" c 1 3  # any device file suffices, as SLURM only assigns it
  write_configuration
  munged --force --num-threads=2 --socket="$dir/munge/socket" --key-file="$dir/munge/key" \
    --pid-file="$dir/munge/pid" --seed-file="$dir/munge/seed" --log-file="$dir/munge/log" \
    >"$dir/munged.log" 2>&1
  slurmctld -c >"$dir/start.log" 2>&1
  slurmd >>"$dir/start.log" 2>&1
  wait_until_idle
  echo "export SLURM_CONF=$SLURM_CONF"
}

# A daemon without its parent may remain as a zombie, which kill -0 reports as alive.
is_running() { [[ -d /proc/$1 ]] && ! grep -q '^State:\sZ' "/proc/$1/status" 2>/dev/null; }

stop_by() {
  local pid tries=0
  [[ -s $1 ]] || return 0
  pid=$(<"$1")
  kill "$pid" 2>/dev/null || return 0
  while is_running "$pid" && ((++tries < 100)); do sleep 0.1; done
  ! is_running "$pid" || kill -9 "$pid"
}

down() {
  timeout 5 scancel --user="$(id -un)" 2>/dev/null || true
  sleep 0.5
  stop_by "$dir/slurmd.pid"
  stop_by "$dir/slurmctld.pid"
  stop_by "$dir/munge/pid"
}

"$command"
