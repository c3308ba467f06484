#!/usr/bin/env bash
# wheel.sh WHEEL FOLDER
#
# Installs a wheel in FOLDER, a new minimal Debian that holds Python and nothing else, and uses the program and the
# package there. jobs/wheel.sh --try calls it.
set -euo pipefail
wheel=$1 bare=$2
here=$(cd "$(dirname "$0")/../.." && pwd)
fail() { echo "FAILED: $*" >&2; exit 1; }
in_bare() { chroot "$bare" /usr/bin/env -i HOME=/root PATH=/tmp/venv/bin:/usr/bin:/bin "$@"; }

rm -rf "$bare"
# shellcheck source=/dev/null
debootstrap --variant=minbase --include=python3-venv "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$bare" \
  >"$bare.log" || { tail "$bare.log"; fail "debootstrap"; }
python3 -m pip --disable-pip-version-check download -q --dest "$bare/tmp/wheels" "$wheel"  # with NumPy
cp "$here/jobs/cases/warm-plate.toml" "$bare/tmp"
# The loader finds the libraries of a program by /proc.
mount -t proc proc "$bare/proc"
trap 'umount "$bare/proc"' EXIT
in_bare python3 -m venv /tmp/venv
in_bare pip --disable-pip-version-check install -q --no-index --find-links /tmp/wheels isotherm
in_bare isotherm --version
in_bare isotherm run /tmp/warm-plate.toml --output /tmp/plate --quiet
in_bare isotherm verify /tmp/plate
[[ -s $bare/tmp/plate/u.png ]] || fail "there is no picture"
in_bare python3 - <<'END'
import isotherm
result = isotherm.run("/tmp/warm-plate.toml")
print("maximum", result.u.max())
assert result.converged
END
# If a launcher of an MPI library has started several processes, they are refused with the reason, and exit code 2.
status=0
in_bare PMI_SIZE=2 isotherm run /tmp/warm-plate.toml --output /tmp/two 2>"$bare/tmp/refused" || status=$?
((status == 2)) && grep -q 'without MPI' "$bare/tmp/refused" || fail "two processes: $status, $(<"$bare/tmp/refused")"
echo "the wheel works in a system with Python alone"
