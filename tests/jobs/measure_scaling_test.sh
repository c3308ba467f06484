#!/usr/bin/env bash
# measure_scaling_test.sh PROGRAM SOURCE_DIR: measure-scaling.sh runs all its parts on a few ranks
# of this machine, on small grids, and reports failures. ISOTHERM_TEST_BACKEND: see support.sh.
in_memory=yes
source "$(dirname "$0")/../app/support.sh"
export SMALL=1 DEVICE=$device RANKS="1 2" FIELD_RANKS="1 3"
export OMP_NUM_THREADS=1
unset QUICK LONG TIME MPIRUN

# measure CODE ARGUMENT...: runs the script and expects this exit code
measure() {
  local code=0
  ISOTHERM=${stand_in:-$program} bash "$source_dir/docs/developer/measure-scaling.sh" "${@:2}" >"$work/out" 2>"$work/err" || code=$?
  ((code == $1)) || fail "exit code $code instead of $1 from: measure-scaling.sh ${*:2}"
}
refused() { # PATTERN ARGUMENT...
  measure 2 "${@:2}"
  complained "$1"
  [[ $(wc -l <"$work/err") == 1 ]] || fail "more than one line from: measure-scaling.sh ${*:2}"
}

measure 0 all
for method in jacobi ftcs; do said "^ok *ranks *$method: fields of 1 3 ranks have the same bits"; done
said '^ok *ranks *multigrid: fields of 1 3 ranks differ by at most 1e-8'
said '^ok *checkpoint *by 2 ranks at work, resumed by one: the same bits'
said '^ok *kill *rank 1 of 2 killed: ended in .* s, exit code [1-9]'
said '^ok *solve *17³, constant: cycles [0-9]* [0-9]* on ranks 1 2, within one'
said '^note *solve *12³ per rank, smooth, ranks 1 2: [0-9.]* [0-9.]* ms, cycles [0-9]* [0-9]*$'
said '^note *sweeps *jacobi-strong, float64, strong, ranks 2: [0-9.]* ms per step, .* GCell/s, .* %$'
said '^note *sweeps *plane-weak, .*all steps [0-9.]* ms$'
said '^note *sweeps *took [0-9]* s$'
said '^6 hold, 0 fail, 0 not measured; [0-9]* s$'
holds all/summary.txt '^6 hold'
holds all/measured.txt '^strong scaling: 48 x 48 x 48'
holds all/solve-17-strong-constant-2.json '"ranks": 2'
[[ -z $(find all -name '*.vtkhdf') ]] || fail "fields are left that are of no use any more"

# Failed checks, and parts that cannot be measured.
cat >other-fields <<END
#!/usr/bin/env bash
case \$1 in
  compare) echo "400 of 400 points differ"; exit 1 ;;
  run) mkdir -p "\$4" && touch "\$4/u_000200.vtkhdf" ;;
  *) exec "$program" "\$@" ;;
esac
END
cat >too-large <<END
#!/usr/bin/env bash
[[ \$1 != bench ]] || { echo "isotherm: --grid 9x9x9 in float64 does not fit into memory" >&2; exit 2; }
exec "$program" "\$@"
END
chmod +x other-fields too-large
stand_in=$PWD/other-fields measure 1 differ checkpoint
said '^FAILED *checkpoint .* gives another field'
said '^0 hold, 1 fail, 0 not measured'
stand_in=$PWD/too-large measure 0 large solve
said '^missing *solve *solve-17-strong-constant-2: does not fit into memory'
! grep -q '^FAILED' large/summary.txt || fail "what does not fit is called a failure"

refused 'already exists' all
refused "no part 'swim'" new swim
RANKS="1 two" refused "^measure-scaling.sh: RANKS" new
FIELD_RANKS="2 3" refused "FIELD_RANKS must be 1 and other" new
SMALL=yes refused "SMALL must be 0 or 1" new
DEVICE=tpu refused "DEVICE must be" new
MPIRUN=no-mpirun refused "'no-mpirun' is not on the path" new
refused "cannot create .*: Not a directory" all/summary.txt/new
TIME=soon refused "TIME" new
[[ ! -e new ]] || fail "a directory is left of what was refused"
echo "measure-scaling.sh: all parts as they should be"
