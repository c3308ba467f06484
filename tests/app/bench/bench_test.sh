#!/usr/bin/env bash
# bench_test.sh PROGRAM SOURCE_DIR: benchmarks succeed on any number of ranks, and runs can read the
# table that tune writes. ISOTHERM_TEST_BACKEND: see support.sh.
in_memory=yes
source "$(dirname "$0")/../support.sh"
one_run=(--device "$device" --repeat 1)
once=("${one_run[@]}" --batch 0.001)

# Three numbers next to those of other machines. A grid of one's own has nothing to compare with.
expect 0 1 bench --grid 33x33x33 --json machine.json "${once[@]}"
said '^ *here  *2 cores  *16 cores  *H100$' && said '^copies of memory, GB/s  *[0-9.]*  *28  *-  *3000$'
said "^Poisson's equation, 33 x 33 x 33, ms  *[0-9.]*  *-  *-  *-$"
said '^A steady problem of 33 x 33 x 33 points takes .* here\.$' && holds machine.json '"solution_ms": [0-9]'

expect 0 1 bench --grid 17x9 "${once[@]}"
said '^Jacobi sweeps, 17 x 9, GCell/s ' && said "^Poisson's equation, 17 x 9, ms "

# Every plan, including the resident one, with a source.
expect 0 1 bench sweep --grid 40x30 --precision float64 --boundary periodic --equation diffusion \
  --source --json sweep.json "${once[@]}"
said 'with a source' && said '^float64  plain '
# positive FILE KEY: each row has a positive number for the key
positive() {
  python3 - "$@" <<'END' || fail "$1 has no numbers: $(cat "$1")"
import json, math, sys
rows = json.load(open(sys.argv[1]))["rows"]
assert rows and all(row[sys.argv[2]] > 0 and math.isfinite(row[sys.argv[2]]) for row in rows)
END
}
positive sweep.json ms_per_iteration && positive sweep.json gcells_per_second
if [[ $device == cpu ]]; then  # on the CPU any grid can be resident
  said '^float64  resident  *any ' && holds sweep.json '"iterations_per_pass": null'
fi
expect 0 1 bench sweep --grid 20x20x20 --plan plain --explain --json plain.json "${once[@]}"
said '^ *a point and step: 8 bytes, 6 operations$' && said '^ *bounds: memory .*; reached .* of the bound by '
[[ $device == cpu ]] || said '^ *sweep_plain: [0-9]* blocks of 256 threads; [0-9]* registers, '
[[ $(grep -c '"plan": "plain"' plain.json) == 2 ]] || fail "not the plain plan in both precisions: $(cat plain.json)"
if [[ $device == cpu ]]; then  # where a resident grid is swept from memory
  expect 0 1 bench sweep --grid 20x20 --plan resident --explain "${once[@]}"
  said '^ *a point and step: 8 bytes, 4 operations$' && ! grep -q 'memory not known' "$work/out" || fail "no bytes"
fi

# The medium is part of the result, and an unknown plan is refused before a table begins.
expect 0 1 bench sweep --grid 12x12 --plan plain --conductivity ball --json ball.json "${once[@]}"
said '^laplace, dirichlet boundaries, ball conductivity, 12 x 12 points$' && holds ball.json '"conductivity": "ball"'
expect 2 1 bench sweep --grid 12x12 --plan nonsense "${once[@]}"
complained '^isotherm: there is no sweep plan "nonsense" here' && ! grep -q '^numbers' "$work/out" || fail "a table began"

# Complete solutions, on ranks that share a level and on ranks that do not.
for ranks in 1 2; do
  expect 0 "$ranks" bench solve --grid 40x33x34 --precision both --json solve.json "${one_run[@]}"
  said '^float64  *multigrid  *1e-10 ' && said '^float64  *direct  *1e-10  *1 ' && holds solve.json '"converged": true' && positive solve.json cycles
  positive solve.json gdof_per_second && positive solve.json relative_residual
done
said ' est\. ms  *setup ms  *est\. setup$'

# Without an unknown point there is nothing to measure.
for part in solve sweep scaling; do
  for grid in 2x2x2 9x2; do
    expect 2 1 bench $part --grid $grid "${one_run[@]}"
    complained 'has 2 points on the . axis, so no value is unknown'
  done
done
expect 2 1 bench --grid 9x2 "${once[@]}"

# Media in which coarser grids converge slowly.
for medium in strips pores; do
  expect 0 1 bench solve --grid 65x65 --conductivity $medium --precision float64 --json hard.json "${one_run[@]}"
  [[ $(grep -c '"converged": true' hard.json) == 2 ]] || fail "$medium: $(cat "$work/out")"
done

# Transforms along each axis, of each kind that the axis has, and a whole solution.
expect 0 1 bench transform --grid 9x8x5 --precision both --json transform.json "${once[@]}"
said '^float64  x  *fft  *to_modes ' && said '^float32  z  *dense  *solve '
said '^float64  all  *fft x fft x fft  *solution '
positive transform.json ms && positive transform.json bytes_per_second && positive transform.json share_of_copy
# 2 · 11 intervals have no fast transform.
expect 0 2 bench transform --grid 23x9 --boundary neumann --json plane.json "${once[@]}"
said '^float64  all  *tridiagonal x fft  *solution ' && said '^float64  x  *tridiagonal  *solve ' && ! grep -q '^float64  [xz]  *fft' "$work/out"
expect 2 1 bench transform --grid 23x23 --kind fft "${once[@]}"
complained '^isotherm: --kind fft: no axis of --grid has such a transform$'
expect 2 1 bench transform --grid 2x9 "${once[@]}"
complained 'has 2 points on the x axis, so no value is unknown$'

# The published cases in a small size, by the plans of the program, and on a GPU by each kernel with a block
# shape. Every field equals that of one core. 12 x 20 x 12 threads of a block do not divide the grid.
shapes=()
[[ $device == cpu ]] || shapes=(--shapes "4x3x2,8x4")
expect 0 1 bench classic --points 33 "${shapes[@]}" --json classic.json "${one_run[@]}"
said '^laplace: 33 x 33 x 33 points, float32, 20 iterations$' && said '^diffusion: 33 x 33 points, float64, 2000 iterations$'
said '^plain  *[0-9.]* ' && positive classic.json kernel_ms && positive classic.json speed_up_one_core
python3 - "$device" <<'END' || fail "the fields differ: $(cat classic.json)"
import json, sys
rows = json.load(open("classic.json"))["rows"]
assert all(row["largest_difference"] == 0 and row["rms_difference"] == 0 for row in rows)
plans = [row["plan"] for row in rows if row["case"] == "laplace"]
wanted = {"cuda": ["plain 4x3x2", "march 4x3x2", "shared 4x3x2", "plain 8x4"], "cpu": ["plain", "wavefront-4"]}
assert set(wanted[sys.argv[1]]) <= set(plans), plans
# A sweep of the periodic case starts a second kernel, for the halo.
launches = {row["case"]: row["launches"] for row in rows if row["plan"] == "plain"}
assert launches == ({"laplace": 20, "diffusion": 4000} if sys.argv[1] == "cuda" else dict.fromkeys(launches)), launches
END
expect 0 1 plot classic.json --output classic.svg
for shape in 16 16x 16x0 16x16x16x1 2000x1 x16; do
  expect 2 1 bench classic --shapes "$shape" "${one_run[@]}"
  complained "^isotherm: --shapes: \"$shape\" is not the shape of a block"
done
for part in 'classic --points 9' 'tune --quick --largest 8'; do
  expect 2 1 bench $part --shapes 16x16 --device cpu
  complained '^isotherm: --shapes: kernels with a block shape need a GPU, but this runs on the CPU$'
done
for seconds in nan -nan NaN; do
  expect 2 1 bench sweep --grid 9x9 --device cpu --batch=$seconds
  complained "^isotherm: --batch: $seconds is not a number"
done
# These time whole runs, not batches.
for part in solve classic shared; do
  expect 2 1 bench $part "${once[@]}"
  complained "^isotherm: \"--batch\" is not an option of isotherm bench $part "
done
expect 2 1 bench classic --case laplace-17 "${one_run[@]}"
complained '^isotherm: --case: there is no case "laplace-17" (valid: laplace-512, laplace-1024, diffusion-960)$'
expect 2 1 bench classic --points 100000 "${one_run[@]}"
complained '^isotherm: bench classic: no case fits into memory (use --points)$'
expect 2 2 bench classic --points 9 "${one_run[@]}"
complained '^isotherm: bench classic measures one rank, but there are 2'

# Shared memory exists on GPUs only.
if [[ $device == cuda ]]; then
  expect 0 1 bench shared --sizes 40,70 --steps 3,5 --json shared.json "${one_run[@]}"
  [[ $(grep -c '"gain"' shared.json) == 8 ]] || fail "not two sizes, numbers of steps and dimensions: $(cat shared.json)"
  positive shared.json gain
  expect 0 1 plot shared.json --output shared.svg
  for plan in 'plain 64x32' 'march 1x1x65' 'shared 1024x1x1'; do
    expect 2 1 bench sweep --grid 20x20x20 --plan "$plan" "${once[@]}"
    complained "^isotherm: the sweep plan \"$plan\": "
  done
else
  expect 2 1 bench shared "${one_run[@]}"
  complained '^isotherm: bench shared compares kinds of memory of a GPU'
fi

# Sums of numbers that no form divides evenly.
for points in 1 3 10007; do
  expect 0 1 bench reduce --points $points --json reduce.json "${once[@]}"
  positive reduce.json bytes_per_second
  python3 -c 'import json
rows = json.load(open("reduce.json"))["rows"]
assert len(rows) > 3 and all(row["relative_error"] < 1e-5 for row in rows), rows' || fail "a sum is wrong"
done

# A table of weights, and the terms of a sum, from each memory: the same bits.
expect 0 1 bench smooth --grid 40x33 --table 1,9 --json smooth.json "${once[@]}"
positive smooth.json ms && said '^9 x 9 ' && said '^9 x 9  *by axes '
expect 0 1 bench smooth --grid 12x13x14 --json cube.json "${once[@]}"
said '^3 x 3 x 3 ' && said '^7 x 7 x 7 '
python3 -c 'import json
rows = [row for row in json.load(open("cube.json"))["rows"] if row["memory"] == "by axes"]
assert [row["weights"] for row in rows] == [9, 15, 21], rows
assert all(0 < row["largest_difference"] < 1e-6 for row in rows), rows' || fail "lines are not the table"
expect 0 1 bench gaussians --points 24 --json gaussians.json "${once[@]}"
positive gaussians.json terms_per_second && said '^g(x, y), the integral of exp(u) along z, lies between '
python3 - "$device" <<'END' || fail "a memory gives other bits: $(cat smooth.json gaussians.json)"
import json, sys
smooth, sums = (json.load(open(name))["rows"] for name in ("smooth.json", "gaussians.json"))
lines = [row["largest_difference"] for row in smooth if row["memory"] == "by axes" and row["weights"] == 18]
assert len(lines) == 1 and 0 < lines[0] < 1e-6, lines  # the same filter, rounded after each axis
assert all(row["largest_difference"] == 0 for row in smooth + sums if row["memory"] != "by axes")
wanted = {"cuda": ["global", "shared", "constant"], "cpu": ["memory"]}[sys.argv[1]]
assert set(wanted) <= {row["memory"] for row in smooth} and [row["memory"] for row in sums] == wanted
END
expect 0 1 bench resample --points 17 --json resample.json "${once[@]}"
positive resample.json points_per_second && said '^nearest ' && said '^linear ' && said '^spline '
if [[ $device == cuda ]]; then
  python3 -c 'import json
errors = {row["interpolation"]: row["largest_error"] for row in json.load(open("resample.json"))["rows"]}
assert errors["texture linear"] < 3 / 512 + 1e-5, errors' || fail "texture units err: $(cat resample.json)"
fi
for file in smooth gaussians resample; do
  expect 0 1 plot "$file.json" --output "$file.svg"
done
for width in 2 -1 65; do
  expect 2 1 bench smooth --grid 9x9 --table "$width" "${once[@]}"
  complained "^isotherm: --table: $width is not the width of a table"
done

# A lost table is a failure.
code=0
"$program" bench sweep --grid 12x12 --plan plain "${once[@]}" >/dev/full 2>"$work/err" || code=$?
((code == 1)) && complained '^isotherm: cannot write the output (is the disk full?)$' || fail "exit code $code"

# On several ranks only plans that their parts allow.
expect 0 3 bench sweep --grid 12x12 --precision float32 "${once[@]}"
said '^float32  plain'
! grep -q 'resident' "$work/out" || fail "several ranks cannot have a resident grid"

# Tune: a row for each kind of sweep, and a table that runs use.
expect 0 1 bench tune --quick --largest 24 --dimension 3 --precision float32 --output plans.toml \
  --json tune.json "${once[@]}"
[[ $(grep -c '24 x 24 x 24' "$work/out") == 4 ]] || fail "not one line for each sort of sweep"
[[ $(grep -c '^\[\[plan\]\]' plans.toml) == 4 ]] || fail "not one row for each sort: $(cat plans.toml)"
holds plans.toml '^# Plans for .*, measured by isotherm bench tune on 20' && holds plans.toml '# with isotherm'
holds plans.toml '^plan = ".*"  # [0-9.e+-]* GCell/s at 24 x 24 x 24$'
positive tune.json ratio_to_default
expect 2 1 bench tune --quick --largest 8 --output ./same --json same "${once[@]}"
complained '^isotherm: --output and --json name the same file (needs two files)$'
[[ ! -e plans.toml.tmp ]] || fail "a temporary file is left"
laplace_case 'iterations = 5' >case.toml
expect 0 1 run case.toml --dry-run -v --set run.plan_table=plans.toml
said '^sweeps .* by .*plans.toml'

expect 0 2 bench tune --quick --largest 16 --dimension 2 --precision float64 "${once[@]}"
[[ $(grep -c '16 x 16' "$work/out") == 4 ]] || fail "two ranks do not tune"
# Output that cannot be written is reported before anything is measured.
expect 2 2 bench sweep --json nowhere/sweep.json "${once[@]}"
complained "^isotherm: --json: there is no directory .*/nowhere"
expect 2 1 bench sweep --json . "${once[@]}"
complained "^isotherm: --json: . is a directory (needs a file)"
# Pipes, devices and other people's files are not replaced.
mkfifo pipe && echo mine >named.json.tmp
expect 2 1 bench sweep --json pipe "${once[@]}"
complained '^isotherm: --json: pipe is not a regular file'
[[ -p pipe ]] || fail "the pipe was replaced"
expect 2 1 bench sweep --json named.json "${once[@]}"
holds named.json.tmp mine
! grep -q GB/s "$work/out" || fail "measured first"
expect 2 2 bench sweep --grid 300000x300000 "${once[@]}"
complained '^isotherm: --grid 300000 x 300000 in float32 does not fit into memory$'
echo "benchmarks: all as they should be"
