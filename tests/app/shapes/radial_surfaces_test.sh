#!/usr/bin/env bash
# radial_surfaces_test.sh PROGRAM SOURCE_DIR: [[convection]] and [[radiation]] on surfaces in
# axisymmetric and spherical grids have their areas of revolution and analytic heat flows.
in_memory=yes pictures=no
source "$(dirname "$0")/../support.sh"

# radial GEOMETRY: prints a hollow cylinder or sphere up to the radius 2, where its value is 400. A
# fluid at 15 fills it up to the radius 1.0437.
radial() {
  cat <<END
[grid]
geometry = "$1"
points = [21]
lower = [1.0]
upper = [2.0]
[equation]
type = "laplace"
conductivity = 1.2
[[insulated]]
name = "hole"
box = { lower = [0.0], upper = [1.0437] }
[[convection]]
of = "hole"
h = 5.0
ambient = 15.0
[boundary]
x_lower = { type = "neumann" }
x_upper = { type = "dirichlet", value = 400.0 }
[initial]
value = 300.0
[method]
tolerance = 1e-12
[output]
quantities = ["flux"]
END
}

# m(r) is the area of revolution, i(a, b) the resistance between two radii for the conductivity 1.
formulas='function m(r) { return of == "spherical" ? 4*pi*r*r : 2*pi*r }
  function i(a, b) { return of == "spherical" ? (1/a - 1/b)/(4*pi) : log(b/a)/(2*pi) }
  BEGIN { pi = atan2(0, -1) }'
# wanted GEOMETRY EXPRESSION: evaluates an expression with these formulas
wanted() { awk -v of="$1" "$formulas BEGIN { printf \"%.15g\", $2 }"; }
# area GEOMETRY EXPRESSION: the same with the digits of a run's header
area() { awk -v of="$1" "$formulas BEGIN { printf \"%.6g\", $2 }"; }

for of in axisymmetric spherical; do
  radial $of >$of.toml
  expect 0 1 run $of.toml --dry-run
  said "convection \"hole\", area $(area $of 'm(1.0437)')\$"
  # The surface at a point, between points, and so close to the face of a control volume that the
  # volume beyond the face is shut.
  for radius in 1.05 1.0437 1.01 1.074999; do
    expect 0 1 run $of.toml --output $of-$radius --quiet --set insulated.0.box.upper.0=$radius
    near "$(column $of-$radius/quantities.csv flux_x_upper)" \
      "$(wanted $of "385/(1/(5*m($radius)) + i($radius, 2)/1.2)")" 1e-11 "the heat of a fluid up to the radius $radius"
  done
  # The same heat as a nonlinear problem, and on several ranks.
  expect 0 1 run $of.toml --output $of-nonlinear --quiet --set 'convection.0.h="5 + 0*u"'
  near "$(column $of-nonlinear/quantities.csv flux_convection_hole)" \
    "$(wanted $of "-385/(1/(5*m(1.0437)) + i(1.0437, 2)/1.2)")" 1e-11 "the heat by an h that depends on u"
  expect 0 3 run $of.toml --output $of-3 --quiet
  expect 0 1 compare $of-3/u_*.vtkhdf $of-1.0437/u_*.vtkhdf --tolerance 1e-11

  # The fluid outside of the medium.
  expect 0 1 run $of.toml --output $of-outside --quiet --set 'insulated.0.box={ lower = [1.9137], upper = [3.0] }' \
    --set 'boundary.x_lower={ type = "dirichlet", value = 400.0 }' --set 'boundary.x_upper={ type = "neumann" }'
  near "$(column $of-outside/quantities.csv flux_x_lower)" "$(wanted $of '385/(1/(5*m(1.9137)) + i(1, 1.9137)/1.2)')" \
    1e-11 "the heat of a fluid outside"
  # A fluid that is thinner than a spacing: between two points, and around one.
  for thin in '1.331 1.334' '1.3437 1.3537'; do
    read -r from to <<<"$thin"
    expect 0 1 run $of.toml --output $of-sheet --overwrite --quiet \
      --set "insulated.0.box={ lower = [$from], upper = [$to] }" --set 'boundary.x_lower={ type = "dirichlet", value = 300.0 }'
    near "$(column $of-sheet/quantities.csv flux_x_lower)" "$(wanted $of "285/(1/(5*m($from)) + i(1, $from)/1.2)")" \
      1e-11 "the heat inside of a thin fluid"
    near "$(column $of-sheet/quantities.csv flux_x_upper)" "$(wanted $of "385/(1/(5*m($to)) + i($to, 2)/1.2)")" \
      1e-11 "the heat outside of a thin fluid"
  done
  # A medium that is thinner than a spacing, between two fluids.
  {
    sed 's/upper = \[1.0437\]/upper = [1.34]/; s/^x_upper.*/x_upper = { type = "neumann" }/' $of.toml
    printf '%s\n' '[[insulated]]' 'name = "room"' 'box = { lower = [1.36], upper = [3.0] }' '[[convection]]' \
      'of = "room"' 'h = 5.0' 'ambient = 500.0'
  } >wall.toml
  expect 0 1 run wall.toml --output $of-wall --quiet
  near "$(column $of-wall/quantities.csv flux_convection_room)" \
    "$(wanted $of '485/(1/(5*m(1.34)) + i(1.34, 1.36)/1.2 + 1/(5*m(1.36)))')" 1e-11 "the heat through a thin wall"

  # Radiation to 600 K: the root of a quartic equation for the value of the surface.
  sed '/^\[\[convection\]\]/,/^ambient/d
    s/^\[initial\]/[[radiation]]\nof = "hole"\nemissivity = 0.8\nambient = 600.0\nabsolute_zero = 0.0\n&/' $of.toml >radiation.toml
  expect 0 1 run radiation.toml --output $of-radiation --quiet
  near "$(column $of-radiation/quantities.csv flux_radiation_hole)" "$(awk -v of=$of "$formulas"' BEGIN {
    low = 400; high = 600
    for (n = 0; n < 100; ++n) {
      s = (low + high) / 2
      if (0.8 * 5.670374419e-8 * (600^4 - s^4) * m(1.0437) > 1.2 * (s - 400) / i(1.0437, 2)) low = s; else high = s
    }
    printf "%.15g", 1.2 * (s - 400) / i(1.0437, 2) }')" 1e-10 "the heat by radiation"
done

# A cylinder of fluid in a plane of radius and height: the areas of its side and of its ends add up.
# Above a disc of fluid the heat flows along the axis.
sed 's/^points.*/points = [21, 11]/; s/^lower.*/lower = [0.0, 0.0]/; s/^upper.*/upper = [2.0, 1.0]/
  s/^box.*/box = { lower = [0.0, 0.137], upper = [1.0437, 0.871] }/; s/^x_lower.*/y = { type = "neumann" }/' \
  axisymmetric.toml >plane.toml
expect 0 1 run plane.toml --dry-run
said "convection \"hole\", area $(area axisymmetric '2*pi*1.0437*(1.0437 + 0.734)')\$"
sed 's/^box.*/box = { lower = [0.0, -1.0], upper = [3.0, 0.137] }/; s/^x_upper.*/x_upper = { type = "neumann" }/
  s/^y = .*/y_lower = { type = "neumann" }\ny_upper = { type = "dirichlet", value = 400.0 }/' plane.toml >disc.toml
expect 0 1 run disc.toml --output disc --quiet
near "$(column disc/quantities.csv flux_y_upper)" "$(wanted axisymmetric '385*4*pi/(0.2 + 0.863/1.2)')" 1e-11 "the heat of a disc"

# A ball of fluid on the axis, within a sphere of the radius 1 at 400.
sed 's/^points.*/points = [25, 49]/; s/^lower.*/lower = [0.0, -1.1]/; s/^upper.*/upper = [1.1, 1.1]/
  s/^box.*/ball = { center = [0.0, 0.0137], radius = 0.3437 }/; s/^x_lower.*/y = { type = "dirichlet", value = 400.0 }/' \
  axisymmetric.toml >ball.toml
printf '%s\n' '[[fixed]]' 'where = "x^2 + (y - 0.0137)^2 >= 1"' 'value = 400.0' >>ball.toml
expect 0 1 run ball.toml --output ball --quiet --set method.tolerance=1e-9
near "$(column ball/quantities.csv flux_convection_hole)" \
  "$(wanted spherical '-385/(1/(5*m(0.3437)) + i(0.3437, 1)/1.2)')" 1.5e-3 "the heat of a ball"

echo "radial surfaces: all as they should be"
