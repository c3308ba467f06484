#!/usr/bin/env bash
# not_finite_test.sh PROGRAM SOURCE_DIR: values that are not finite, or would not be where they are stored,
# end a run with a message that names what they come from. ISOTHERM_TEST_BACKEND: see support.sh.
source "$(dirname "$0")/support.sh"

# A 2D case whose edges keep their values; further arguments are lines of [method].
plate_case() {
  diffusion_case "$@" | sed 's/^all = .*/all = { type = "dirichlet", value = 0.0 }/'
}
failed() { holds "$1/summary.json" '"status": "failed"'; }

# Values beyond float32 are not rounded to infinities.
plate_case 'steps = 20' >large.toml
large=(--set 'boundary.y_upper={type="dirichlet",value=1e39}' --set output.snapshot_every=10
       --set output.picture=false)
for ranks in 1 3; do
  expect 1 $ranks run large.toml "${large[@]}" --set 'output.precision="float32"' --output large$ranks
  complained 'the field of iteration 0 has values up to 1e+39, which float32 cannot hold: leave out output.precision or set it to "float64"'
  failed large$ranks
  ! compgen -G "large$ranks/u_*" >/dev/null || fail "a field is left in large$ranks"
done
expect 1 2 run large.toml "${large[@]}" --set 'output.precision="float32"' --output cut \
  --set 'output.cut={lower=[0.0,0.5],upper=[1.0,1.0]}'
complained "1e+39, which float32 cannot hold"
# Where such values are not stored, or stored as they are, nothing is amiss.
expect 0 2 run large.toml "${large[@]}" --set 'output.precision="float32"' --output cut --overwrite \
  --set 'output.cut={lower=[0.0,0.0],upper=[1.0,0.2]}' --set method.steps=10 --quiet
expect 0 2 run large.toml "${large[@]}" --output whole --quiet
expect 0 1 info --verify whole/u_000010.vtkhdf
