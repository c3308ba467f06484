#!/usr/bin/env bash
# consumer.sh BUILD_DIR WORK_DIR MPIEXEC [CMAKE_ARGUMENT...]
#
# Installs the build into WORK_DIR, moves the installed tree, then builds and runs a small program
# against it, like a separate project.
set -euo pipefail
build=$1 work=$2 mpiexec=$3
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
rm -rf "$work"
mkdir -p "$work"

cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved"  # the installed tree must be relocatable
if grep -rl -e "$source/" -e "$work/first" "$work/moved" --include='*.cmake'; then
  echo "the files above lead back to the source, build or first installed tree" >&2
  exit 1
fi
bash "$source/tests/structure/hardening.sh" "$work/moved" "$work/moved/bin/isotherm"
"$work/moved/bin/isotherm" --version

fail() { echo "FAILED: $*" >&2; exit 1; }
share=$work/moved/share
for file in isotherm/cases/quickstart.toml doc/isotherm/{LICENSE,README.md,docs/reference/case-file.md}; do
  [[ -f $share/$file ]] || fail "share/$file is missing"
done
# Links of installed documents lead to installed files.
documents=$share/doc/isotherm
while IFS=: read -r page link; do
  link=${link#](} link=${link%)} target=${page%/*}/${link%%#*}
  [[ $link == *://* || $link == \#* || $link == mailto:* || -e $target ]] || fail "$page: the link $link leads nowhere"
done < <(cd / && grep -roH '](\(#\|[^)#: ]\)[^) ]*)' "$documents" --include='*.md')
grep -qF '](../../../isotherm/cases/warm-plate.toml)' "$documents/docs/gallery.md" || fail "the gallery leads to other cases"

[[ $(ls "$work/moved/include") == isotherm ]] || fail "include/ holds more than isotherm: $(ls "$work/moved/include")"

# A job script of the installed tree, with stand-ins for SLURM that print their arguments.
scripts=$share/isotherm/slurm
for script in "$scripts"/*.sh "$scripts"/*.sbatch; do
  bash -n "$script" || fail "$script"
done
mkdir "$work/stand-ins"
printf '#!/bin/sh\necho "$@"\n' >"$work/stand-ins/srun"
printf '#!/bin/sh\necho "   Command=%s/one-node.sbatch case.toml a/result"\n' "$scripts" >"$work/stand-ins/scontrol"
chmod +x "$work/stand-ins"/*
cp "$scripts/one-node.sbatch" "$work/slurm_script"  # as SLURM does
mkdir -p "$work/a/result"
echo '"status": "done"' >"$work/a/result/summary.json"  # as a run does
(cd "$work" && env -u ISOTHERM -u ISOTHERM_HOME -u LAUNCHER PATH="$work/stand-ins:$PATH" SLURM_JOB_ID=1 \
  SLURM_SUBMIT_DIR="$work" bash "$work/slurm_script" case.toml a/result) >"$work/launched"
program=$(grep -o '/[^ ]*/isotherm run case.toml --output a/result' "$work/launched") \
  || fail "the job script starts: $(<"$work/launched")"
program=${program%% *}
[[ $program -ef $work/moved/bin/isotherm ]] || fail "the job script starts $program"

cmake -S "$here" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/moved" "${@:4}" >"$work/configure.log" \
  || { cat "$work/configure.log"; exit 1; }
cmake --build "$work/build" --parallel 2
for ranks in 1 2; do
  "$mpiexec" -n $ranks "$work/build/poisson"
  "$mpiexec" -n $ranks "$work/build/run_case" "$share/isotherm/cases/diffusion-classic.toml"
done

# Uninstalling removes all installed files, and no others.
cmake --install "$build" --prefix "$work/again" >/dev/null
(($(find "$work/again" -type f | wc -l) > 50)) || fail "hardly anything was installed"
echo mine >"$work/again/share/isotherm/cases/mine.toml"
cmake -D MANIFEST="$build/install_manifest.txt" -P "$source/cmake/uninstall.cmake"
left=$(cd "$work/again" && find . ! -type d)
[[ $left == ./share/isotherm/cases/mine.toml ]] || fail "left after uninstalling: $left"
left=$(find "$work/again" -type d -empty)
[[ -z $left ]] || fail "empty folders are left: $left"

# A prefix that did not exist is removed, too; a folder that existed stays.
mkdir -p "$work/new/kept/share/man"
cmake --install "$build" --prefix "$work/new/prefix" >/dev/null
cmake -D MANIFEST="$build/install_manifest.txt" -P "$source/cmake/uninstall.cmake"
[[ ! -e $work/new/prefix ]] || fail "the prefix is left: $(find "$work/new/prefix")"
cmake --install "$build" --prefix "$work/new/kept" >/dev/null
cmake -D MANIFEST="$build/install_manifest.txt" -P "$source/cmake/uninstall.cmake"
left=$(cd "$work/new/kept" && find . -mindepth 1 | sort | xargs)
[[ $left == "./share ./share/man" ]] || fail "left in a folder that existed: $left"
