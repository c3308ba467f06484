#!/usr/bin/env bash
# shape_numbers_test.sh PROGRAM SOURCE_DIR: powers, charges, heat and energy of shapes are exact, and have the same bits on any
# number of ranks.
in_memory=yes
pictures=no
source "$(dirname "$0")/../support.sh"

# on_ranks CASE DIRECTORY: runs a case on 1, 2 and 3 ranks, and expects the same quantities.
on_ranks() {
  local ranks
  for ranks in 1 2 3; do
    expect 0 $ranks run "$1" --output "$2-$ranks" --quiet
    cmp "$2-1/quantities.csv" "$2-$ranks/quantities.csv" || fail "$2: other bits on $ranks ranks"
  done
}

# A slab of 0.4 mm with the permittivity 4 between plates at a distance of 1 mm. Its energy is half of its charge. The
# direct method divides the same sums on any number of ranks.
cat >slab.toml <<END
[grid]
points = [4, 52]
upper = [0.010, 0.001]
[equation]
type = "laplace"
conductivity = 8.8541878128e-12
[[material]]
where = "y > 0.0003 && y < 0.0007"
conductivity = "4*8.8541878128e-12"
[boundary]
x = { type = "neumann" }
y_lower = { type = "dirichlet", value = 0.0 }
y_upper = { type = "dirichlet", value = 1.0 }
[method]
name = "jacobi"
iterations = 40
[initial]
value = "1000*y"
[output]
report = false
quantities = ["flux", "energy"]
[run]
device = "$device"
END
on_ranks slab.toml jacobi
expect 0 1 run slab.toml --output slab --quiet --set method.name=direct --set method.tolerance=1e-10
near "$(column slab/quantities.csv flux_y_upper)" 1.264883973257e-10 1e-11 "the charge of the slab"
near "$(column slab/quantities.csv energy)" 0.6324419866285e-10 1e-11 "the energy of the slab"

# A heat spreader with its power on a patch, as a region and at places: on a face, an edge and a corner.
cat >spreader.toml <<END
[grid]
points = [41, 41, 12]
lower = [-0.020, -0.020, 0.0]
upper = [0.020, 0.020, 0.0035]
[equation]
type = "diffusion"
conductivity = 400.0
capacity = 3.4e6
[[material]]
where = "z > 0.003"
conductivity = 130.0
[[insulated]]
where = "z > 0.003 && max(abs(x),abs(y)) > 0.005"
[[boundary.patch]]
face = "z_upper"
where = "hypot(x, y) < 0.0013"
type = "flux"
power = 50.0
[[source]]
name = "die"
where = "x + y < 0.003 && z > 0.0031 && x > -0.003"
power = 20.0
[[source]]
name = "face"
at = [0.0013, -0.02, 0.0011]
power = 3.0
[[source]]
name = "edge"
at = [0.02, -0.02, 0.0011]
power = 4.0
[[source]]
name = "corner"
at = [-0.02, -0.02, 0.0]
power = 5.0
[boundary]
all = { type = "neumann" }
[initial]
value = 25.0
[method]
name = "ftcs"
time_step = 1e-5
steps = 20
[output]
report = false
quantities = ["heat", "flux", "max"]
[run]
device = "$device"
END
on_ranks spreader.toml spreader
near "$(column spreader-1/quantities.csv flux_z_upper)" 50 1e-11 "the power of the patch"
for part in die,20 face,3 edge,4 corner,5; do
  near "$(column spreader-1/quantities.csv "flux_source_${part%,*}")" "${part#*,}" 1e-11 "the power of ${part%,*}"
done
near "$(column spreader-1/quantities.csv flux_balance)" 82 1e-11 "the power"
# The volumes are 40 x 40 x 3 mm and 10 x 10 x 0.5 mm. What goes in remains.
first=$(sed -n 2p spreader-1/quantities.csv | cut -d, -f3)
near "$first" "$(awk 'BEGIN { printf "%.14g", 25 * 3.4e6 * (4.8e-6 + 5e-8) }')" 1e-9 "the heat of the spreader"
near "$(awk -v a="$(column spreader-1/quantities.csv heat)" -v b="$first" 'BEGIN { printf "%.14g", a - b }')" 0.0164 1e-9 \
  "the heat that goes in"
