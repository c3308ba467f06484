#!/usr/bin/env bash
# refusal_test.sh PROGRAM SOURCE_DIR: bad input is reported once, with exit code 2, and nothing is
# written.
in_memory=yes
source "$(dirname "$0")/../support.sh"
laplace_case 'iterations = 10' >case.toml

# refused PATTERN ARGUMENT...: checked on one rank and on two in turn
ranks=1
refused() {
  local before
  before=$(ls -lR --time-style=full-iso)
  expect 2 $ranks "${@:2}"
  [[ $(grep -c '^isotherm: ' "$work/err") == 1 ]] || fail "not one message on $ranks ranks from: ${*:2}"
  complained "$1"
  [[ $(ls -lR --time-style=full-iso) == "$before" ]] || fail "something was written by: ${*:2}"
  ranks=$((3 - ranks))
}

refused 'subcommand'  # no subcommand
refused 'compar" is not a command of isotherm (did you mean compare? See isotherm --help)' compar
refused 'tolerance" is not an option of isotherm run (it is a key of the case: write --set method.tolerance=VALUE; see' \
  run case.toml --tolerance 1e-3
refused 'frobnicate" is not an option of isotherm run (see isotherm run --help)' run case.toml --frobnicate
# answered PATTERN ARGUMENT...: refused before the number of ranks is known
answered() {
  expect 2 1 "${@:2}"
  complained "$1"
}
# The first mistake is reported, whatever is missing after it.
answered 'overwite" is not an option of isotherm run (did you mean --overwrite? see isotherm run --help)' \
  run --overwite --frobnicate
answered 'did you mean --tolerance? see isotherm compare --help' compare --tolerence=1e-3
answered 'did you mean --verify' info -verify
answered 'did you mean --tolerance' compare --tol 3
answered 'did you mean run?' rum case.toml
answered 'did you mean --help? see isotherm --help' --hlep
answered 'swep" is not a command of isotherm bench (did you mean sweep? See isotherm bench --help)' bench swep
answered 'did you mean --grid? see isotherm bench sweep --help' bench sweep --gird 9x9x9
answered '"more.toml" is not a setting of the form KEY=VALUE (isotherm run takes one case and settings' \
  run case.toml more.toml
answered '^isotherm: "method.iterations=5" is not a case file (the case comes first: isotherm run CASE.toml' \
  run method.iterations=5 case.toml
answered 'nonsense" is not a command of isotherm' help nonsense
answered 'too many arguments, such as "more": isotherm bench solve takes none (see' help bench solve more
answered 'required (see isotherm info --help)' info
answered 'excludes.*see isotherm run --help' run case.toml --quiet -v
refused 'case file is missing' run
refused 'absent.toml: no such file' run absent.toml
refused 'is a directory' run /tmp
long=$(printf '%300s' '' | tr ' ' x)
refused 'File name too long' run "$long"
refused 'directory has a name of 300 characters, "xx*...*" (needs at most 255 per part of the path)' \
  run case.toml --output "$long"
answered 'directory /proc/results cannot be created: /proc/results: ' run case.toml --output /proc/results
deep=$(printf 'folder/%.0s' {1..600})
answered 'directory has 4200 characters (needs a path of at most' run case.toml --output "$deep"
answered 'no such file' run case.toml --resume "$long"
refused 'no such file' info "$long"
refused 'iterations' run case.toml --set method.iteratons=50
refused 'iterations' run case.toml --set method.iterations=many
answered '"sn" is not known (did you mean sin?)' run case.toml --set 'initial.value=sn(x)'
refused 'auto' run case.toml --device gpu
# Settings after the case are the same as with --set, with or without the word run.
answered '^isotherm: --set method.iteratons=50: .*iterations' case.toml method.iteratons=50
answered '^isotherm: --set method.iterations=many: ' run case.toml --quiet method.iterations=many
# An option that is a spelling of a key is named as it was given.
answered '^isotherm: --wall-time soon: \[run\] wall_time is "soon" (needs hours' case.toml --wall-time soon
answered '^isotherm: --wall-time -5: \[run\] wall_time is "-5"' case.toml --wall-time -5
answered '^isotherm: --device gpu: \[run\] device is "gpu"' case.toml --device gpu
answered '^isotherm: --set run.device="gpu": ' case.toml --set 'run.device="gpu"'
# An unset variable of the shell.
refused '^isotherm: --output is empty (is a variable of the shell not set? see isotherm --help)$' \
  run case.toml --output ''
answered '^isotherm: --grid is empty (is a variable of the shell not set? see isotherm --help)$' \
  bench sweep --grid ''
answered '^isotherm: --grid is empty' bench sweep --grid=
answered '^isotherm: --json is empty' bench solve --json ''
answered '^isotherm: --output is empty' bench tune --output ''
answered '^isotherm: --transport is empty' bench scaling --transport ''
answered '^isotherm: --resume is empty' run case.toml --resume ''
answered '^isotherm: --resume is empty' run case.toml --resume=
answered '^isotherm: --set is empty' run case.toml --set ''
answered '^isotherm: an argument is empty' run ''
answered '^isotherm: an argument is empty' info ''
answered '^isotherm: an argument is empty' verify a.vtkhdf ''
refused 'FILE' info
refused 'absent.vtkhdf' info absent.vtkhdf
refused 'absent.vtkhdf' compare absent.vtkhdf absent.vtkhdf
for tolerance in -1 nan inf 1e999 many; do
  refused 'not a finite number, 0 or more\|tolerance' compare a.vtkhdf b.vtkhdf --tolerance "$tolerance"
done
refused 'diffusion' new difusion
refused '5x' bench sweep --grid 5x
refused 'plan' bench sweep --grid 9x9x9 --plan nonsense --device cpu
refused 'check-every' bench scaling --grid 9x9x9 --check-every -1 --device cpu
refused 'no directory' bench tune --device cpu --output absent/plans.toml
refused 'is a directory' bench tune --device cpu --output /tmp
refused 'dimension' bench tune --dimension 4
OMP_NUM_THREADS=100000 refused '^isotherm: OMP_NUM_THREADS="100000" in the environment asks for 100000 threads' \
  run case.toml --output crowded

# Errors that depend on the number of ranks, the machine or the disk.
ranks=3 refused 'decomposition' run case.toml --set 'run.decomposition=[3,1,1]' --set 'grid.points=[2,9,9]'
refused 'isotherm: --set run.decomposition=\[5,1,1\]: \[run\] decomposition: .*does not match [12] ranks\?' \
  run case.toml --set 'run.decomposition=[5,1,1]'
refused 'nonsense' run case.toml --set 'run.plan="nonsense"'
# They name the line at fault, like errors of the case itself.
key_at_fault() { # KEY = VALUE
  { cat case.toml && echo "$1"; } >fault.toml
  refused "isotherm: fault.toml:$(wc -l <fault.toml): \[run\] $2: " run fault.toml
}
key_at_fault 'decomposition = [3, 1, 2]' 'decomposition = \[3, 1, 2\]'
key_at_fault 'plan = "wavefrnt-2"' 'plan = "wavefrnt-2"'
key_at_fault 'transport = "nccl"' 'transport = "nccl"'
refused 'memory' run case.toml --set 'grid.points=[30000,30000,30000]'
refused 'memory' run case.toml --set 'grid.points=[30000,30000,30000]' --dry-run
# The reported number is correct even if bytes exceed 64 bits.
answered 'needs more than [0-9.]* PiB' run case.toml --set 'grid.points=[65536,65536,65536]'
complained 'smaller grid$'  # it has float32 already
answered 'points makes 1152921504606846976 points, more than any memory holds (choose a smaller grid)$' \
  run case.toml --set 'grid.points=[1048576,1048576,1048576]'
answered 'smaller grid or float32$' run case.toml --set 'grid.points=[30000,30000,30000]' \
  --set 'grid.precision="float64"'
refused 'snapshots' run case.toml --set output.snapshot_every=1 --set method.iterations=1000000000000
for dry in '' --dry-run; do
  # shellcheck disable=SC2086
  refused 'no device memory' run case.toml --device cpu --set run.transport=nccl $dry
done
if ! "$program" run case.toml --device cuda --dry-run >/dev/null 2>&1; then
  refused 'cannot compute on CUDA here: ' run case.toml --device cuda
fi

# Numerics.
diffusion_case 'steps = 10' >plane.toml
refused 'stable' run plane.toml --set method.time_step=1.0
refused 'dirichlet' run case.toml --set 'boundary.all={type="neumann"}' \
  --set 'boundary.z_lower={type="neumann"}'

# Input files.
refused 'absent.h5' run case.toml --set 'initial={file="absent.h5",dataset="/u"}'
refused 'absent.h5' run case.toml --set 'initial={file="absent.h5",dataset="/u"}' --dry-run
echo "not HDF5" >foreign.h5
refused 'foreign.h5' run case.toml --set 'initial={file="foreign.h5",dataset="/u"}'

# The output directory.
refused 'case.toml is a file' run case.toml --output case.toml
for dry in '' --dry-run; do
  # shellcheck disable=SC2086
  refused 'case.toml is not a directory' run case.toml --output case.toml/results $dry
done
refused '/proc' run case.toml --output /proc/isotherm
expect 0 1 run case.toml --output results --quiet
refused 'u_000010.vtkhdf\|contains the results' run case.toml --output results
expect 0 1 run case.toml --output results --dry-run  # writes nothing, so it only warns
complained "a run would end with this error: results contains the results"
refused 'nothing to resume from' run case.toml --output fresh --resume
refused 'u_000010.vtkhdf is at iteration 10, after the last one of the case, 5$' \
  run case.toml --output results --resume --set method.iterations=5
refused 'precision' run case.toml --output results --resume --set 'grid.precision="float64"'
refused 'points' run case.toml --output results --resume --set 'grid.points=[20,17,14]'
refused 'no-such-file' run case.toml --output fresh --resume no-such-file
refused 'contains the results' run case.toml --output results --resume elsewhere/u_000001.vtkhdf
refused 'which --overwrite would remove: leave one of them out' run case.toml --output results \
  --resume --overwrite
refused 'which --overwrite would remove' run case.toml --output results --overwrite \
  --resume results/u_000010.vtkhdf
expect 0 1 run case.toml --output results --resume --dry-run
said 'would resume  from results/u_000010.vtkhdf, iteration 10'

# Separate processes without common MPI start-up would write the same files.
export PMI_SIZE=4
"$program" run case.toml --output alone --quiet 2>"$work/err" && fail "four runs of one case"
complained "4 processes were started together"
unset PMI_SIZE
mkdir shared
exec {lock}<shared
flock "$lock"
refused 'another run is writing' run case.toml --output shared
exec {lock}<&-
expect 0 1 run case.toml --output shared --quiet

# Results may be replaced; other files remain.
touch results/notes.txt results/u_best.vtkhdf results/u_999999.vtkhdf results/u_888888.vtkhdf.tmp
expect 0 2 run case.toml --output results --overwrite --quiet
[[ -f results/notes.txt && -f results/u_best.vtkhdf && ! -f results/u_999999.vtkhdf &&
  ! -f results/u_888888.vtkhdf.tmp ]] || fail "--overwrite removes the wrong files"

# Dry runs describe the run and write nothing.
expect 0 2 run case.toml --output dry --dry-run --verbose --set checkpoint.every=5
said '2 x 1 x 1\|1 x 2 x 1\|1 x 1 x 2' && said 'memory' && said 'nothing was written'
said '^time  *approximately .* for 10 iterations, without output (estimated: [0-9]* iterations\? of this grid took'
[[ ! -e dry ]] || fail "a dry run left a directory"

# By default a run writes a checkpoint every ten minutes, which the dry run counts separately.
expect 0 1 case.toml --output dry --dry-run
said ' 0 snapshots of .*, 1 whole field of ' && said '^checkpoints  *every 10 min, in the background.*; up to [0-9.]* [kKM]i\?B in addition$'
for key in checkpoint.every_minutes=0 checkpoint.every=5; do
  expect 0 1 case.toml $key --output dry --dry-run
  ! grep -q '^checkpoints' "$work/out" || fail "there is a default in spite of $key"
done

# Help and version, once, whatever the number of ranks.
for words in --help 'run --help' 'info --help' 'verify --help' 'compare --help' 'new --help' 'bench --help' \
             'bench sweep --help' 'bench tune --help' 'bench solve --help' --version; do
  # shellcheck disable=SC2086
  expect 0 2 $words
  [[ $(grep -c 'Usage:\|^isotherm [0-9]' "$work/out") == 1 ]] || fail "isotherm $words speaks twice or not"
done

# A dry run refuses what a run refuses, with the same message.
both() {
  answered "$1" run "${@:2}"
  answered "$1" run "${@:2}" --dry-run
}
cat >free.toml <<'CASE'
[grid]
points = [17, 17]
[equation]
type = "laplace"
[boundary]
all = { type = "neumann", value = 0.35 }
[method]
tolerance = 1e-6
CASE
both '^isotherm: free.toml:6: \[boundary\] all.*: no steady solution: .*fluxes through the faces add up to 1.4 ' free.toml
both 'no steady solution' free.toml --set method.iterations=0
cat >patch.toml <<'CASE'
[grid]
points = [17, 17]
[equation]
type = "laplace"
[boundary]
all = { type = "neumann" }
[[boundary.patch]]
face = "x_upper"
box = { lower = [1.0, 0.25], upper = [1.0, 0.5] }
type = "flux"
power = 50.0
[method]
tolerance = 1e-6
CASE
both '^isotherm: patch.toml:11: \[boundary.patch\] power = 50.0: no steady solution: .*fluxes through the faces add up to 50 ' patch.toml
# Values of --set end with the first one, so the case may follow.
expect 0 1 run --set 'method.iterations=1' free.toml --set 'boundary.all.value=0' --dry-run
both '\[boundary\] all: the flux through the face (its value times the coefficient .*) is not a finite number' \
  free.toml --set 'boundary.all={type="robin", coefficient=1e300, value=1e300}'
both '\[equation\] source: the source is not 0, but in units of the grid it is too small for float32 everywhere' \
  free.toml --set grid.precision=float32 --set 'boundary.all={type="dirichlet"}' \
  --set equation.type=poisson --set 'equation.source=1e-300*x'
# Everything that is evaluated on the whole grid is limited first.
both '\[grid\] points makes .* points, which need more than' free.toml --set 'grid.points=[100000000, 2000000]' \
  --set equation.type=diffusion --set 'equation.conductivity=1+x' --set method.name=ftcs \
  --set method.time_step=stable --set method.steps=1 --set '!method.tolerance'
# Probes need memory.
{
  cat free.toml
  for i in {1..200}; do
    printf '[[probe]]\nname = "p%d"\nfrom = [0.0, 0.0]\nto = [1.0, 1.0]\npoints = 100000\n' "$i"
  done
} >probes.toml
said_memory=$("$program" run probes.toml --dry-run --set 'boundary.all={type="dirichlet"}' --device cpu 2>&1 || true)
[[ $said_memory =~ (memory +[0-9.]+ GiB|probe.*storing their values needs) ]] || fail "probes are not counted: $said_memory"

# A quiet run reports that it missed its tolerance.
expect 3 1 run free.toml --quiet --set 'boundary.all={type="dirichlet", value="exp(x*y)"}' \
  --set '!method.tolerance' --set method.absolute_tolerance=1e-300
complained 'the absolute_tolerance 1e-300 is not reached'
echo "refusals: all as they should be"
