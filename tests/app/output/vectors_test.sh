#!/usr/bin/env bash
# vectors_test.sh PROGRAM SOURCE_DIR: gradient and flux density in a run's files. The bytes are the
# same on any number of ranks, in the background or not; compressed, cut and in float32. Runs resume
# from such files, and estimates of sizes include them.
in_memory=yes
source "$(dirname "$0")/../support.sh"

cat >case.toml <<'END'
title = "wall"
[grid]
points = [20, 17, 13]
upper  = [1.0, 0.8, 0.6]
[equation]
type         = "diffusion"
conductivity = "1 + 3*step(x - 0.5)"
source       = "t"
[[insulated]]
box = { lower = [0.394737, 0.0, 0.0], upper = [0.605263, 0.225, 0.6] }   # midway between points
[boundary]
x_lower = { type = "dirichlet", value = 1.0 }
x_upper = { type = "robin", coefficient = 3, value = 5.0 }
y       = { type = "neumann", value = "t" }
z       = { type = "periodic" }
[method]
steps       = 40
check_every = 10
norm        = "max"
[output]
picture        = false
snapshot_every = 20
fields         = ["u", "source", "gradient", "flux"]
END

expect 0 1 run case.toml --output whole
expect 0 1 verify whole
holds whole/u.xmf 'Name="flux" AttributeType="Vector"'
holds whole/u.xmf 'Dimensions="13 17 20 3".*:/VTKHDF/PointData/gradient<'
for ranks in 2 3 4; do
  mkdir on$ranks  # the files contain the value of --output
  (cd on$ranks && expect 0 $ranks run ../case.toml --output whole --quiet)
  for step in 000000 000020 000040; do
    cmp whole/u_$step.vtkhdf on$ranks/whole/u_$step.vtkhdf || fail "other bytes on $ranks ranks"
  done
done

# A run resumes from such a file on other ranks, and may ask for other fields.
expect 0 2 run case.toml --output resumed --quiet --set method.steps=20
expect 0 3 run case.toml --output resumed --resume --quiet
expect 0 1 compare whole resumed
said identical
expect 0 1 run case.toml --output other --quiet --set method.steps=20
expect 0 1 run case.toml --output other --resume --quiet --set 'output.fields=["u"]'
expect 0 1 compare whole other
said identical

# Compressed, cut, or rounded; the complete field written in addition has no vectors.
expect 0 3 run case.toml --output packed --quiet --set output.compression=4 --set output.in_background=false
expect 0 1 verify packed
expect 0 2 run case.toml --output cut --quiet --set output.compression=1 \
  --set output.cut='{ lower = [0.2, 0.1, 0.0], upper = [0.9, 0.8, 0.0] }'
expect 0 1 verify cut
holds cut/u.xmf 'AttributeType="Vector"'
expect 0 1 run case.toml --output rounded --quiet --set 'output.precision="float32"'
expect 0 1 verify rounded
snapshot=$(stat -c %s rounded/u_000040.vtkhdf) && checkpoint=$(stat -c %s rounded/u_000040.checkpoint.vtkhdf)
((snapshot > 4 * 8 * 4420 && checkpoint < 3 * 8 * 4420)) || fail "sizes $snapshot, $checkpoint"
expect 0 2 run case.toml --output single --quiet --set 'grid.precision="float32"'
expect 0 1 verify single

# Damage in vectors is detected.
cp whole/u_000040.vtkhdf damaged.vtkhdf
printf '\377' | dd of=damaged.vtkhdf bs=1 seek=$(($(stat -c %s damaged.vtkhdf) - 100000)) conv=notrunc status=none
expect 2 1 verify damaged.vtkhdf

# `info` lists the fields of a file, and the statistics of its vectors.
expect 0 1 info whole/u_000040.vtkhdf
said '^  extra       source, flux (vectors), gradient (vectors)$'
expect 0 2 info whole/u_000040.vtkhdf --statistics --json
python3 - "$work/out" <<'END' || fail "other magnitudes than those of the numbers"
import json, sys
file = json.load(open(sys.argv[1]))
assert [(f["name"], f["components"]) for f in file["fields"]] == [("u", 1), ("source", 1), ("flux", 3), ("gradient", 3)]
u, source, flux, gradient = file["statistics"]
assert (source["components"], flux["components"]) == (1, 3) and flux["points"] == u["points"]
assert flux["min"] == 0.0, "of a point that takes no part"
assert gradient["max"] < flux["max"] <= 4 * gradient["max"], "a conductivity of 1 to 4"
END
expect 0 1 info whole/u_000040.vtkhdf --statistics
said '^  magnitudes of flux$'

# Commands that compute fields omit vectors with a message, and do not accept vectors as scalars.
for command in 'smooth --width 0.1' 'project --axis z' 'resample --points 10x9x7'; do
  # shellcheck disable=SC2086  # words of their own
  expect 0 1 $command whole --output "${command%% *}.vtkhdf" --device "$device"
  said '^it contains only u, not the other fields of whole/u_000040.vtkhdf: source, flux, gradient$'
done
expect 0 1 smooth smooth.vtkhdf --width 0.1 --output again.vtkhdf --device "$device"
! grep -q 'it contains only' "$work/out" || fail "something is left out of a file that has u only"
expect 2 1 run case.toml --output initial --set initial.file='"whole/u_000040.vtkhdf"' --set initial.dataset='"gradient"'
complained 'gradient'
[[ ! -e initial ]] || fail "something was written"

# Sizes include three numbers per point.
expect 0 1 run case.toml --output plan --dry-run
cp "$work/out" with
expect 0 1 run case.toml --output plan --dry-run --set 'output.fields=["u", "source"]'
! cmp -s with "$work/out" || fail "the plan does not count vectors"

expect 2 1 run case.toml --output bad --set 'output.fields=["u", "gradients"]'
complained 'fields is "gradients" (did you mean "gradient"?'
echo "vectors: all as they should be"
