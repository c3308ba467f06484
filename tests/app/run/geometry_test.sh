#!/usr/bin/env bash
# geometry_test.sh PROGRAM SOURCE_DIR: cylinders and spheres have their analytic fields and heat
# flows, and keep their heat. ISOTHERM_TEST_BACKEND: see support.sh.
in_memory=yes
source "$(dirname "$0")/../support.sh"

# radial GEOMETRY POINTS LOWER LINE...: prints a case between the radii LOWER and 2; further
# arguments are lines of [equation], up to one that is "--", then whole sections
radial() {
  printf '[grid]\ngeometry = "%s"\npoints = [%s]\nlower = [%s]\nupper = [2.0]\n[equation]\n' "$1" "$2" "$3"
  shift 3
  while [[ $1 != -- ]]; do echo "$1" && shift; done
  printf '%s\n' "${@:2}" '[output]' 'picture = false' 'report = false' 'quantities = ["flux", "mean", "integral"]'
  printf '[run]\ndevice = "%s"\n' "$device"
}
probe=('[[probe]]' 'name = "p"' 'at = [1.5]')
walls=('[boundary]' 'x_lower = { type = "dirichlet", value = 1.0 }' 'x_upper = { type = "dirichlet", value = 0.0 }')
solve=('[method]' 'tolerance = 1e-12')

# Steady conduction between two radii: linear in ln r or in 1/r, on any grid.
radial axisymmetric 9 1.0 'type = "laplace"' -- "${walls[@]}" "${solve[@]}" "${probe[@]}" >cylinder.toml
radial spherical 9 1.0 'type = "laplace"' -- "${walls[@]}" "${solve[@]}" "${probe[@]}" >sphere.toml
for method in direct multigrid; do
  expect 0 1 run cylinder.toml --output cylinder-$method --quiet --set method.name=$method
  near "$(column cylinder-$method/probe_p.csv value)" 0.41503749927884381 1e-10 "the field of a cylinder by $method"
  near "$(column cylinder-$method/quantities.csv flux_x_lower)" 9.0647202836543873 1e-10 "the heat flow of a cylinder"
  expect 0 1 run sphere.toml --output sphere-$method --quiet --set method.name=$method
  near "$(column sphere-$method/probe_p.csv value)" 0.33333333333333333 1e-10 "the field of a sphere by $method"
  near "$(column sphere-$method/quantities.csv flux_x_upper)" -25.132741228718345 1e-10 "the heat flow of a sphere"
done
# The case has one axis, wherever its grid is shown.
expect 0 1 run sphere.toml --dry-run
said '^case .* in 1D, 9 points, '
holds sphere-direct/run.log 'in 1D, 9 points,'
expect 0 1 run sphere.toml --output shown --quiet --set output.report=true
holds shown/report.html 'points</td><td class="number">9</td>'
expect 0 1 info shown/u_0*.vtkhdf --statistics
said '^  points      9, first at (1), spacing (0.125' && said '^    max  *1 at (1), point (0)$'
expect 0 1 picture shown --zoom 1.2,1.7 --output zoomed.png

# Two layers, with the surface at a point of the grid.
layer=('[[material]]' 'conductivity = 4.0' 'box = { lower = [1.5], upper = [2.0] }')
radial axisymmetric 9 1.0 'type = "laplace"' 'conductivity = 1.0' -- "${walls[@]}" "${solve[@]}" "${layer[@]}" >layers.toml
expect 0 1 run layers.toml --output layers --quiet
near "$(column layers/quantities.csv flux_x_lower)" 13.161655823020984 1e-9 "the heat flow through two layers"

# The surface between two points, and a thermal contact there.
expect 0 1 run layers.toml --output between --quiet --set 'material.0.box.lower=[1.53]'
near "$(column between/quantities.csv flux_x_lower)" 12.764537591985643 1e-9 "the heat flow through layers that end between points"
contact=('[[material]]' 'name = "shell"' 'conductivity = 4.0' 'box = { lower = [1.53], upper = [2.0] }'
  '[[material]]' 'name = "core"' 'conductivity = 1.0' 'box = { lower = [1.0], upper = [1.53] }'
  '[[contact]]' 'between = ["shell", "core"]' 'resistance = 0.1')
radial spherical 9 1.0 'type = "laplace"' -- "${walls[@]}" "${solve[@]}" "${contact[@]}" >contact.toml
expect 0 1 run contact.toml --output contact --quiet
near "$(column contact/quantities.csv flux_x_lower)" 29.393469613832497 1e-9 "the heat flow through a contact of two shells"

# A uniform source from the centre on: u = 4 - r², and convection at the surface.
radial axisymmetric 17 0.0 'type = "poisson"' 'source = 4.0' -- '[boundary]' 'all = { type = "dirichlet", value = 0.0 }' \
  "${solve[@]}" '[[probe]]' 'name = "p"' 'at = [0.0]' >rod.toml
sed 's/axisymmetric/spherical/; s/source = 4.0/source = 6.0/' rod.toml >ball.toml
for case in rod ball; do
  expect 0 2 run $case.toml --output $case --quiet --set grid.precision=float64
  near "$(column $case/probe_p.csv value)" 4.0 1e-9 "the centre of a $case"
done
near "$(column rod/quantities.csv flux_source)" 50.26548245743669 1e-12 "the heat of a rod"
near "$(column ball/quantities.csv flux_source)" 201.06192982974676 1e-12 "the heat of a ball"
near "$(column ball/quantities.csv mean)" 1.6 1e-2 "the mean of a ball"
expect 0 1 run rod.toml --output cooled --quiet --set 'boundary.all={ type = "convection", h = 2.0, ambient = 20.0 }'
near "$(column cooled/probe_p.csv value)" 26.0 1e-9 "the centre of a rod that a fluid cools"

# The centre needs no condition. A source in a core that ends between two points puts in its whole
# heat, and layers of a rod or ball with a uniform source have exact fields.
centre=('[boundary]' 'x_upper = { type = "dirichlet", value = 0.0 }')
core=('[[source]]' 'name = "core"' 'box = { lower = [0.0], upper = [0.777] }')
radial axisymmetric 18 0.0 'type = "poisson"' -- "${centre[@]}" "${solve[@]}" "${core[@]}" 'density = 3.0' >core-rod.toml
sed 's/axisymmetric/spherical/' core-rod.toml >core-ball.toml
for case in rod ball; do
  volume=$([[ $case == rod ]] && echo 1.8966705911591 || echo 1.9649507324408)
  expect 0 1 run core-$case.toml --output core-$case --quiet
  for column in flux_source flux_source_core; do
    near "$(column core-$case/quantities.csv $column)" "$(awk -v v=$volume 'BEGIN { printf "%.12g", 3 * v }')" 1e-9 "the heat of a core"
  done
  near "$(column core-$case/quantities.csv flux_x_upper)" "$(awk -v v=$volume 'BEGIN { printf "%.12g", -3 * v }')" 1e-9 "what leaves a $case"
done
shell=('[[material]]' 'conductivity = 5.0' 'box = { lower = [0.777], upper = [2.0] }' '[[probe]]' 'name = "p"' 'at = [0.0]')
radial axisymmetric 18 0.0 'type = "poisson"' 'source = 4.0' -- "${centre[@]}" "${solve[@]}" "${shell[@]}" >layered-rod.toml
sed 's/axisymmetric/spherical/; s/source = 4.0/source = 6.0/' layered-rod.toml >layered-ball.toml
for case in rod ball; do # 0.777² + (4 - 0.777²) / 5
  expect 0 1 run layered-$case.toml --output layered-$case --quiet
  near "$(column layered-$case/probe_p.csv value)" 1.2829832 1e-10 "the centre of a layered $case"
done
# A fixed core on a grid from the axis: 2 pi / ln(2 / 0.777), of second order.
radial axisymmetric 18 0.0 'type = "laplace"' -- "${centre[@]}" "${solve[@]}" '[[fixed]]' 'name = "core"' 'value = 1.0' \
  'box = { lower = [0.0], upper = [0.777] }' >fixed-core.toml
expect 0 1 run fixed-core.toml --output fixed-core --quiet
near "$(column fixed-core/quantities.csv flux_fixed_core)" 6.6456236 2e-3 "what a fixed core gives"

# Along the axis of layered cylinders: conductances, capacities, fluxes and insulation have the areas
# of rings, whether their surfaces are boxes or expressions.
cat >axial.toml <<END
[grid]
geometry = "axisymmetric"
points = [12, 7]
upper = [2.0, 3.0]
[equation]
type = "laplace"
[boundary]
x_upper = { type = "neumann" }
y_lower = { type = "dirichlet", value = 1.0 }
y_upper = { type = "dirichlet", value = 0.0 }
[method]
tolerance = 1e-12
[output]
report = false
picture = false
quantities = ["flux"]
[run]
device = "$device"
END
area=1.8966705911591 # pi 0.777²
for region in 'box = { lower = [0.0, -1.0], upper = [0.777, 4.0] }' 'where = "x < 0.777"' \
  'where = "hypot(x, 0) < 0.777"'; do
  for table in '[[material]]@conductivity = 4.0@12.5663706144+3*1.8966705911591' '[[insulated]]@@12.5663706144-1.8966705911591'; do
    rm -rf axial
    IFS=@ read -r name line flux <<<"$table"
    { cat axial.toml && printf '%s\n' "$name" "$line" "$region"; } >ring.toml
    expect 0 1 run ring.toml --output axial --quiet
    near "$(column axial/quantities.csv flux_y_lower)" "$(awk "BEGIN { printf \"%.12g\", ($flux) / 3 }")" 1e-8 "the axial flow with $name $region"
  done
  rm -rf axial
  { cat axial.toml && printf '%s\n' '[[boundary.patch]]' 'face = "y_lower"' 'type = "flux"' 'value = 2.0' "$region"; } >ring.toml
  expect 0 1 run ring.toml --output axial --quiet --set 'boundary.y_lower={ type = "neumann" }'
  near "$(column axial/quantities.csv flux_y_upper)" "$(awk -v a=$area 'BEGIN { printf "%.12g", -2 * a }')" 1e-8 "the heat of a ring, $region"
  rm -rf axial
  { cat axial.toml && printf '%s\n' '[[material]]' 'capacity = 3.0' "$region"; } >ring.toml
  expect 0 1 run ring.toml --output axial --quiet --set equation.type=diffusion --set initial.value=1 --set method.name=backward_euler \
    --set method.steps=1 --set method.time_step=0.1 --set 'output.quantities=["heat"]' --set 'boundary.all={ type = "neumann" }' \
    --set '!boundary.y_lower' --set '!boundary.y_upper' --set '!method.tolerance'
  near "$(column axial/quantities.csv heat)" "$(awk -v a=$area 'BEGIN { printf "%.12g", 3 * (12.5663706144 + 2 * a) }')" 1e-8 "the heat of layers, $region"
done
# A torus has the volume that Pappus's theorem gives it, 2 pi 0.9 · pi 0.5².
{ cat axial.toml && printf '%s\n' '[[source]]' 'density = 1.0' 'ball = { center = [0.9, 1.3], radius = 0.5 }'; } >torus.toml
expect 0 1 run torus.toml --output torus --quiet --set equation.type=poisson
near "$(column torus/quantities.csv flux_source)" 4.4413219805 1e-9 "the volume of a torus"

# Two dimensions: (1 - r²/4)(1 - y²) has differences that are exact.
cat >plane.toml <<END
[grid]
geometry = "axisymmetric"
points = [17, 33]
lower = [0.0, -1.0]
upper = [2.0, 1.0]
[equation]
type = "poisson"
source = "(1 - y^2) + 2*(1 - x^2/4)"
[boundary]
all = { type = "dirichlet", value = 0.0 }
[method]
tolerance = 1e-11
[[probe]]
name = "p"
at = [0.0, 0.0]
[output]
report = false
quantities = ["flux"]
[run]
device = "$device"
END
for method in direct multigrid; do
  expect 0 1 run plane.toml --output plane-$method --quiet --set method.name=$method
  near "$(column plane-$method/probe_p.csv value)" 1.0 1e-8 "the centre by $method"
  near "$(column plane-$method/quantities.csv flux_source)" 41.887902 5e-3 "the heat of the source"
done
expect 0 3 run plane.toml --output plane-3 --quiet --set method.name=multigrid
expect 0 1 compare plane-3/u_*.vtkhdf plane-multigrid/u_*.vtkhdf --tolerance 1e-9

# A ball that cools: 2 Σ (-1)^(n+1) exp(-n² π² D t / R²) at its centre. An insulated one keeps its heat.
radial spherical 65 0.0 'type = "diffusion"' 'diffusivity = 4.0' -- '[boundary]' \
  'x_upper = { type = "dirichlet", value = 0.0 }' 'x_lower = { type = "neumann", value = 0.0 }' \
  '[initial]' 'value = 1.0' '[method]' 'name = "crank_nicolson"' 'time_step = 0.0025' 'end_time = 0.1' \
  '[[probe]]' 'name = "p"' 'at = [0.0]' >quench.toml
expect 0 1 run quench.toml --output quench --quiet
near "$(column quench/probe_p.csv value)" 0.707100348 1e-3 "the centre of a ball that cools"
near "$(column quench/quantities.csv mean)" 0.229521262 2e-3 "the mean of a ball that cools"
expect 0 1 run quench.toml --output stopped --set 'method.stop=probe p < 0.7071'
near "$(stop_time stopped)" 0.1 2e-3 "the time of the stop"
for method in crank_nicolson ftcs; do
  expect 0 1 run quench.toml --output closed-$method --quiet --set 'boundary.x_upper={ type = "neumann", value = 0.0 }' \
    --set 'initial.value=cos(x)' --set 'output.quantities=["heat"]' --set method.name=$method \
    --set method.time_step=0.00004 --set method.end_time=0.01 --set method.check_every=10
  near "$(tail -1 closed-$method/quantities.csv | cut -d, -f3)" "$(sed -n 2p closed-$method/quantities.csv | cut -d, -f3)" \
    1e-12 "the heat of an insulated ball by $method"
done

refused_run 'lower is -1 on the x axis, which is a radius (needs 0 or more)' cylinder.toml --set grid.lower.0=-1.0
refused_run 'geometry is "spherical", but the grid is 2D' plane.toml --set grid.geometry=spherical
refused_run 'geometry is "axisymmetric", but the grid is 3D' plane.toml --set 'grid.points=[9, 9, 9]' \
  --set 'grid.lower=[0.0, 0.0, 0.0]' --set 'grid.upper=[1.0, 1.0, 1.0]' --set '!probe'
refused_run 'x_lower gives a condition at the radius 0, which is the axis of rotation and no face' rod.toml \
  --set 'boundary.x_lower={ type = "dirichlet", value = 1.0 }'
refused_run 'x gives a condition at the radius 0, which is the centre and no face' core-ball.toml --set 'boundary.x={ type = "neumann", value = 1.0 }'
refused_run 'x_lower has no boundary condition (needs one, since the radius begins at 0.5 rather than at 0)' core-rod.toml --set grid.lower.0=0.5
refused_run 'face is x_lower, the radius 0, which is no face' axial.toml \
  --set 'boundary.patch=[{ face = "x_lower", type = "dirichlet", value = 1.0, where = "y > 1" }]'
expect 2 1 run quench.toml --output quench --resume --set grid.geometry=axisymmetric
echo "geometry: all as it should be"
