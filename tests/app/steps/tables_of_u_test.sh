#!/usr/bin/env bash
# tables_of_u_test.sh PROGRAM SOURCE_DIR: warnings about tables of u that the field leaves, in cases
# of several materials, sources, faces, patches and surfaces.
in_memory=yes pictures=no
source "$(dirname "$0")/../support.sh"

table() { printf '%s\n' "u,value" "${@:2}" >"$1.csv"; }
table wide -1000,2 2000,2
table short 0,2 400,2
table high 350,2 900,2
# Two materials between 0 on the left and 1000 on the right: the left one remains below 500.
cat >wall.toml <<'END'
title = "wall"
[grid]
points = [17, 9]
[equation]
type = "diffusion"
conductivity = { table = "wide.csv" }
capacity = "2 + 0.001*u"
[[material]]
name = "left"
box = { lower = [0.0, 0.0], upper = [0.5, 0.5] }
conductivity = { table = "wide.csv" }
capacity = { table = "wide.csv" }
[[material]]
box = { lower = [0.5, 0.0], upper = [1.0, 0.5] }
conductivity = { table = "wide.csv" }
capacity = { table = "wide.csv" }
[boundary]
x_lower = { type = "dirichlet", value = 0.0 }
x_upper = { type = "dirichlet", value = 1000.0 }
y = { type = "neumann" }
[initial]
value = 500.0
[method]
name = "backward_euler"
time_step = 100.0
steps = 2
END
warns() { # RANKS PATTERN OPTION...: one warning with this pattern
  expect 0 "$1" run wall.toml --output out --overwrite "${@:3}"
  complained "warning: the field reaches $2"
  [[ $(grep -c 'warning: the field reaches' "$work/err") == 1 ]] || fail "more than one warning: ${*:3}"
}
expect 0 1 run wall.toml --output none
[[ ! -s $work/err ]] || fail "a warning without reason"
# Each property of each material, although the tables of others are wider.
warns 2 '500, but the table of conductivity of material "left" ends at 400: beyond it the conductivity is constant' \
  --set 'material.0.conductivity={ table = "short.csv" }'
warns 1 '500, but the table of capacity of material "left" ends at 400: beyond it the capacity is constant' \
  --set 'material.0.capacity={ table = "short.csv" }'
warns 1 '1000, but the table of conductivity of material 2 ends at 400' --set 'material.1.conductivity={ table = "short.csv" }'
warns 1 '1000, but the table of capacity of material 2 ends at 900' --set 'material.1.capacity={ table = "high.csv" }'
warns 1 '0, but the table of conductivity begins at 350' --set 'equation.conductivity={ table = "high.csv" }'
warns 1 '0, but the table of capacity begins at 350' --set 'equation.capacity={ table = "high.csv" }'
# The same materials as sets of points.
warns 1 '1000, but the table of conductivity of material 2 ends at 400' --set grid.shapes=points \
  --set 'material.1.conductivity={ table = "short.csv" }'
# A table that its own material does not leave gives no warning.
table cold -10,2 510,2
expect 0 1 run wall.toml --output none --overwrite --set 'material.0.conductivity={ table = "cold.csv" }'
[[ ! -s $work/err ]] || fail "a warning about another material"

# The source of the equation, also next to another one.
cat >>wall.toml <<'END'
[[source]]
box = { lower = [0.2, 0.2], upper = [0.4, 0.4] }
density = 0.01
END
warns 1 '1000, but the table of source ends at 400' --set 'equation.source={ table = "short.csv" }'

# Faces, patches and surfaces inside.
cat >>wall.toml <<'END'
[[boundary.patch]]
face = "y_upper"
box = { lower = [0.0, 1.0], upper = [0.4, 1.0] }
type = "convection"
h = 1e-9
ambient = 300.0
[[insulated]]
name = "hole"
ball = { center = [0.75, 0.75], radius = 0.1 }
[[convection]]
of = "hole"
h = 1e-9
ambient = 300.0
END
table weak 450,1e-9 2000,1e-9
warns 1 '0, but the table of heat transfer coefficient of patch 1 on y_upper begins at 450' \
  --set 'boundary.patch.0.h={ table = "weak.csv" }'
table weak 0,1e-9 500,1e-9
warns 1 '[89][0-9][0-9.]*, but the table of heat transfer coefficient of convection "hole" ends at 500' \
  --set 'convection.0.h={ table = "weak.csv" }'
table strong 0,1000 500,1000
warns 1 '99[0-9.]*, but the table of heat transfer coefficient of x_upper ends at 500' \
  --set 'boundary.x_upper={ type = "convection", h = { table = "strong.csv" }, ambient = 1000.0 }'

echo "tables of u: all as they should be"
