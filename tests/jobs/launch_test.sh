#!/usr/bin/env bash
# launch_test.sh PROGRAM SOURCE_DIR
#
# How the job scripts start the ranks: what srun and mpirun are told, with stand-ins that print it.
source "$(dirname "$0")/support.sh"
for tool in srun mpirun; do
  printf '#!/bin/sh\necho %s "$@"\nenv\n' $tool >$tool
  chmod +x $tool
done
export PATH=$PWD:$PATH SLURM_CPUS_PER_TASK=6 SLURM_NTASKS_PER_NODE=4
unset LAUNCHER SRUN_MPI CPU_BIND MPIRUN_PLACEMENT GPU_AWARE_MPI

# launched [VARIABLE=VALUE]...
launched() {
  # shellcheck disable=SC2016  # for the inner shell
  env "$@" bash -uc 'source "$1"; (launch isotherm run "a case.toml")' - \
    "$source_dir/jobs/slurm/launch.sh" >"$work/out" 2>"$work/err"
}

launched
said '^srun --mpi=pmix .*--cpus-per-task=6 --cpu-bind=cores --distribution=block:block isotherm run a case.toml$'
! grep -q -e '^OMPI_MCA_pml' -e '^MPICH_GPU' "$work/out" || fail "an MPI library is told something unasked"
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
echo "the ranks are started as asked"
