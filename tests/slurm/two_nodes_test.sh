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
source "$source/tests/slurm/resumed_jobs.sh"

# The daemons of SLURM run on these hosts, each of which has its own folder of temporary files.
start_hosts() { make_hosts 2 "$work/slurm/tmp"; }
export NODES="node1=10.77.0.1 node2=10.77.0.2"
start_slurm start_hosts
unset OMPI_MCA_btl_vader_single_copy_mechanism
network="OMPI_MCA_btl=tcp,vader,self OMPI_MCA_btl_tcp_if_include=eth0 OMPI_MCA_oob_tcp_if_include=eth0"
on_first() { "$work/agent" 10.77.0.1 "$@"; }
scontrol() { on_first scontrol "$@"; }

make_case $endless
job=$(on_first "$network" sbatch --parsable --nodes=2 --ntasks-per-node=2 --cpus-per-task=1 --oversubscribe --time=60 \
  "$source/jobs/slurm/cpu-nodes.sbatch" case.toml result "${options[@]@Q}")
wait_for "checkpoint" 60 has_field result
must_have_logged "$job" '^devices  *4 ranks on 2 hosts, '
on_first scancel --batch --signal=USR1 "$job"
wait_for_return "$job"
resumes "$job" result
echo "two nodes, requeued and resumed: the same field as one rank"
