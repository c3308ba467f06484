#!/usr/bin/env bash
# data_files_test.sh PROGRAM SOURCE_DIR: runs whose cases have values in files, which are fields of
# earlier runs. C++ tests check the numbers. ISOTHERM_TEST_BACKEND: see support.sh.
in_memory=yes
source "$(dirname "$0")/../support.sh"
short=(--quiet --set output.picture=false)

# made NAME EXPRESSION: creates a field NAME/u_000000.vtkhdf with that value
made() {
  laplace_case 'iterations = 0' >made.toml
  expect 0 1 run made.toml "${short[@]}" --output "$1" --set initial.value="$2" --set grid.precision=float64 \
    --set 'boundary={ all = { type = "neumann" }, x_upper = { type = "robin", coefficient = 1 } }'
}
made first '1 + x*y + z'
made second '2 + x*y + z'
made bad 'x - 0.5'

in_file() { echo "{ file = \"$1/u_000000.vtkhdf\", dataset = \"u\" }"; }
laplace_case 'steps = 6' >case.toml
sed -i 's/"laplace"/"diffusion"/; s/"jacobi"/"ftcs"/' case.toml
of_first=(--set equation.conductivity="$(in_file first)")
of_moved=(--set equation.conductivity="$(in_file elsewhere/first)")
of_second=(--set equation.conductivity="$(in_file second)")
of_bad=(--set equation.conductivity="$(in_file bad)")

# The same bits as from an expression, on any number of ranks.
expect 0 1 run case.toml "${short[@]}" --set equation.conductivity='1 + x*y + z' --output text
for ranks in 1 3; do
  expect 0 $ranks run case.toml "${short[@]}" "${of_first[@]}" --output "file$ranks"
  same_field text "file$ranks"
done

# The stored case finds the file from its own folder.
expect 0 1 run file1/case.toml "${short[@]}" --output again
same_field text again

# It resumes with the same values in any file, and not with others. The earlier run can be compared
# without its files.
probe=(--set 'probe=[{ name = "middle", at = [0.5, 0.4, 0.3] }]')
expect 0 1 run case.toml "${short[@]}" "${of_first[@]}" "${probe[@]}" --output gap
expect 0 1 run case.toml "${short[@]}" "${of_first[@]}" --output gap --resume --set method.steps=9
of_axis() { echo "grid.x={ file = \"$1/u_000000.vtkhdf\", dataset = \"x\" }"; }
expect 0 1 run case.toml "${short[@]}" --set "$(of_axis first)" --output graded
mkdir elsewhere && mv first elsewhere
expect 0 1 run case.toml --set output.picture=false "${of_moved[@]}" --output file1 --resume
said 'already finished'
expect 0 1 run case.toml --set output.picture=false --set "$(of_axis elsewhere/first)" --output graded --resume
said 'already finished'
expect 2 1 run case.toml "${short[@]}" "${of_moved[@]}" "${probe[@]}" --output gap --resume --set method.steps=12
complained 'has no such probe'
expect 2 1 run case.toml "${short[@]}" "${of_first[@]}" --output file1 --resume
complained '\[equation\] conductivity: first/u_000000.vtkhdf: no such file'
expect 0 1 run case.toml "${short[@]}" "${of_moved[@]}" --output file1 --resume --set method.steps=9
expect 0 1 run case.toml --set output.picture=false "${of_moved[@]}" --output file1 --resume --set method.steps=9
said 'already finished'
before=$(ls -lR --time-style=full-iso)
expect 2 1 run case.toml "${short[@]}" "${of_second[@]}" --output file1 --resume --set method.steps=12
complained '\[equation\] conductivity is "data, digest [0-9a-f]\{16\}", but the file has "data, digest'

# refused RANKS PATTERN OPTION...: a message of one line, and nothing is written
refused() {
  expect 2 "$1" run case.toml "${@:3}"
  [[ $(grep -c '^isotherm: ' "$work/err") == 1 ]] || fail "not one line of errors"
  complained "$2"
  [[ $(ls -lR --time-style=full-iso) == "$before" ]] || fail "something was written"
}
# Also if the time step depends on the whole grid.
wrong='conductivity: bad/u_000000.vtkhdf, dataset "u", is -0.5 at \[0, 0, 0\], that is at x = 0'
refused 3 "$wrong" "${of_bad[@]}"
refused 1 "$wrong" "${of_bad[@]}" --dry-run
refused 1 'conductivity: first/u_000000.vtkhdf: no such file' "${of_first[@]}"
refused 1 'its shape is (13, 17, 20), the grid.s is (13, 17, 21) (z, y, x)' "${of_second[@]}" \
  --set grid.points='[21,17,13]'
refused 1 'there is no such dataset in the file (it contains ' \
  --set 'equation.conductivity={ file = "second/u_000000.vtkhdf", dataset = "/u_" }'
# A region of a file is listed with its volume on the grid: that of the points with 2 + x*y + z > 2.4871.
mask='where = { file = "second/u_000000.vtkhdf", dataset = "u", above = 2.4871 }'
expect 0 2 run case.toml "${short[@]:1}" --dry-run \
  --set "insulated=[{ name = \"rock\", $mask }]" --set "material=[{ conductivity = 2.0, $mask }]"
volume=$(python3 -c '
share = lambda i, n: 0.5 if i in (0, n - 1) else 1.0
points, gaps = (20, 17, 13), (1 / 19, 0.8 / 16, 0.6 / 12)
inside = lambda i, j, k: i * gaps[0] * j * gaps[1] + k * gaps[2] > 0.4871
print("%.6g" % sum(share(i, 20) * share(j, 17) * share(k, 13) * gaps[0] * gaps[1] * gaps[2]
                   for i in range(20) for j in range(17) for k in range(13) if inside(i, j, k)))')
said "^regions  *material 0, volume $volume$"
said "insulated \"rock\", volume $volume$"
# Results do not replace their input files.
refused 1 'second/u_000000.vtkhdf, which is an input of this run (\[equation\] conductivity), would be replaced' "${of_second[@]}" \
  --output second --overwrite
# Nor files of coordinates.
refused 1 'second/u_000000.vtkhdf, which is an input of this run (\[grid\] x), would be replaced' --output second --overwrite \
  --set 'grid.x={ file = "second/u_000000.vtkhdf", dataset = "x" }'
# A changed value in an uncompressed .npz file, of which each rank reads a part, does not fit its checksum.
python3 - 13 17 20 <<'END'
import struct, sys, zipfile
shape = tuple(map(int, sys.argv[1:]))
header = repr({"descr": "<f8", "fortran_order": False, "shape": shape}).ljust(117) + "\n"
values = struct.pack("<d", 1.5) * (shape[0] * shape[1] * shape[2])
with zipfile.ZipFile("sound.npz", "w") as file:
    file.writestr("k.npy", b"\x93NUMPY\1\0" + struct.pack("<H", 118) + header.encode() + values)
bytes = bytearray(open("sound.npz", "rb").read())
bytes[len(bytes) // 2] ^= 1
open("damaged.npz", "wb").write(bytes)
END
for ranks in 1 2; do
  expect 0 $ranks run case.toml "${short[@]}" --set 'equation.conductivity={ file = "sound.npz" }' --output "npz$ranks"
  expect 2 $ranks run case.toml "${short[@]}" --set 'equation.conductivity={ file = "damaged.npz" }' --output damaged
  complained 'damaged.npz is damaged: the contents of an array are wrong$' && [[ ! -e damaged ]] || fail "a run has begun"
done
echo "values in files: all as they should be"
