#!/usr/bin/env bash
# ratchet.sh LIST <COUNTS
#
# Counts that may only decrease. A line of COUNTS is a number and a name. The lines of LIST contain
# the maximum for each name, which is 0 for names that are not in LIST. Exit code 1 if a number is
# larger. If numbers have decreased, ISOTHERM_LOWER_RATCHETS=1 lowers those of LIST.
set -euo pipefail
lowered=$(awk -v list="$1" '
  function say(text) { printf "%s: %d, and %s allows %d%s\n", name, count[name], list, allowed[name], text >"/dev/stderr" }
  BEGIN { while ((getline line < list) > 0) { split(line, part, " "); allowed[part[2]] = part[1] } }
  { count[$2] = $1; allowed[$2] += 0 }
  END {
    for (name in allowed) {
      if (count[name] > allowed[name]) { say(": too many"); failed = 1 }
      if (count[name] < allowed[name]) say(": lower that (ISOTHERM_LOWER_RATCHETS=1)")
      if (count[name] > 0 && allowed[name] > 0) print count[name], name
    }
    exit failed
  }' | sort -k 2)
[[ ${ISOTHERM_LOWER_RATCHETS:-0} != 1 ]] || printf '%s' "${lowered:+$lowered$'\n'}" >"$1"
