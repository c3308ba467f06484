# shellcheck shell=bash
# Sourced by the job scripts in this folder: starts the ranks, each with its cores and near its GPU.
#
#   launch PROGRAM ARGUMENT...      never returns: call it in a subshell or in the background
#   rank_per_domain                 call it before launch on nodes without GPUs: sets ranks and threads
#   find_isotherm HOME              prints the program to launch; HOME is the source tree
#
# Environment variables that the script or the submitting shell may set:
#   ISOTHERM=…          the program, instead of the one on the path or in the tree's build/
#   LAUNCHER=mpirun     if srun and the MPI library do not share PMIx
#   SRUN_MPI=…          the interface of srun instead of pmix (`srun --mpi=list`)
#   CPU_BIND=…          the value of srun's --cpu-bind, instead of cores or the job's --hint
#   MPIRUN_PLACEMENT=…  instead of the options of mpirun below; may be empty
#   GPU_AWARE_MPI=…     openmpi, cray, mpich, mvapich or intel: see below

# The program chooses the GPU of a rank: its number on the node, if the rank sees all GPUs of the node.
# With --gpus-per-node it does; with another default of the centre, add --gpu-bind=none. With
# --gpu-bind=closest or --gpus-per-task a rank may see only its own GPU. The run then works, but halos
# go through MPI, since a rank cannot open the memory of another.
#
# To give a rank the cores of its GPU's socket, ranks 0, 1, … must fill one socket before the next. By
# default srun and mpirun distribute them over the sockets in turn. A rank with a GPU keeps one core
# busy; its other cores are for the threads of a run on CPUs.
launch() {
  local cores=${SLURM_CPUS_PER_TASK:-1} binding=--cpu-bind=${CPU_BIND:-cores} placement
  # Where the job has a hint, its CPUs are counted as that says; --cpu-bind would make srun forget it.
  [[ -z ${SLURM_HINT:-} || -n ${CPU_BIND:-} ]] || binding=--hint=$SLURM_HINT
  take_device_memory "${GPU_AWARE_MPI:-}"
  if [[ ${LAUNCHER:-srun} == srun ]]; then
    # cpus-per-task once more, because since SLURM 22.05 srun does not take it over from the job
    exec srun --mpi="${SRUN_MPI:-pmix}" --kill-on-bad-exit=0 --cpus-per-task="$cores" \
      "$binding" --distribution=block:block "$@"
  fi
  placement=${MPIRUN_PLACEMENT---map-by ppr:${SLURM_NTASKS_PER_NODE:-1}:node:PE=$cores --bind-to core}
  # shellcheck disable=SC2086  # several options
  exec mpirun $placement "$@"
}

# Sets how many ranks a node gets and how many cores a rank, from what the job was given: a rank for each
# NUMA domain, as memory is near to the cores of its own domain only, and all cores of the domain for it.
# What the job asked for itself (--ntasks-per-node, --cpus-per-task) stays. The nodes are taken to be like
# the first one, on which this runs, with no more CPUs than the smallest of them has.
rank_per_domain() {
  local cores domains granted
  read -r cores domains < <(cores_and_domains)
  granted=$(least_of "${SLURM_JOB_CPUS_PER_NODE:-${SLURM_CPUS_ON_NODE:-$cores}}")
  ((cores > 0 && cores <= granted)) || cores=$granted
  ((domains > 0)) || domains=1
  ((domains <= cores)) || domains=$cores
  # srun takes the ranks from these variables, and mpirun its slots.
  export SLURM_NTASKS_PER_NODE=${SLURM_NTASKS_PER_NODE:-$domains}
  export SLURM_NTASKS=$((SLURM_NTASKS_PER_NODE * ${SLURM_JOB_NUM_NODES:-1}))
  export SLURM_TASKS_PER_NODE="$SLURM_NTASKS_PER_NODE(x${SLURM_JOB_NUM_NODES:-1})"
  ((cores >= SLURM_NTASKS_PER_NODE)) || cores=$SLURM_NTASKS_PER_NODE
  export SLURM_CPUS_PER_TASK=${SLURM_CPUS_PER_TASK:-$((cores / SLURM_NTASKS_PER_NODE))}
  export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK OMP_PLACES=cores OMP_PROC_BIND=close
}

# Of this machine: cores, not hardware threads, and the NUMA domains that have some (or else sockets).
cores_and_domains() {
  lscpu -p=CORE,SOCKET,NODE 2>/dev/null | awk -F, '
    /^#/ { next }
    !core[$1 "," $2]++ { cores++ }
    !domain[$3 == "" ? "socket " $2 : $3]++ { domains++ }
    END { print cores + 0, domains + 0 }'
}

# least_of 128(x3),96: prints the smallest of SLURM's numbers, 96
least_of() { tr , '\n' <<<"$1" | sed 's/(.*//' | sort -n | head -n 1; }

# Prints the program's path. The first of these that exists is used: the one that ISOTHERM names, that of
# this installation, one on the path, and one that jobs/quickstart.sh built, for GPUs first.
find_isotherm() {
  local program here=${BASH_SOURCE[0]%/*} installed=isotherm
  [[ ! $here -ef $here/../../../share/isotherm/slurm ]] || installed=$here/../../../bin/isotherm
  if [[ -n ${ISOTHERM:-} ]]; then
    command -v "$ISOTHERM" && return
    echo "ISOTHERM=$ISOTHERM: there is no such program" >&2
    return 2
  fi
  for program in "$installed" isotherm "$1/build/cuda/isotherm" "$1/build/cpu/isotherm"; do
    command -v "$program" && return
  done
  echo "isotherm is neither on the path nor in $1/build: build it (jobs/quickstart.sh), or set ISOTHERM" >&2
  return 2
}

# An MPI library that was built for GPUs often needs a setting before it accepts device pointers. The
# settings are made only on request: a library without that ability ends the job in MPI_Init. Without
# them, isotherm uses peer memory inside a node, and NCCL or host memory between nodes. The run's log
# names the one that is used.
take_device_memory() {
  case $1 in
    "") ;;
    openmpi)
      # opal_cuda_support is for an Open MPI 4 that was built with CUDA but has it off, as conda's. Open MPI 5
      # detects it. UCX uses all transports that it has. If UCX_TLS is set, it must contain cuda_copy and
      # cuda_ipc, and gdr_copy if that is installed.
      export OMPI_MCA_pml=ucx OMPI_MCA_opal_cuda_support=1
      ;;
    cray) export MPICH_GPU_SUPPORT_ENABLED=1 ;;  # built with the module craype-accel-… loaded
    mpich) export MPIR_CVAR_ENABLE_GPU=1 ;;
    mvapich) export MV2_USE_CUDA=1 ;;
    intel) export I_MPI_OFFLOAD=1 ;;
    *)
      echo "GPU_AWARE_MPI=$1: must be openmpi, cray, mpich, mvapich or intel" >&2
      exit 2
      ;;
  esac
}
