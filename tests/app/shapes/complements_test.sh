#!/usr/bin/env bash
# complements_test.sh PROGRAM SOURCE_DIR: contacts and films act with their true areas where a region is the complement of a
# shape, an expression or a body of triangles that ends at faces of the grid, and on lines. The log lists the areas.
in_memory=yes
pictures=no
source "$(dirname "$0")/../support.sh"

# ending: prints the sections with which all cases end.
ending() {
  cat <<END
[method]
tolerance = 1e-10
[output]
report = false
quantities = ["flux"]
[run]
device = "$device"
END
}
# medium CASE POINTS UPPER [AXIS...]: writes a case whose x faces have the values 100 and 20, and whose faces along further axes
# are insulated. Its regions are read from the standard input.
medium() {
  { cat <<END; ending; cat; } >"$1.toml"
[grid]
points = $2
upper = $3
[equation]
type = "laplace"
conductivity = 1.0
[boundary]
x_lower = { type = "dirichlet", value = 100.0 }
x_upper = { type = "dirichlet", value = 20.0 }
$(for axis in "${@:4}"; do echo "$axis = { type = \"neumann\" }"; done)
END
}
# joined COPPER STEEL: prints both materials, whose regions are given, and their contact.
joined() {
  cat <<END
[[material]]
name = "copper"
$1
conductivity = 390.0
[[material]]
name = "steel"
$2
conductivity = 15.0
[[contact]]
between = ["copper", "steel"]
resistance = 2e-4
END
}
outside_of() { printf '%s\noutside = true\n' "$1"; }
# flux_of CASE EXACT [OPTION...]: runs a case, and compares the flux through x_lower.
flux_of() {
  expect 0 1 run "$1.toml" --output o --overwrite "${@:3}"
  near "$(column o/quantities.csv flux_x_lower)" "$2" 1e-9 "the flux of $1 ${*:3}"
}
in_series() { awk -v s="$1" -v a="$2" 'BEGIN { printf "%.15g", 80 * a / (s / 390 + 2e-4 + (0.03 - s) / 15) }'; }

box='box = { lower = [-1, -1], upper = [0.0123, 1] }'
joined "$box" "$(outside_of "$box")" | medium plate '[31, 11]' '[0.03, 0.01]' y
for place in 0.0123 0.012 0.0125 0.0117; do
  sed "s/0\.0123/$place/" plate.toml >here.toml
  flux_of here "$(in_series $place 0.01)"
  said '^ *contact copper to steel, length 0.01$'
done
# A gap that comes from rounding is none; a real one separates the materials.
sed '0,/0\.0123/s//0.0122999999999/' plate.toml >here.toml
flux_of here "$(in_series 0.0123 0.01)"
expect 0 1 run here.toml --output o --overwrite --set 'material.0.box.upper=[0.0115, 1]'
said '^ *contact copper to steel, length 0: the materials do not touch, or only in insulated or fixed regions$'
grep -q 'the contact copper to steel acts nowhere' "$work/err" || fail "no warning"
# The materials touch within an insulated region, which the reason mentions.
printf '[[insulated]]\nbox = { lower = [0.01, -1], upper = [0.015, 1] }\n' | cat plate.toml - >covered.toml
expect 0 1 run covered.toml --output o --overwrite
said '^ *contact copper to steel, length 0: .*, or only in insulated or fixed regions$'
# Nor does a fluid act on a surface that another region contains.
cat >buried.toml <<'END'
title = "buried"
[grid]
points = [11, 11]
[equation]
type = "laplace"
[boundary]
all = { type = "dirichlet", value = "x" }
[[insulated]]
name = "outer"
box = { lower = [0.3, 0.3], upper = [0.7, 0.7] }
[[insulated]]
name = "inner"
box = { lower = [0.4, 0.4], upper = [0.6, 0.6] }
[[convection]]
of = "inner"
h = 3.0
ambient = 5.0
[method]
tolerance = 1e-6
END
expect 0 1 run buried.toml --output o --overwrite
said '^ *convection "inner", length 0: has no surface in the grid$'
grep -q 'the convection "inner" acts nowhere' "$work/err" || fail "no warning of a buried surface"

# The surface of a disc: its length, and the resistance of its circumference.
ball='ball = { center = [0.0, 0.0], radius = 0.0153 }'
{ cat <<END; joined "$ball" "$(outside_of "$ball")"; ending; } >disc.toml
[grid]
points = [61, 61]
upper = [0.03, 0.03]
[equation]
type = "laplace"
[[fixed]]
name = "core"
ball = { center = [0.0, 0.0], radius = 0.0051 }
value = 100
[[fixed]]
name = "shell"
ball = { center = [0.0, 0.0], radius = 0.0287 }
outside = true
value = 20
[boundary]
all = { type = "neumann" }
END
expect 0 2 run disc.toml --output disc
flux=$(awk 'BEGIN { pi = 3.141592653589793
  printf "%.10g", 80 * pi / 2 / (log(0.0153 / 0.0051) / 390 + 2e-4 / 0.0153 + log(0.0287 / 0.0153) / 15) }')
near "$(column disc/quantities.csv flux_fixed_core)" "$flux" 2e-3 "the flux of the disc"
near "$(grep -o 'contact copper to steel, length [0-9.]*' "$work/out" | grep -o '[0-9.]*$')" 0.0240332 1e-2 "the circumference"

# Lines, along which areas grow or not.
box='box = { lower = [0.0123], upper = [1] }'
joined "$(outside_of "$box")" "$box" | medium line '[31]' '[0.03]'
flux_of line "$(in_series 0.0123 1)"
said '^ *contact copper to steel, area 1$' && said '^regions  *material "copper", length 0.0123$'

# A film on the surface of a fixed region, which ends at the faces of the grid.
film=$(awk 'BEGIN { printf "%.15g", 80 * 1e-4 / (0.0223 / 15 + 1 / 500) }')
# body: a box of triangles from x = 0.0223 to the end of the grid, with the bounds of the grid across it.
triangles() {
  local v=("0.0223 0 0" "0.03 0 0" "0.03 0.01 0" "0.0223 0.01 0" "0.0223 0 0.01" "0.03 0 0.01" "0.03 0.01 0.01" "0.0223 0.01 0.01") f
  echo "solid body"
  for f in "0 2 1" "0 3 2" "4 5 6" "4 6 7" "0 1 5" "0 5 4" "1 2 6" "1 6 5" "2 3 7" "2 7 6" "3 0 4" "3 4 7"; do
    echo "facet normal 0 0 0"; echo "outer loop"
    for i in $f; do echo "vertex ${v[i]}"; done
    echo endloop; echo endfacet
  done
  echo "endsolid body"
}
triangles >body.stl
for region in 'box = { lower = [0, 0, 0], upper = [0.0223, 0.01, 0.01] }
outside = true' 'where = "x >= 0.0223 && y >= 0 && y <= 0.01 && z >= 0 && z <= 0.01"' 'stl = { file = "body.stl" }'; do
  medium film '[31, 7, 5]' '[0.03, 0.01, 0.01]' y z <<END
[[fixed]]
name = "f"
$region
value = 20
h = 500
END
  sed -i 's/^conductivity = 1.0/conductivity = 15/; s/^x_upper.*/x_upper = { type = "neumann" }/' film.toml
  flux_of film "$film"
done
