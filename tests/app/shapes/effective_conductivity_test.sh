#!/usr/bin/env bash
# effective_conductivity_test.sh PROGRAM SOURCE_DIR: periodic cells with a mean gradient have the effective conductivities of
# laminates (exactly), of the checkerboard, and of arrays of discs and spheres; the field gains the gradient times the period.
in_memory=yes
pictures=no
source "$(dirname "$0")/../support.sh"

# cell CASE POINTS [UPPER]: writes a periodic cell with the mean gradient 1 along x. Its regions are read from the standard input.
cell() {
  { cat <<END; cat; } >"$1.toml"
[boundary]
all = { type = "periodic" }
x   = { type = "periodic", gradient = 1.0 }
[grid]
points = $2
upper = ${3:-[1.0, 1.0]}
[equation]
type = "laplace"
[method]
tolerance = 1e-10
[output]
report = false
quantities = ["energy"]
[run]
device = "$device"
END
}
# component KEY RUN AXIS: prints a component of a vector in summary.json
component() { grep -A3 "\"$1\"" "$2/summary.json" | grep -m1 -o "\"$3\": [^, ]*" | cut -d' ' -f2; }
# effective RUN [AXIS]: prints a component of the effective conductivity
effective() { component effective_conductivity "$1" "${2:-x}"; }
# small NUMBER LIMIT WHAT: expects a number that is zero but for rounding
small() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a ^ 2 <= b ^ 2) }' || fail "$3 is $1 instead of 0"; }
# finds RUN CASE WANTED RELATIVE [OPTION...]: runs a case and compares its effective conductivity along x
finds() {
  expect 0 1 run "$2.toml" --output "$1" --quiet "${@:5}"
  near "$(effective "$1")" "$3" "$4" "the effective conductivity of $1"
}

# A uniform medium: u = G x + constant and the flux −κ G at each point. The value at the end of the period is not that at its
# beginning; between the last point and the end it is interpolated.
cell uniform '[12, 8]' '[1.5, 1.0]' <<'END'
[[probe]]
name   = "line"
from   = [0.0, 0.5]
to     = [1.5, 0.5]
points = 13
END
for method in direct multigrid; do
  finds uniform-$method uniform 2.5 1e-14 --set equation.conductivity=2.5 --set method.name=$method --set boundary.x.gradient=3
  tail -13 uniform-$method/probe_line.csv | awk -F, 'NR == 1 { first = $5 }
    ($5 - first - 3 * $2) ^ 2 > 1e-26 { exit 1 }' || fail "u is not linear"
  near "$(column uniform-$method/quantities.csv energy)" 16.875 1e-13 "the energy of a uniform field"
done
# Its linear part continues beyond the end of the period when the field is smoothed, put on other points and compared.
expect 0 1 smooth uniform-direct --width 0.2 --output smooth.vtkhdf
expect 0 1 compare uniform-direct smooth.vtkhdf --tolerance 1e-12
expect 0 1 resample uniform-direct --points 25x16 --shift 0.1,0 --output fine.vtkhdf
expect 0 1 resample fine.vtkhdf --like uniform-direct/u_*.vtkhdf --shift -0.1,0 --cubic --output back.vtkhdf
expect 0 1 compare uniform-direct back.vtkhdf --tolerance 1e-12
expect 0 1 run uniform.toml --output start --quiet --set 'initial={file="smooth.vtkhdf", resample="linear"}' \
  --set 'grid.points=[25, 8]' --set equation.type=diffusion --set 'method={name="ftcs", steps=0}' --set boundary.x.gradient=3
expect 0 1 compare start uniform-direct --tolerance 1e-12
expect 2 1 resample uniform-direct --rotate 10 --output turned.vtkhdf
complained '--rotate: .* has a mean gradient along its periodic x axis'
printf '1 1 1\n' >sum.txt
expect 2 1 smooth uniform-direct --weights sum.txt --output sum.vtkhdf
complained '--weights: .* has a mean gradient along its periodic x axis'
finds anisotropic uniform 2 1e-14 --set 'equation.conductivity=[2, 3]'
small "$(effective anisotropic y)" 1e-14 "the flux across the gradient"

# Laminates: harmonic mean across the layers, for surfaces anywhere and an end of the period in either material, and arithmetic
# mean along them. The resistances of two contacts are in series. The mean flux times the gradient is twice the energy.
cell laminate '[17, 6]' <<'END'
[[material]]
name         = "layer"
box          = { lower = [0.33, 0.0], upper = [0.71, 1.0] }
conductivity = 10.0
END
finds across laminate 1.5197568389057751 1e-13
near "$(column across/quantities.csv energy)" 0.75987841945288753 1e-13 "the energy of a laminate"
finds shifted laminate 1.5197568389057751 1e-13 --set 'material.0.box={lower=[0.62, 0.0], upper=[1.0, 1.0]}'
finds at-end laminate 1.7331022530329288 1e-13 --set 'material.0.box={lower=[0.5, 0.0], upper=[0.97, 1.0]}'
finds contact laminate 1.2870012870012868 1e-13 --set 'material.0.box={lower=[0.5, 0.0], upper=[0.97, 1.0]}' \
  --set 'contact=[{between=["layer", "equation"], resistance=0.1}]'
finds float32 laminate 1.5197568389057751 1e-6 --set 'grid.precision="float32"' --set method.tolerance=1e-5
expect 0 1 run laminate.toml --output along --quiet --set 'boundary.x={type="periodic"}' --set 'boundary.y={type="periodic", gradient=-2}'
near "$(effective along y)" 4.42 1e-13 "the conductivity along layers"
for method in ftcs rkl2 backward_euler; do
  expect 0 1 run laminate.toml --output $method --quiet --set equation.type=diffusion --set 'initial.value="x"' \
    --set "method={name=\"$method\", time_step=$([[ $method == ftcs ]] && echo 1e-4 || echo 1e-2), steps=$([[ $method == ftcs ]] && echo 4000 || echo 200)}"
  near "$(component mean_flux $method x)" -1.5197568389057751 1e-8 "the mean flux of $method"
done

# A source drives a flux, too, so there is no effective conductivity.
expect 0 1 run laminate.toml --output heated --quiet --set equation.type=poisson --set 'equation.source="sin(2*pi*x)"' \
  --set 'equation.compatible="project"'
holds heated/summary.json '"effective_conductivity": null'

# One dimension, with a conductivity that varies smoothly: the harmonic mean.
cat >line.toml <<END
[grid]
points = [20]
upper = [2.0]
[equation]
type = "laplace"
conductivity = "1 + 0.5*sin(pi*x)"
[boundary]
x = { type = "periodic", gradient = 2.0 }
[output]
report = false
END
finds line line 0.86602540378443865 1e-8

# The checkerboard of 1 and 4: √(1 · 4) (J. B. Keller, 1964; A. M. Dykhne, 1971).
cell board '[32, 32]' <<'END'
[[material]]
box          = { lower = [0.0, 0.0], upper = [0.5, 0.5] }
conductivity = 4.0
[[material]]
box          = { lower = [0.5, 0.5], upper = [1.0, 1.0] }
conductivity = 4.0
END
finds board-32 board 2 0.015
finds board-128 board 2 0.003 --set 'grid.points=[128, 128]'

# Square array of discs of the radius 0.3: pores, conductors of 50 and perfect conductors. Values from the formula of W. T.
# Perrins, D. R. McKenzie and R. C. McPhedran (Proc. R. Soc. A 369, 207, 1979).
cell disc '[64, 64]' <<'END'
END
ball='ball={center=[0.5, 0.5], radius=0.3}'
finds pores disc 0.558485 3e-4 --set "insulated=[{$ball}]"
finds discs disc 1.747806 1e-3 --set "material=[{$ball, conductivity=50}]"
finds perfect disc 1.790560 2e-4 --set "fixed=[{$ball, value=7}]"
near "$(awk -F, 'END { printf "%.17g", 2 * $2 }' perfect/quantities.csv)" "$(effective perfect)" 1e-8 "twice the energy of perfect conductors"
# A corner of the period in the disc.
cell corners '[64, 64]' <<'END'
[[material]]
ball = { center = [0.0, 0.0], radius = 0.3 }
conductivity = 50
[[material]]
ball = { center = [1.0, 0.0], radius = 0.3 }
conductivity = 50
[[material]]
ball = { center = [0.0, 1.0], radius = 0.3 }
conductivity = 50
[[material]]
ball = { center = [1.0, 1.0], radius = 0.3 }
conductivity = 50
END
finds corners corners "$(effective discs)" 1e-9
# Fixed regions next to the end of the period: the links across it contain the gain, also those of a floating conductor.
cell slab '[10]' '[1.0]' <<'END'
END
sed -i '/^all = /d' slab.toml
finds slab-lower slab 1.4285714285714286 1e-12 --set 'fixed=[{box={lower=[0.0], upper=[0.3]}, value=2}]'
finds slab-upper slab 1.4285714285714286 1e-12 --set 'fixed=[{box={lower=[0.65], upper=[0.95]}, value=2}]'
for ranks in 1 3; do
  floating=$([[ $ranks == 1 ]] && echo '[0.85], upper=[0.95]' || echo '[0.0], upper=[0.1]')
  expect 0 $ranks run slab.toml --output "floating-$ranks" --quiet \
    --set "fixed=[{box={lower=[0.4], upper=[0.5]}, value=0}, {box={lower=$floating}, floating=true}]"
  near "$(effective "floating-$ranks")" 1.25 1e-9 "the conductivity with a floating conductor at the end"
done
# A floating conductor has the value of its neighbour plus half of the gain.
cell pair '[64, 64]' <<'END'
[[fixed]]
ball  = { center = [0.25, 0.5], radius = 0.1 }
value = 0.0
[[fixed]]
name  = "float"
ball  = { center = [0.75, 0.5], radius = 0.1 }
floating = true
END
cell half '[32, 64]' '[0.5, 1.0]' <<'END'
[[fixed]]
ball  = { center = [0.25, 0.5], radius = 0.1 }
value = 0.0
END
expect 0 1 run half.toml --output half --quiet
finds pair pair "$(effective half)" 1e-8
near "$(grep -A2 '"float": {' pair/summary.json | grep -o '"value": [^,]*' | cut -d' ' -f2)" 0.5 1e-8 "the value of a floating disc"

# A simple cubic array of insulated spheres of the radius 0.4: formula of A. S. Sangani and A. Acrivos (Proc. R. Soc. A
# 386, 263, 1983).
cell spheres '[32, 32, 32]' '[1.0, 1.0, 1.0]' <<'END'
[[insulated]]
ball = { center = [0.5, 0.5, 0.5], radius = 0.4 }
END
finds spheres spheres 0.643504 4e-4 --set method.tolerance=1e-7

# Reciprocity: the tensor of a cell without symmetry is symmetric.
cell oblique '[24, 20]' <<'END'
[[material]]
where        = "abs(x - 0.4 - 0.3*y) < 0.15"
conductivity = 20.0
END
expect 0 1 run oblique.toml --output by-x --quiet
expect 0 1 run oblique.toml --output by-y --quiet --set 'boundary.x={type="periodic"}' --set 'boundary.y={type="periodic", gradient=1.0}'
near "$(effective by-x y)" "$(effective by-y x)" 1e-8 "the off-diagonal conductivity"

# The same bits on any number of ranks by methods without sums over ranks.
for ranks in 1 2 3; do
  isotherm $ranks run disc.toml --output on-$ranks --quiet --set "fixed=[{$ball, value=7}]" --set 'grid.points=[24, 20]' \
    --set 'method={name="jacobi", iterations=300}' || fail "a run on $ranks ranks"
  isotherm $ranks run uniform.toml --output flat-$ranks --quiet --set equation.type=diffusion \
    --set 'method={name="ftcs", time_step="stable", steps=40}' || fail "a run on $ranks ranks"
done
for ranks in 2 3; do
  same_field on-1 on-$ranks
  same_field flat-1 flat-$ranks
done
cmp <(grep -A8 '"mean_flux"' on-1/summary.json) <(grep -A8 '"mean_flux"' on-3/summary.json) || fail "another mean flux"

# Refusals.
refuses() { refused_run "$1" disc.toml "${@:2}"; }
refuses 'gradient applies only to type = "periodic"' --set 'boundary.y={type="neumann", gradient=1}'
refuses 'x_lower has the gradient 2, but x_upper has 1' --set 'boundary.x_lower={type="periodic", gradient=2}'
refuses 'gradient cannot be combined with dirichlet faces' --set 'boundary.y={type="dirichlet"}'
refuses 'gradient cannot be combined with robin faces' --set 'boundary.y={type="robin", coefficient=1}'
refuses 'gradient cannot be combined with coefficients that depend on u' --set 'equation.conductivity="1 + u^2"'
refuses 'gradient cannot be combined with \[equation\] reaction' --set equation.reaction=1
refuses 'gradient needs two points or more on the x axis' --set 'grid.points=[1, 8]'
refuses 'holds on both sides of the periodic end of the x axis' --set 'fixed=[{ball={center=[0.95, 0.5], radius=0.1}, value=1}]'
expect 2 1 run perfect/case.toml --output perfect --resume --set boundary.x.gradient=2
complained 'x_lower is "periodic 2", but the file has "periodic 1"'
expect 0 1 table across along --columns effective_conductivity.x
said '1.51976'
