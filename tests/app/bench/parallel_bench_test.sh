#!/usr/bin/env bash
# parallel_bench_test.sh PROGRAM SOURCE_DIR: the benchmarks of communication (scaling) succeed
# on any number of ranks and print all their numbers. The numbers are not checked, because they
# depend on the machine. ISOTHERM_TEST_BACKEND: see support.sh.
source "$(dirname "$0")/../support.sh"
once=(--device "$device" --repeat 1 --batch 0.001)

# rows FILE COUNT PATTERN: COUNT lines of the file match the pattern, and the file is valid JSON
rows() {
  local count
  count=$(grep -c -e "$3" "$1") || true
  ((count == $2)) || fail "$count instead of $2 lines of $1 hold '$3'"
  ! command -v python3 >/dev/null || python3 -m json.tool "$1" >/dev/null || fail "$1 is not JSON"
}

# refused PATTERN ARGUMENT...: a message of one line, and exit code 2
refused() {
  expect 2 1 bench "${@:2}" --device "$device"
  [[ $(wc -l <"$work/err") == 1 ]] || fail "not one line"
  complained "$1"
}

# scaling: 1, 2 … and all ranks; the groups work independently.
expect 0 1 bench scaling --grid 20x20x20 --json one.json "${once[@]}"
said 'Scaling needs more than one rank' && said '^strong scaling: 20 x 20 x 20' && said '^weak scaling:'
rows one.json 2 '"efficiency": 1.0'
rows one.json 2 '"ms_of_all_steps": null'

expect 0 3 bench scaling --grid 24x20x18 --steps 7 --check-every 3 --precision both --json many.json \
  "${once[@]}"
said 's for 7' && said 'checks every 3' && said '^ *3  *24 x 20 x 54  *1 x 1 x 3 '
rows many.json 6 '"scaling": "strong"'
rows many.json 6 '"scaling": "weak"'
rows many.json 6 '"precision": "float64"'
rows many.json 5 '"ranks": 3'  # and of all ranks
rows many.json 12 '"ms_per_iteration": [0-9]'
rows many.json 12 '"ms_of_all_steps": [0-9]'
rows many.json 8 '"share_of_halos": -\?[0-9]'
! command -v python3 >/dev/null || python3 - <<'END' || fail "the efficiencies do not add up: $(cat many.json)"
import json
base = {}
for row in json.load(open("many.json"))["rows"]:
    alone = base.setdefault((row["scaling"], row["precision"]), row)
    shared = row["ranks"] if row["scaling"] == "strong" else 1
    wanted = alone["ms_per_iteration"] / (shared * row["ms_per_iteration"])
    assert row["base_ranks"] == 1 and abs(row["efficiency"] / wanted - 1) < 1e-9
END

expect 0 2 bench scaling --weak --grid 30x28 --equation diffusion --boundary periodic --plan plain \
  --transport staged --json weak.json "${once[@]}"
said '^ *1  *30 x 28 .* plain  *none$'
said '^ *2  *30 x 56 .* plain  *staged through pinned host memory$'
! grep -q '^strong' "$work/out" || fail "a scaling that was not asked for"
rows weak.json 2 '"plan": "plain"'

# What a group cannot measure has its own row.
if [[ $device == cpu ]]; then  # on the CPU the grid of one rank can always be resident
  expect 0 3 bench scaling --strong --grid 40x30 --plan resident --json small.json "${once[@]}"
  said '^ *3  *40 x 30 there is no sweep plan "resident"'
  rows small.json 1 '"ms_per_iteration": [0-9]'
  rows small.json 2 '"obstacle": "there is no sweep plan'
fi

# Grids that do not fit into memory are omitted with a message.
huge=30000x30000x30000
expect 0 2 bench scaling --strong --grid $huge --json huge.json "${once[@]}"
said "^ *2  *30000 x 30000 x 30000  *does not fit into memory"
rows huge.json 2 '"obstacle": "does not fit into memory"'

refused 'no sweep plan "fast"' scaling --plan fast
refused 'no transport "pigeon"' scaling --transport pigeon
refused 'steps' scaling --steps 0
if [[ $device == cpu ]]; then
  expect 2 2 bench scaling --transport nccl "${once[@]}"
  complained 'cannot work here'
fi
echo "benchmarks between ranks: all as they should be"
