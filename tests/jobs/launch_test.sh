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

# Which program the scripts take: the one that is named, an installed one, or what was built last.
# found WORD...: what find_isotherm prints, with these variables
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

# The README's line, right after the quickstart: the case, and the program that was built, from the root
# of the source tree. The launcher stands in for the ranks.
rm -rf tree && mkdir tree && cp -r "$source_dir/jobs" tree
make_program tree/build/cpu/isotherm
line=$(grep -m 1 '^sbatch jobs/slurm/one-node.sbatch' "$source_dir/README.md")
read -ra words <<<"$line"
(cd tree && SLURM_SUBMIT_DIR=$PWD bash "${words[@]:1}" >"$work/out" 2>"$work/err") || fail "$line"
said "^srun .*/tree/build/cpu/isotherm run ${words[2]} --output ${words[3]} --resume-or-overwrite$"
[[ -f tree/${words[2]} ]] || fail "there is no ${words[2]}"
echo "the ranks are started as asked"
