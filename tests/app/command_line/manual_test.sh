#!/usr/bin/env bash
# manual_test.sh PROGRAM SOURCE_DIR
#
# The manual page and the completion that the build has made cover everything in --help. man accepts
# the page, and the completion works.
in_memory=yes
other_shells=()
source "$(dirname "$0")/../support.sh"
build=$(dirname "$program")
page=$build/manual/isotherm.1 completion=$build/manual/isotherm.bash
if grep -q '^ISOTHERM_MANUAL:.*=OFF' "$build/CMakeCache.txt"; then
  echo "skipped: this build makes no manual" && exit 77
fi

# Interactive shells tolerate failing commands.
as_in_a_shell() {
  set +euo pipefail
  _isotherm
  set -euo pipefail
}
# complete_line WORD...: prints the completions of the last word ("" for a new one), in one line,
# sorted
complete_line() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
  COMP_LINE=$* COMP_POINT=${#COMP_LINE} COMPREPLY=()
  as_in_a_shell
  replies=$(printf '%s\n' ${COMPREPLY[@]+"${COMPREPLY[@]}"} | sort | paste -sd '|')
}
# completes EXPECTED WORD...
completes() {
  complete_line "${@:2}"
  [[ $replies == "$1" ]] || fail "'${*:2}' completes to '$replies', not '$1'"
}
offers() {  # WORD...: these are among the completions
  complete_line "${@:2}"
  [[ "|$replies|" == *"|$1|"* ]] || fail "'${*:2}' completes to '$replies', without '$1'"
}

# `isotherm help` equals --help, and -V equals --version.
for command in '' run 'bench sweep'; do
  read -r -a words <<<"$command"
  expect 0 1 "${words[@]}" --help
  mv "$work/out" "$work/help"
  expect 0 1 help "${words[@]}"
  cmp "$work/help" "$work/out" || fail "help $command is not $command --help"
done
expect 0 1 --version
mv "$work/out" "$work/version"
expect 0 1 -V
cmp "$work/version" "$work/out" || fail "-V is not --version"

# Every command with all options of its help.
bash -n "$completion"
# shellcheck source=/dev/null
source "$completion"
sed 's/\\-/-/g; s/\\f[BIR]//g' "$page" >"$work/page"
# section COMMAND: prints its section of the page; for the program itself, its options
section() {
  awk -v command="$1" '
    /^\.S[HS]/ { here = index($0, ".SS " command " [OPTIONS]") == 1 || (command == "isotherm" && $0 == ".SH OPTIONS") }
    here' "$work/page"
}
# Succeeds if a test script runs the command and expects an exit code other than that of a refusal.
# Commands that no test runs may be broken. Besides `expect`, some scripts have their own helpers.
is_run() { # COMMAND...
  local lines
  lines=$(grep -hE "(^|[ (\"])(expect (0|1|3|75) [^ ]+|\"\\\$program\"|isotherm \"?[\$0-9][a-z]*\"?|writes [0-9]+) $*( |\$)" \
    "$source_dir"/tests/{app/*,jobs}/*_test.sh | grep -v -e --help)
  [[ -n $lines ]]
}
! is_run nonsense || fail "any command passes for one that is run"
checked=0
check_command() { # COMMAND...
  local name option commands
  expect 0 1 "${@:2}" --help
  section "$*" >"$work/section"
  [[ -s $work/section ]] || fail "the page has nothing about '$*'"
  sed -n 's/^  \(-[^ ]*\).*/\1/p' "$work/out" | tr ',' '\n' >"$work/options"
  grep -q -e --help "$work/options" || fail "no options found in the help of '$*'"
  while IFS= read -r option; do
    grep -qE -e "^(-[a-zA-Z], )?$option( |,|$)" "$work/section" || fail "the page of '$*' lacks $option"
    offers "$option" "$@" "$option"
    checked=$((checked + 1))
  done <"$work/options"
  commands=$(sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p' "$work/out")
  for name in $commands; do
    offers "$name" "$@" ''
    check_command "$@" "$name"
  done
  [[ -n $commands ]] || is_run "${@:2}" || fail "no test runs: $*"
}
check_command isotherm
((checked > 60)) || fail "only $checked options were found in all helps"

# Environment variables that the program reads, except those for tests.
for variable in $(grep -rhoE --include='*.cpp' 'getenv\("[A-Z_]+|"ISOTHERM_[A-Z_]+"' "$source_dir/app" "$source_dir/case" |
  grep -oE '[A-Z_]+' | sort -u); do
  grep -q "^$variable" "$work/page" || fail "the page does not name $variable"
done
for code in 0 1 2 3 75; do
  sed -n '/^\.SH EXIT STATUS/,/^\.SH ENV/p' "$work/page" | grep -qx "$code" || fail "no exit status $code"
done
if grep -n '[^ -~]' "$page"; then fail "the page is not plain ASCII"; fi
if command -v groff >/dev/null; then
  groff -man -Tutf8 -ww -z "$page" 2>"$work/err" || fail "groff"
  [[ ! -s $work/err ]] || fail "groff warns"
fi

# Commands and arguments.
mkdir -p results/old "with blank"
touch case.toml other.toml notes.txt results/u_1.vtkhdf "with blank/v.vtkhdf"
completes 'report|resample|results|run' isotherm r  # the directory may contain a case
completes 'case.toml|combine|compare' isotherm c
completes '--quiet' isotherm case.toml --q
completes 'method.name=|method.norm=' isotherm case.toml method.n
completes 'jacobi' isotherm run case.toml --quiet method.name = ja
completes 'scaling|shared|smooth|solve|sweep' isotherm bench s
completes '' isotherm nonsense ''
completes 'case.toml|other.toml|results|with blank' isotherm run ''
completes 'case.toml' isotherm run --quiet ca
completes 'results/old|results/u_1.vtkhdf' isotherm info results/
completes 'with blank/v.vtkhdf' isotherm compare results/u_1.vtkhdf 'with blank/'
completes 'wrap' isotherm smooth results/u_1.vtkhdf --edges w
completes 'notes.txt' isotherm verify case.toml no
completes 'diffusion|laplace|poisson' isotherm new ''
completes '--resume|--resume-or-overwrite' isotherm run --res
completes '' isotherm run -- --res
# Values of options, as separate words or after "=", which bash makes a separate word.
completes 'auto|cpu|cuda' isotherm run --device ''
completes 'cpu|cuda' isotherm run case.toml --device = c
completes 'auto|cpu|cuda' isotherm run --device =
completes 'both' isotherm bench tune --dimension b
completes 'results|with blank' isotherm run --output ''
completes '' isotherm bench scaling --steps ''
completes '--dry-run' isotherm run --resume --dr
completes 'results/old|results/u_1.vtkhdf' isotherm run --resume results/
completes 'case.toml' isotherm run --resume results/u_1.vtkhdf ca
# Keys of the case and their values.
completes 'method.name=|method.norm=' isotherm run --set method.n
completes 'jacobi' isotherm run --set method.name = ja
completes 'neumann' isotherm run --set boundary.x_upper.type = n
completes 'false|true' isotherm run --set = output.in_background =
completes 'cuda' isotherm run --set run.device = cu
completes 'case.toml' isotherm run --set method.name = jacobi ca
completes 'case.toml|other.toml|results|with blank' isotherm run --set method.name = jacobi ''
completes '' isotherm run --set method.iterations =
for key in boundary.x_lower.value initial.value output.cut.lower title; do
  offers "$key=" isotherm run --set "$key"
done
# Shells in which "=" does not divide words.
complete_whole() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_WORDBREAKS=$' \t\n' COMP_LINE=$* COMPREPLY=()
  COMP_POINT=${#COMP_LINE}
  as_in_a_shell
  replies=${COMPREPLY[*]-}
}
complete_whole isotherm run --set=method.cycle=
[[ $replies == "--set=method.cycle=V --set=method.cycle=F --set=method.cycle=W" ]] || fail "$replies"

# The same for the other shells, if installed. EXPECTED WORD...: completes the last word.
if command -v fish >/dev/null; then
  fish_completes() {
    replies=$(fish --no-config -c 'source $argv[1]; complete -C "$argv[2..-1]"' "$build/manual/isotherm.fish" "${@:2}" 2>"$work/err" |
      cut -f 1 | sort | paste -sd '|')
    [[ ! -s $work/err ]] || fail "fish complains"
    [[ $replies == "$1" ]] || fail "fish completes '${*:2}' to '$replies', not '$1'"
  }
  other_shells+=(fish_completes)
fi
if command -v zsh >/dev/null; then
  # Simulates compadd and _files with zsh's filtering. compset -P removes everything up to the first
  # "=".
  cat >"$work/ask.zsh" <<'END'
compdef() { }
source $1
shift
words=("$@") CURRENT=$# PREFIX=${@[-1]} before=
compset() { before+=${PREFIX%%=*}=; PREFIX=${PREFIX#*=} }
compadd() {
  [[ $1 != -S ]] || shift 2
  shift
  for word in "$@"; do [[ $word != $PREFIX* ]] || print -r -- $before$word; done
}
_files() {
  case $1 in
    -g) eval "for file in \$PREFIX*(N); do [[ ! -f \$file || \$file == $2 ]] && print -r -- \$before\$file; done" ;;
    -/) for file in $PREFIX*(N/); do print -r -- $before$file; done ;;
    *) for file in $PREFIX*(N); do print -r -- $before$file; done ;;
  esac
}
_isotherm
exit 0
END
  zsh_completes() {
    replies=$(zsh -f "$work/ask.zsh" "$build/manual/isotherm.zsh" "${@:2}" 2>"$work/err" | sed 's|/$||' | sort | paste -sd '|')
    [[ ! -s $work/err ]] || fail "zsh complains"
    [[ $replies == "$1" ]] || fail "zsh completes '${*:2}' to '$replies', not '$1'"
  }
  other_shells+=(zsh_completes)
fi
for completes in "${other_shells[@]}"; do
  $completes 'run' isotherm ru
  $completes 'case.toml|combine|compare' isotherm c
  $completes '--quiet' isotherm case.toml --q
  $completes 'method.name=jacobi' isotherm case.toml method.name=ja
  $completes 'scaling|shared|smooth|solve|sweep' isotherm bench s
  $completes '' isotherm nonsense ''
  $completes 'case.toml' isotherm run --quiet ca
  $completes 'diffusion|laplace|poisson' isotherm new ''
  $completes 'run' isotherm help ru
  $completes '--resume|--resume-or-overwrite' isotherm run --res
  $completes 'auto|cpu|cuda' isotherm run --device ''
  $completes '--device=cpu|--device=cuda' isotherm run case.toml --device=c
  $completes 'notes.txt' isotherm verify case.toml no
  $completes '--dry-run' isotherm run --resume --dr
  $completes 'method.name=|method.norm=' isotherm run --set method.n
  $completes 'method.name=jacobi' isotherm run --set method.name=ja
  $completes '--set=method.name=jacobi' isotherm run --set=method.name=ja
  $completes '' isotherm run --set method.iterations=
done
