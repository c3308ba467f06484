#!/usr/bin/env bash
# scaling_table_test.sh PROGRAM SOURCE_DIR
#
# The table of many scaling runs: rows of the same problem are merged, medians are used, and the
# incomplete file of a cancelled job does no harm.
source "$(dirname "$0")/../app/support.sh"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
table=$source_dir/jobs/slurm/scaling_table.py

# row SCALING RANKS MS RATE EFFICIENCY [PLAN]
row() {
  printf '{"scaling": "%s", "ranks": %d, "precision": "float32", "points": [64, 64, 64], "obstacle": null,' "$1" "$2"
  printf '"ms_per_iteration": %s, "gcells_per_second": %s, "efficiency": %s,' "${@:3:3}"
  printf '"share_of_halos": null, "transport": "peer", "plan": "%s"}' "${6:-t4}"
}
refused='{"scaling": "strong", "ranks": 8, "precision": "float32", "points": [64, 64, 64], "obstacle": "too large"}'
# run RANKS ROW...
run() {
  local IFS=,
  printf '{"device": "a GPU", "ranks": %d, "equation": "laplace", "check_every": 0, "steps": null,' "$1"
  printf '"points": [64, 64, 64], "rows": [%s]}\n' "${*:2}"
}

run 2 "$(row strong 1 4.0 10 1)" "$(row strong 2 2.5 16 0.8)" "$(row weak 2 4.4 18 0.9)" >a.json
run 4 "$(row strong 1 4.4 9 1)" "$(row strong 2 2.0 20 0.9)" "$(row strong 4 1.0 40 1.0 t2)" >b.json
run 4 "$(row strong 2 3.0 14 null)" "$refused" >c.json
run 16 "$(row strong 16 0.5 80 0.5)" >large.json
run 2 "$(row strong 1 9.0 5 1)" | sed 's/"check_every": 0/"check_every": 100/' >checked.json
echo '{"device": "a GPU", "ro' >half.json
echo '{"device": "a GPU"}' >other.json

python3 "$table" . >"$work/out" 2>"$work/err" || fail "the table ended with $?"
complained 'ignored: half.json'
complained 'ignored: other.json'
(($(wc -l <"$work/err") == 2)) || fail "more than two files were left out"
said '^strong scaling, float32: a GPU, laplace, 64 x 64 x 64$'
said '^| *1 | *4.2000 | *9.5 | *100.0% | *- | *9.5% | *2 | peer *| t4 *|$'
said '^| *2 | *2.5000 | *16.0 | *85.0% | *- | *40.0% | *3 | peer *| t4 *|$'
said '^| *4 | *1.0000 | *40.0 | *100.0% | *- | *0.0% | *1 | peer *| t2 *|$'
said '^| *8 | *- | *- | *- | *- | *- | *0 | too large | - *|$'
[[ $(awk -F'|' '/check_every/ { exit } $2 > 0 { printf "%d ", $2 }' "$work/out") == "1 2 4 8 16 " ]] ||
  fail "the rows are not in the order of the ranks"
said '^weak scaling, float32: a GPU, laplace, 64 x 64 x 64$'
said '^| *2 | *4.4000 | *18.0 | *90.0% |'
said '^strong scaling, float32: a GPU, laplace, check_every 100, 64 x 64 x 64$'

mkdir empty
! python3 "$table" empty >"$work/out" 2>"$work/err" || fail "no files, and no failure"
! python3 "$table" missing.json >"$work/out" 2>"$work/err" || fail "no such file, and no failure"
complained 'ignored: missing.json'
echo "one table of many runs"
