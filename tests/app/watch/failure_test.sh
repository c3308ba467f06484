#!/usr/bin/env bash
# failure_test.sh PROGRAM SOURCE_DIR: a failing run ends immediately, on all ranks, with exit code 1
# and a reason, and leaves complete files only.
in_memory=yes
source "$(dirname "$0")/../support.sh"

# limited BLOCKS_OF_1_KIB COMMAND...: limits the size of files, which acts like a full disk (the
# launcher needs some megabytes itself)
cat >"$work/limited" <<'END'
#!/usr/bin/env bash
ulimit -f "$1"
exec "${@:2}"
END
chmod +x "$work/limited"

# Incompressible values, whose size is not refused before the run.
diffusion_case 'steps = 40' >case.toml
options=(--set 'grid.points=[1401,1399]' --set 'initial={value="sin(1e6*x*y)"}' --set output.compression=1
         --set output.picture=false --set checkpoint.every=10)

broken() {
  local code=0
  timeout 600 "$@" >"$work/out" 2>"$work/err" || code=$?
  ((code == 1)) || fail "exit code $code instead of 1"
  complained "isotherm: "
}
whole_files() {
  local file
  ! compgen -G "$1/*.tmp" >/dev/null || fail "a temporary file is left in $1"
  for file in "$1"/u_*.vtkhdf; do
    [[ ! -e $file ]] || expect 0 1 info "$file"
  done
}

# Without a launcher a smaller file suffices.
small=("${options[@]}" --set 'grid.points=[401,399]')
broken "$work/limited" 1000 "$program" run case.toml "${small[@]}" --output full1
whole_files full1
holds full1/summary.json '"status": "failed"' && holds full1/run.log "error: "
# The reason without a place in the sources, which appears on request only.
names_source() { grep -qE '[a-z_]+\.(cpp|hpp|cu|cuh):[0-9]+' "$@"; }
! names_source "$work/err" full1/summary.json full1/run.log || fail "a message names a line of the sources"
broken "$work/limited" 1000 "$program" run case.toml "${small[@]}" --output full1 --overwrite --verbose
names_source "$work/err" || fail "--verbose does not name the place of a failure"
broken env ISOTHERM_DEBUG=1 "$work/limited" 1000 "$program" run case.toml "${small[@]}" --output full1 \
  --overwrite
names_source "$work/err" || fail "ISOTHERM_DEBUG does not name the place of a failure"
broken "$work/limited" 12000 mpirun -n 3 "$program" run case.toml "${options[@]}" --output full3
whole_files full3

# Only one rank reaches the limit: the root, which writes the tables.
broken mpirun -n 1 "$work/limited" 12000 "$program" run case.toml "${options[@]}" --output full-root : \
  -n 2 "$program" run case.toml "${options[@]}" --output full-root
whole_files full-root

# Earlier files survive such a failure, and are resumed when there is space again.
expect 0 2 run case.toml "${options[@]}" --set method.steps=20 --output later --quiet
broken "$work/limited" 12000 mpirun -n 2 "$program" run case.toml "${options[@]}" --output later --resume
whole_files later
expect 0 2 run case.toml "${options[@]}" --output later --resume --quiet
expect 0 1 run case.toml "${options[@]}" --output whole --quiet
same_field later/u_000040.vtkhdf whole/u_000040.vtkhdf

# A field that breaks down after the last residual is neither a result nor a checkpoint.
diffusion_case 'steps = 40' 'check_every = 0' >breaking.toml
for ranks in 1 2; do
  broken mpirun -n $ranks "$program" run breaking.toml --set 'equation.source=sqrt(0.01 - t)' \
    --set checkpoint.every=5 --output breaking$ranks
  complained "no longer finite"
  holds breaking$ranks/summary.json '"status": "failed"'
  [[ -f breaking$ranks/u_000005.vtkhdf && ! -e breaking$ranks/u_000040.vtkhdf ]] || fail "wrong files are left"
done

# If files may hardly grow at all, no rank waits for another that cannot share memory with it.
code=0
timeout 600 mpirun -n 3 bash -c 'ulimit -f 8; exec "$@"' bash "$program" run case.toml --output hardly \
  >"$work/out" 2>"$work/err" || code=$?
((code == 1)) || fail "exit code $code instead of 1"

# Ranks that were started with different arguments do not wait for each other, or solve parts of
# different cases. different MESSAGE ARGUMENT...: those of rank 1; rank 0 has `run case.toml --output odd`
different() {
  local code=0
  timeout 600 mpirun -n 1 "$program" run case.toml --output odd : -n 1 "$program" "${@:2}" \
    >"$work/out" 2>"$work/err" || code=$?
  ((code == 2)) || fail "exit code $code instead of 2"
  complained "^isotherm: rank 1 has other arguments than rank 0: $1\$"
  [[ ! -e odd ]] || fail "ranks with different arguments have started a run"
}
different 'argument 2 is "--nonsense", that of rank 0 is "case.toml"' run --nonsense
different 'argument 5 is "--set", that of rank 0 is missing' run case.toml --output odd --set grid.precision=float64
different 'argument 3 is missing, that of rank 0 is "--output"' run case.toml
different 'argument 1 is "bench", that of rank 0 is "run"' bench sweep
echo "failures: all as they should be"
