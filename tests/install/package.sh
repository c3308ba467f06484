#!/usr/bin/env bash
# package.sh BUILD_DIR WORK_DIR MPIEXEC CPACK
#
# Makes Debian packages of the build in WORK_DIR, checks their contents and dependencies, unpacks
# them, and runs a case from there. Exit code 77 (skipped) if this is not Debian, or the libraries
# are not Debian's.
#
# ISOTHERM_BARE_DEBIAN=1: also installs the program's package in a new, minimal system, and runs it
# there as an unprivileged user. That requires root, debootstrap, its mirror, and about a minute.
set -euo pipefail
build=$1 work=$2 mpiexec=$3 cpack=$4
here=$(cd "$(dirname "$0")" && pwd)
export LC_ALL=C
fail() { echo "FAILED: $*" >&2; exit 1; }
# Debian's packages list some files by their paths from before /lib became a part of /usr.
owner() {
  local path
  path=$(realpath "$1")
  { dpkg -S "$path" || dpkg -S "${path#/usr}"; } 2>/dev/null | sed 's/:.*//'
}

for tool in dpkg-deb dpkg-shlibdeps readelf ldd gzip; do
  command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
rm -rf "$work"
mkdir -p "$work"
program=$build/isotherm
readelf -dW "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p' >"$work/needed_libraries"
ldd "$program" >"$work/found_libraries"
: >"$work/needed_packages"
while read -r library; do
  path=$(awk -v name="$library" '$1 == name { print $3 } $1 ~ "/" name "$" { print $1 }' "$work/found_libraries")
  [[ $path == /* ]] || fail "$program does not find $library"
  [[ $path != "$(realpath "$build")"/* ]] || continue  # from a build with shared libraries
  owner "$path" >>"$work/needed_packages" || { echo "skipped: $path is of no package"; exit 77; }
done <"$work/needed_libraries"

# Two packages, readable by all regardless of the umask.
(umask 077 && cd "$work" && "$cpack" --config "$build/CPackConfig.cmake" -G DEB -B "$work" >"$work/cpack.log" 2>&1) ||
  { cat "$work/cpack.log"; fail "cpack"; }
shopt -s nullglob
main=("$work"/isotherm_*.deb) development=("$work"/libisotherm-dev_*.deb)
((${#main[@]} == 1 && ${#development[@]} == 1)) || fail "cpack made: $(ls "$work")"
for package in "${main[0]}" "${development[0]}"; do
  dpkg-deb --info "$package" >/dev/null
  dpkg-deb --contents "$package" >"$work/contents"
  if grep -v '^[dl-]rw.r[w-].r[w-]. root/root' "$work/contents"; then fail "$package: is not everyone's"; fi
  for field in Version Architecture Section Maintainer Description Depends; do
    [[ -n $(dpkg-deb --field "$package" $field) ]] || fail "$package has no $field"
  done
  dpkg-deb --extract "$package" "$work/$(dpkg-deb --field "$package" Package)"
done
[[ $(dpkg-deb --field "${main[0]}" Section) == science ]] || fail "the section is not science"
# Matches a package's own name, or one that it provides.
dpkg-deb --field "${main[0]}" Depends | tr ',' '\n' | awk '{ print $1 }' | sort -u >"$work/depends"
for package in $(<"$work/needed_packages") $(owner "$mpiexec"); do
  dpkg-query -W -f='${Package},${Provides}\n' "$package" | tr ',' '\n' | awk 'NF { print $1 }' >"$work/names"
  grep -qxF -f "$work/names" "$work/depends" || fail "the package does not depend on $package, but on: $(<"$work/depends")"
done

# All files of `cmake --install`, each in exactly one package.
files() { (cd "$1" && find . ! -type d | sed 's/^..//; s/\.1\.gz$/.1/' | sort); }
cmake --install "$build" --prefix "$work/all" >/dev/null
files "$work/all" >"$work/installed"
{ files "$work/isotherm/usr"; files "$work/libisotherm-dev/usr"; } | sort >"$work/packed"
added=$(comm -13 "$work/installed" "$work/packed" | tr '\n' ' ')
[[ $added == "share/doc/isotherm/changelog.gz share/doc/isotherm/copyright share/doc/libisotherm-dev/changelog.gz share/doc/libisotherm-dev/copyright " ]] ||
  fail "in the packages only: $added"
missing=$(comm -23 "$work/installed" "$work/packed")
[[ -z $missing ]] || fail "in no package: $missing"
if files "$work/isotherm/usr" | grep -E '^include/|\.(a|cmake)$'; then fail "files for developers in isotherm"; fi

# The program runs alone, without the folder where it was built.
root=$work/isotherm/usr
if readelf -dW "$root/bin/isotherm" | grep -E 'R(UN)?PATH'; then fail "the program has a path of its own"; fi
grep -q '^Copyright: .*isotherm' "$root/share/doc/isotherm/copyright" || fail "no holder of the copyright"
gzip -dc "$root/share/doc/isotherm/changelog.gz" | grep -q '^isotherm (' || fail "no version in the changelog"
if [[ -e $build/manual/isotherm.1 ]]; then
  gzip -dc "$root/share/man/man1/isotherm.1.gz" | cmp - "$build/manual/isotherm.1"
  for completion in bash-completion/completions/isotherm fish/vendor_completions.d/isotherm.fish \
    zsh/site-functions/_isotherm; do
    [[ -s $root/share/$completion ]] || fail "no share/$completion"
  done
fi
if [[ -n $(compgen -G "$root/lib*/*.so*" || compgen -G "$root/lib/*/*.so*") ]]; then
  LD_LIBRARY_PATH=$root/lib:$root/lib/$(uname -m)-linux-gnu
  export LD_LIBRARY_PATH
fi
"$root/bin/isotherm" --version
cd "$work"
"$mpiexec" -n 2 "$root/bin/isotherm" run "$root/share/isotherm/cases/warm-plate.toml" --quiet --device cpu \
  --output plate
"$root/bin/isotherm" verify plate >/dev/null
if command -v lintian >/dev/null; then
  # To redistribute a package, set its maintainer (cmake/package.cmake).
  lintian --allow-root --fail-on error --display-level error \
    --suppress-tags malformed-contact,bogus-mail-host-in-debian-changelog "${main[0]}" "${development[0]}"
fi
[[ ${ISOTHERM_BARE_DEBIAN:-} == 1 ]] || exit 0

bare=$work/bare
# shellcheck source=/dev/null
debootstrap --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$bare" >"$work/debootstrap.log" ||
  { tail "$work/debootstrap.log"; fail "debootstrap"; }
cp "${main[0]}" "$bare/tmp/isotherm.deb"
in_bare() { chroot "$bare" /usr/bin/env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin "$@"; }
in_bare DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install /tmp/isotherm.deb \
  >"$work/apt.log" 2>&1 || { tail "$work/apt.log"; fail "apt-get"; }
in_bare dpkg --list isotherm | tail -n 1
mkdir -m 777 "$bare/tmp/user"
cat >"$bare/tmp/use.sh" <<'END'
set -e
cd /tmp/user
export HOME=/tmp/user
case=/usr/share/isotherm/cases/warm-plate.toml
isotherm --version
isotherm run $case --quiet --output alone
mpirun --oversubscribe -n 2 isotherm run $case --quiet --output together
isotherm verify alone together
isotherm compare alone together --tolerance 1e-6 | tail -n 1
END
chroot --userspec=nobody:nogroup "$bare" /usr/bin/env -i PATH=/usr/bin:/bin sh /tmp/use.sh
rm -rf "$bare"
