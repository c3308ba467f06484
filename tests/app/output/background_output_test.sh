#!/usr/bin/env bash
# background_output_test.sh PROGRAM SOURCE_DIR: fields that are written in the background equal
# those that are written while the run waits. A disk that is temporarily full, or slow, costs no
# more than the case allows. FAILING_CALLS in the environment: the library that makes calls fail.
# ISOTHERM_TEST_BACKEND: the device; devices copy fields differently.
in_memory=yes
source "$(dirname "$0")/../support.sh"

laplace_case 'iterations = 100' >case.toml
options=(--set checkpoint.every=20 --set checkpoint.keep=9 --set output.snapshot_every=50
  --set output.picture=false)

# with FAULTS ARGUMENT...: like expect, with these failing calls; mpirun passes both variables on
with() {
  LD_PRELOAD=$FAILING_CALLS ISOTHERM_FAILING_CALL="$1" expect "${@:2}"
}

expect 0 1 run case.toml "${options[@]}" --set output.in_background=false --output waits
holds waits/run.log "the run waits for each file: output.in_background is false"
holds waits/summary.json '"in_background": false'

# The same files on other ranks, compressed, in another type, and of a part of the grid.
for ranks in 1 3; do
  expect 0 "$ranks" run case.toml "${options[@]}" --output goes-on-$ranks
  holds goes-on-$ranks/run.log "written in the background"
  holds goes-on-$ranks/summary.json '"fields_written": 7'
  for file in 000000 000020 000040 000050 000060 000080 000100; do
    same_field waits/u_$file.vtkhdf goes-on-$ranks/u_$file.vtkhdf
  done
done
part=(--set output.precision=float32 --set 'output.cut={lower=[0,0,0.5],upper=[1,1,0.5]}'
  --set output.compression=1 --set grid.precision=float64)
expect 0 2 run case.toml "${options[@]}" "${part[@]}" --output part
expect 0 1 run case.toml "${options[@]}" "${part[@]}" --set output.in_background=false --output part-waits
same_field part/u_000050.vtkhdf part-waits/u_000050.vtkhdf

# A full disk while one field is written: the run reports it and continues, and all other files are
# valid.
with "pwrite ENOSPC 1 0 u_000040.vtkhdf.tmp" 0 3 run case.toml "${options[@]}" --output full
complained "the field of iteration 40 could not be written: .*No space left on device; the run continues"
said "1 field could not be written"
holds full/summary.json '"fields_failed": 1'
holds full/summary.json '"status": "done"'
[[ ! -e full/u_000040.vtkhdf ]] || fail "a field that could not be written is there"
! compgen -G "full/*.tmp" >/dev/null || fail "a temporary file is left"
for file in 000020 000060 000100; do same_field waits/u_$file.vtkhdf full/u_$file.vtkhdf; done

# A series that cannot be written is written with the next field. No field is lost.
with "open ENOSPC 0 3 u.xmf.tmp 1" 0 1 run case.toml "${options[@]}" --set output.snapshot_every=0 --output series
complained "could not add the field to the series for ParaView: .*No space left on device"
for at in 020 040 060 080 100; do holds series/u.xmf "u_000$at.vtkhdf"; done
holds series/summary.json '"fields_failed": 0'

# A rounded final field replaces a complete one only after that is stored elsewhere.
expect 0 1 run case.toml --set grid.precision=float64 --set output.picture=false --output kept
with "pwrite ENOSPC -1 0 checkpoint.vtkhdf.tmp" 1 1 run case.toml --set grid.precision=float64 \
  --set output.picture=false --set output.precision=float32 --resume --output kept
expect 0 1 run case.toml --set grid.precision=float64 --set output.picture=false --resume --output kept

# The same for the table of residuals, which is complete in the end.
with "write ENOSPC 0 1 residuals.csv 2" 0 1 run case.toml "${options[@]}" \
  --set method.check_every=10 --output rows
expect 0 1 run case.toml "${options[@]}" --set method.check_every=10 --output all-rows
cmp rows/residuals.csv all-rows/residuals.csv || fail "rows are missing, or twice there"
holds rows/run.log "residuals.csv could not be written: .*No space left on device"

# A failure to write the final field is an error.
with "pwrite EROFS 0 0 u_000100.vtkhdf.tmp" 1 1 run case.toml "${options[@]}" --output last
complained "Read-only file system"
holds last/summary.json '"status": "failed"'
expect 0 1 run case.toml "${options[@]}" --resume --output last
same_field waits/u_000100.vtkhdf last/u_000100.vtkhdf

# A slow disk: the run waits for checkpoints or skips them, as the case asks.
slow="fsync wait:300 0 0"
with "$slow" 0 2 run case.toml "${options[@]}" --output patient
holds patient/summary.json '"fields_written": 7'
holds patient/summary.json '"checkpoints_skipped": 0'
with "$slow" 0 1 run case.toml "${options[@]}" --set output.snapshot_every=0 --set checkpoint.when_busy=skip \
  --set checkpoint.every=1 --output impatient
holds impatient/run.log "skipped the checkpoint of iteration .*: the one of iteration 1 is still being written"
holds impatient/run.log "checkpoints skipped, since the previous one was not on disk yet"
same_field waits/u_000100.vtkhdf impatient/u_000100.vtkhdf
echo "output in the background: all as it should be"
