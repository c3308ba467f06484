#!/usr/bin/env bash
# gallery.sh PROGRAM [CASE...]
#
# Makes the thumbnails of docs/gallery.md: runs the cases of jobs/cases, large ones on fewer points, and makes
# their pictures small. Needs python3-pil. It takes some minutes on two cores.
set -euo pipefail
program=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# thumbnail FROM TO: at most 420 x 280 pixels, 96 colours
thumbnail() {
  /usr/bin/python3 - "$@" <<'END'
import sys
from PIL import Image
picture = Image.open(sys.argv[1]).convert("RGB")
picture.thumbnail((420, 280), Image.LANCZOS)
picture.quantize(96).save(sys.argv[2], optimize=True)
END
}

# What is changed in a case for the gallery: docs/gallery.md names these changes, too.
declare -A changes=(
  [new-cellar]="grid.points=[201,301]"
  [poisson-257]="grid.points=[65,65,65] output.picture_slice={z=0.0}"
  [diffusion-classic]="grid.points=[240,240] method.steps=2000"
  [laplace-classic-512]="grid.points=[65,65,65] method.iterations=1000"
  [gaussians-500]="grid.points=[64,64,64]"
)
all=(warm-plate quickstart heat-spreader chip-on-board electrodes ground-temperature new-cellar frozen-ground poisson-257
  diffusion-classic laplace-classic-512 gaussians-500 plate-fin lake-ice boiled-egg windy-wall steel-slab
  thermal-impedance)
(($# > 1)) && all=("${@:2}")

for name in "${all[@]}"; do
  sets=()
  for change in ${changes[$name]:-}; do sets+=(--set "$change"); done
  echo "$name ${sets[*]}"
  "$program" run "jobs/cases/$name.toml" --quiet --output "$work/$name" "${sets[@]}" || (($? == 3))
  thumbnail "$work/$name/u.png" "docs/images/gallery/$name.png"
done
