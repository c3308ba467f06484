#!/usr/bin/env bash
# launch_test.sh PROGRAM SOURCE_DIR
#
# How the job scripts start the ranks: the arguments of srun and mpirun, with stand-ins that print
# them.
source "$(dirname "$0")/../app/support.sh"
for tool in srun mpirun; do
  printf '#!/bin/sh\necho %s "$@"\nenv\n' $tool >$tool
  chmod +x $tool
done
export PATH=$PWD:$PATH SLURM_CPUS_PER_TASK=6 SLURM_NTASKS_PER_NODE=4
unset LAUNCHER SRUN_MPI CPU_BIND MPIRUN_PLACEMENT GPU_AWARE_MPI SLURM_HINT SLURM_JOB_ID OMPI_MCA_pml

# launched [VARIABLE=VALUE]...
launched() {
  # shellcheck disable=SC2016  # for the inner shell
  env "$@" bash -uc 'source "$1"; (launch isotherm run "a case.toml")' - \
    "$source_dir/jobs/slurm/launch.sh" >"$work/out" 2>"$work/err"
}

launched
said '^srun --mpi=pmix .*--cpus-per-task=6 --cpu-bind=cores --distribution=block:block isotherm run a case.toml$'
! grep -q -e '^OMPI_MCA_pml' -e '^MPICH_GPU' "$work/out" || fail "an MPI library is told something unasked"
launched SLURM_HINT=nomultithread
said '^srun --mpi=pmix .*--cpus-per-task=6 --hint=nomultithread --distribution'
launched SRUN_MPI=cray_shasta CPU_BIND=none GPU_AWARE_MPI=cray
said '^srun --mpi=cray_shasta .*--cpu-bind=none'
said '^MPICH_GPU_SUPPORT_ENABLED=1$'
launched LAUNCHER=mpirun GPU_AWARE_MPI=openmpi
said '^mpirun --map-by ppr:4:node:PE=6 --bind-to core isotherm run a case.toml$'
said '^OMPI_MCA_pml=ucx$'
launched LAUNCHER=mpirun MPIRUN_PLACEMENT=
said '^mpirun isotherm run'
! launched GPU_AWARE_MPI=what || fail "an MPI library that nobody knows is taken"
complained 'must be openmpi, cray'

# Nodes without GPUs: one rank per NUMA domain, and one thread for each of its cores. The nodes have
# two sockets, with these numbers of cores, NUMA domains and hardware threads per core:
mkdir result
echo '"status": "done"' >result/summary.json  # otherwise the script sees no run
# on_nodes CORES DOMAINS THREADS [VARIABLE=VALUE]...
on_nodes() {
  local cpu core
  {
    printf '#!/bin/sh\ncat <<END\n# Core,Socket,Node\n'
    for ((cpu = 0; cpu < $1 * $3; cpu++)); do
      core=$((cpu % $1))
      echo "$core,$((core * 2 / $1)),$( (($2 == 0)) || echo $((core * $2 / $1)))"
    done
    echo END
  } >lscpu
  chmod +x lscpu
  env -u SLURM_CPUS_PER_TASK -u SLURM_NTASKS_PER_NODE SLURM_HINT=nomultithread "${@:4}" ISOTHERM=/bin/true \
    ISOTHERM_HOME="$source_dir" bash "$source_dir/jobs/slurm/cpu-nodes.sbatch" case.toml result \
    >"$work/out" 2>"$work/err" || fail "cpu-nodes.sbatch on nodes of $*"
}
# gets RANKS THREADS: the numbers per node
gets() {
  said "--cpus-per-task=$2 --hint=nomultithread .*run case.toml --output result --resume-or-overwrite$"
  said "^SLURM_NTASKS_PER_NODE=$1$"
  said "^OMP_NUM_THREADS=$2$"
}
on_nodes 128 8 2 SLURM_JOB_CPUS_PER_NODE='256(x3)' SLURM_JOB_NUM_NODES=3
gets 8 16
said '^SLURM_NTASKS=24$'
said '^SLURM_TASKS_PER_NODE=8(x3)$'
on_nodes 128 8 2 SLURM_JOB_CPUS_PER_NODE=128
gets 8 16
on_nodes 48 2 1 SLURM_JOB_CPUS_PER_NODE='48(x2),36,40' SLURM_JOB_NUM_NODES=4
gets 2 18
on_nodes 128 4 1 SLURM_JOB_CPUS_PER_NODE='128(x2),96' SLURM_JOB_NUM_NODES=3
gets 4 24
on_nodes 10 0 1 SLURM_CPUS_ON_NODE=10
gets 2 5
on_nodes 64 4 1 SLURM_JOB_CPUS_PER_NODE=3
gets 3 1
on_nodes 48 4 1 SLURM_JOB_CPUS_PER_NODE=48 SLURM_NTASKS_PER_NODE=6
gets 6 8
on_nodes 48 4 1 SLURM_JOB_CPUS_PER_NODE=48 SLURM_CPUS_PER_TASK=2
gets 4 2
on_nodes 0 1 1 SLURM_JOB_CPUS_PER_NODE=12
gets 1 12
on_nodes 32 2 1 SLURM_JOB_CPUS_PER_NODE=32 LAUNCHER=mpirun
said '^mpirun --map-by ppr:2:node:PE=16 --bind-to core '

# The program that the scripts use: the named one, an installed one, or the last one built.
# found VARIABLE=VALUE...: prints what find_isotherm finds with these variables
found() {
  # shellcheck disable=SC2016  # for the inner shell
  env "$@" bash -uc 'source "$1"; find_isotherm "$2"' - "$source_dir/jobs/slurm/launch.sh" "$PWD/tree" \
    >"$work/out" 2>"$work/err"
}
unset ISOTHERM
make_program() { mkdir -p "${1%/*}" && printf '#!/bin/sh\n' >"$1" && chmod +x "$1"; }
! found || fail "a program that was never built is found"
complained 'build it (jobs/quickstart.sh), or set ISOTHERM'
make_program tree/build/cpu/isotherm
found && said '/tree/build/cpu/isotherm$'
make_program tree/build/cuda/isotherm
found && said '/tree/build/cuda/isotherm$'
make_program installed/isotherm
found PATH="$PWD/installed:$PATH" && said '/installed/isotherm$'
make_program bin/mine
found ISOTHERM="$PWD/bin/mine" PATH="$PWD/installed:$PATH" && said "/bin/mine$"
! found ISOTHERM="$PWD/absent" || fail "a program that is not there is taken"
complained 'absent: there is no such program'

# The manual's command after the quickstart: the case and the built program, from the root of the
# source tree. The launcher stands in for the ranks.
rm -rf tree && mkdir tree && cp -r "$source_dir/jobs" tree
make_program tree/build/cpu/isotherm
line=$(grep -m 1 '^sbatch jobs/slurm/one-node.sbatch' "$source_dir/docs/how-to/slurm.md")
read -ra words <<<"$line"
mkdir "tree/${words[3]}"
echo '"status": "done"' >"tree/${words[3]}/summary.json"
(cd tree && SLURM_SUBMIT_DIR=$PWD bash "${words[@]:1}" >"$work/out" 2>"$work/err") || fail "$line"
said "^srun .*/tree/build/cpu/isotherm run ${words[2]} --output ${words[3]} --resume-or-overwrite$"
[[ -f tree/${words[2]} ]] || fail "there is no ${words[2]}"
echo "the ranks are started as asked"
