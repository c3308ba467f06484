#!/usr/bin/env bash
# cluster.sh up DIR | down DIR
#
# A SLURM cluster on this machine, for tests: munge, the controller and a daemon for each node, started
# without systemd, with all state below DIR and one fake GPU per node. Requires root. `up` prints a line
# to evaluate; `down` stops what `up` started, by its pid files.
#
#   NODES="NAME=ADDRESS..."  the nodes (default: this machine). The controller runs on the first.
#   ON_NODE=PROGRAM          `PROGRAM ADDRESS COMMAND...` runs a command on a node (default: here)
set -euo pipefail
command=$1 dir=$(realpath -m "$2")
read -r -a nodes <<<"${NODES:-$(hostname -s)=127.0.0.1}"
export SLURM_CONF=$dir/slurm.conf

# on_node NODE COMMAND...
on_node() { ${ON_NODE:+"$ON_NODE" "${1#*=}"} "${@:2}"; }

write_configuration() {
  local node names
  names=$(IFS=,; echo "${nodes[*]%%=*}")
  cat >"$SLURM_CONF" <<END
ClusterName=isotherm
SlurmctldHost=${nodes[0]%%=*}(${nodes[0]#*=})
SlurmctldPort=26817
SlurmdPort=26818
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
StateSaveLocation=$dir/state
TmpFS=$dir/tmp
SlurmdSpoolDir=$dir/spool.%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.%n.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=30
GresTypes=gpu
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=main Nodes=$names Default=YES MaxTime=INFINITE State=UP PriorityTier=1 GraceTime=120
PartitionName=steady Nodes=$names MaxTime=INFINITE State=UP PriorityTier=1 PreemptMode=OFF
PartitionName=urgent Nodes=$names MaxTime=INFINITE State=UP PriorityTier=2
END
  for node in "${nodes[@]}"; do
    cat >>"$SLURM_CONF" <<END
NodeName=${node%%=*} NodeAddr=${node#*=} CPUs=32 Boards=1 SocketsPerBoard=1 CoresPerSocket=32 ThreadsPerCore=1 RealMemory=1000 Gres=gpu:1
END
    echo "NodeName=${node%%=*} Name=gpu File=$dir/gpu0" >>"$dir/gres.conf"
  done
  printf '%s=no\n' CgroupAutomount ConstrainCores ConstrainDevices ConstrainRAMSpace \
    >"$dir/cgroup.conf"
  echo IgnoreSystemd=yes >>"$dir/cgroup.conf"
}

wait_until_idle() {
  local tries=0
  until [[ $(on_node "${nodes[0]}" sinfo --noheader --partition=main --format="%D_%t" 2>/dev/null) == "${#nodes[@]}_idle" ]]; do
    ((++tries < 1200)) || { tail -n 20 "$dir"/*.log >&2; return 1; }
    sleep 0.1
  done
}

up() {
  local node
  mkdir -p "$dir"/{state,tmp} && mkdir -m 711 "$dir/munge"
  head -c 128 /dev/urandom >"$dir/munge/key"
  chmod 400 "$dir/munge/key"
  mknod "$dir/gpu0" c 1 3  # any device file suffices, as SLURM only assigns it
  write_configuration
  munged --force --num-threads=2 --socket="$dir/munge/socket" --key-file="$dir/munge/key" \
    --pid-file="$dir/munge/pid" --seed-file="$dir/munge/seed" --log-file="$dir/munge/log" \
    >"$dir/munged.log" 2>&1
  on_node "${nodes[0]}" slurmctld -c >"$dir/start.log" 2>&1
  for node in "${nodes[@]}"; do on_node "$node" slurmd >>"$dir/start.log" 2>&1; done
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
  ! is_running "$pid" || kill -9 "$pid" 2>/dev/null || true
}

down() {
  local pid
  timeout 5 scancel --user="$(id -un)" 2>/dev/null || true
  sleep 0.5
  for pid in "$dir"/slurmd.*.pid; do stop_by "$pid"; done
  stop_by "$dir/slurmctld.pid"
  stop_by "$dir/munge/pid"
}

"$command"
