#!/usr/bin/env bash
# output_bench_test.sh PROGRAM SOURCE_DIR: `isotherm bench output` writes and reads on any number of
# ranks. It leaves no files, even after failures, and changes no existing ones. Rates are not
# checked, because they depend on the machine. ISOTHERM_TEST_BACKEND: see support.sh.
source "$(dirname "$0")/../support.sh"
once=(--device "$device" --repeat 1)

# nothing_left DIRECTORY: it contains only the file that existed before
nothing_left() { [[ $(ls -A "$1") == mine && $(<"$1/mine") == "of somebody" ]] || fail "left: $(ls -A "$1")"; }

mkdir -p disk && echo "of somebody" >disk/mine

for ranks in 1 3; do
  expect 0 "$ranks" bench output --grid 40x33x34 --precision both --directory disk --json output.json "${once[@]}"
  said '^40 x 33 x 34 in float64, 351 KiB of values, into disk' && said '^plain write ' && said '^snapshot .* %$'
  said '^read to resume .* %' && said '^  sync  *[0-9]'
  ! grep -q 'compress' "$work/out" || fail "compresses without being asked to"
  nothing_left disk
  python3 - "$ranks" <<'END' || fail "output.json is not as it should be: $(cat output.json)"
import json, sys
bench = json.load(open("output.json"))
assert bench["ranks"] == int(sys.argv[1]) and bench["compression"] == 0 and bench["directory"] == "disk"
assert bench["points"] == [40, 33, 34]
assert [row["precision"] for row in bench["rows"]] == ["float32", "float64"]
for row, size in zip(bench["rows"], (4, 8)):
    assert row["bytes"] == 40 * 33 * 34 * size < row["file_bytes"]
    assert set(row["parts_ms"]) == {"copy", "open", "checksum", "pack", "write", "sync", "close"}
    assert sum(row["parts_ms"].values()) <= row["snapshot_ms"] * int(sys.argv[1]) + 1
    for name in ("plain_write", "snapshot", "plain_read", "resume"):
        assert abs(row[name + "_ms"] * row[name + "_bytes_per_second"] / 1e3 / row["bytes"] - 1) < 1e-6
    assert row["share_of_plain_write"] > 0 and row["share_of_plain_read"] > 0
    assert 0 <= row["plain_in_memory"] <= 1 and 0 <= row["snapshot_in_memory"] <= 1
END
done

expect 0 2 bench output --grid 200x150 --compression 1 --directory disk --json packed.json "${once[@]}"
said 'compressed (1) into disk' && said '^  gather and compress ' && holds packed.json '"compression": 1'
nothing_left disk

# refused PATTERN ARGUMENT...: a message of one line, exit code 2, nothing measured
refused() {
  expect 2 2 bench output "${@:2}" "${once[@]}"
  complained "$1"
  [[ $(grep -c '^isotherm: ' "$work/err") == 1 ]] || fail "not one line"
  [[ ! -s $work/out ]] || fail "measured first"
  nothing_left disk
}
refused '^isotherm: --directory: there is no directory nowhere$' --directory nowhere
refused '^isotherm: --directory: disk/mine is not a directory (needs a directory)$' --directory disk/mine
refused '^isotherm: --directory: disk has .* free, but the file needs .* TiB (choose' --directory disk --grid 60000x60000x60000
refused 'compression' --directory disk --compression 10
refused '^isotherm: --json: there is no directory' --directory disk --json nowhere/a.json
if ((EUID != 0)); then
  mkdir closed && chmod a-w closed
  refused '^isotherm: --directory: cannot write to closed: Permission denied$' --directory closed
fi

# A failing disk ends all ranks, and no files remain.
if [[ -n ${FAILING_CALLS:-} ]]; then
  for call in "pwrite EIO 0 0" "fsync EIO 1 0" "rename EIO 0 0"; do
    code=0
    timeout 600 mpirun -n 2 -x LD_PRELOAD="$FAILING_CALLS" -x ISOTHERM_FAILING_CALL="$call" \
      "$program" bench output --grid 40x33x34 --directory disk "${once[@]}" >"$work/out" 2>"$work/err" || code=$?
    ((code == 1)) || fail "exit code $code instead of 1 where $call"
    complained '^isotherm: rank [01]: .*Input/output error'
    nothing_left disk
  done
fi
echo "output: all as it should be"
