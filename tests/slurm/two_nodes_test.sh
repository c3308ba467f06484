#!/usr/bin/env bash
# two_nodes_test.sh PROGRAM SOURCE_DIR
#
# A job on two nodes under a real SLURM: the nodes are network namespaces with a daemon each, and MPI between them uses
# TCP. The field has the bits of one rank, also after the job was sent back to the queue. Exit code 77 (skipped) without
# root, SLURM or namespaces.
set -euo pipefail
program=$1 source=$2
source "$source/tests/jobs/hosts.sh"
enter_namespaces "$@"
source "$source/tests/slurm/support.sh" "$@"

# The daemons of SLURM run on these hosts, each of which has its own folder of temporary files.
start_hosts() { make_hosts 2 "$work/slurm/tmp"; }
export NODES="node1=10.77.0.1 node2=10.77.0.2"
start_slurm start_hosts
unset OMPI_MCA_btl_vader_single_copy_mechanism
network="OMPI_MCA_btl=tcp,vader,self OMPI_MCA_btl_tcp_if_include=eth0 OMPI_MCA_oob_tcp_if_include=eth0"
options=(--set 'grid.points=[64,64]' --set 'checkpoint.every=500' --device cpu)
make_case() { "$program" new diffusion | sed "s/^end_time .*/steps = $1/" >case.toml; }
on_first() { "$work/agent" 10.77.0.1 "$@"; }
shown() { on_first scontrol show job "$job" | grep -o "\<$1=[^ ]*" | head -n 1 | cut -d= -f2; }
state_is() { [[ $(shown JobState) == "$1" ]]; }
logged() { grep -qs -e "$1" ./*-"$job".log; }
has_field() { compgen -G "result/u_*.vtkhdf" >/dev/null; }

make_case 1000000000
job=$(on_first "$network" sbatch --parsable --nodes=2 --ntasks-per-node=2 --cpus-per-task=1 --oversubscribe --time=60 \
  "$source/jobs/slurm/cpu-nodes.sbatch" case.toml result "${options[@]@Q}")
wait_for "checkpoint" 60 has_field
logged '^devices  *4 ranks on 2 hosts, ' || fail "the job does not run on two hosts"
on_first scancel --batch --signal=USR1 "$job"
wait_for "return to the queue" 60 logged "requeueing the job"
wait_for "requeued job" 60 state_is PENDING
at=$("$program" info result | awk 'END { print $1 }')
limit=$((at + 321))
make_case $limit
on_first scontrol update jobid="$job" StartTime=now+2
wait_for "end of the resumed job" 120 state_is COMPLETED
logged "resumed .*iteration $at" || fail "the job was not resumed"
"$program" run case.toml "${options[@]}" --set checkpoint.every=0 --output whole --quiet
last=$(printf 'u_%06d.vtkhdf' $limit)
"$program" compare "result/$last" "whole/$last" --tolerance 0 >comparison \
  || fail "the resumed field of two nodes differs from that of one rank: $(<comparison)"
echo "two nodes, requeued and resumed: the same field as one rank"
