#!/usr/bin/env bash
# faults_test.sh PROGRAM SOURCE_DIR: any call of the file system may fail, or end its process, while
# a checkpoint is written. The run reports it, ends on all ranks, leaves valid files only, and
# resumes to the bits of an undisturbed run. Partial, interrupted or slow calls simply work.
# FAILING_CALLS in the environment: the library that makes calls fail
# (tests/support/failing_calls.cpp). ISOTHERM_FAULTS=all: at every place, and also on three ranks;
# otherwise at some places on one rank.
in_memory=yes
source "$(dirname "$0")/../support.sh"

laplace_case 'iterations = 40' 'check_every = 10' >case.toml
options=(--set checkpoint.every=10 --set checkpoint.keep=2 --set output.picture=false)
expect 0 1 run case.toml "${options[@]}" --output whole --quiet

# with FAULTS RANKS ARGUMENT...: runs the program with these faults; its exit code is in $code
with() {
  code=0
  if (($2 == 1)); then
    {  # suppresses the shell's message about a killed process
      LD_PRELOAD=$FAILING_CALLS ISOTHERM_FAILING_CALL=$1 timeout 300 \
        "$program" "${@:3}" >"$work/out" 2>"$work/err" || code=$?
    } 2>/dev/null
  else
    timeout 300 mpirun -n "$2" -x LD_PRELOAD="$FAILING_CALLS" -x ISOTHERM_FAILING_CALL="$1" \
      "$program" "${@:3}" >"$work/out" 2>"$work/err" || code=$?
  fi
  ((code != 124)) || fail "a run on $2 ranks does not end where $1"
}

# recovers RANKS: the files in the folder broken are valid, and a run resumes from there, or starts
# anew if there are none
recovers() {
  local -a files=(broken/u_*.vtkhdf)
  [[ ! -e ${files[0]} ]] || expect 0 1 info broken --verify
  expect 0 "$1" run case.toml "${options[@]}" --output broken --resume-or-overwrite --quiet
  ! compgen -G "broken/*.tmp" >/dev/null || fail "a temporary file is left after a resumed run"
  same_field whole/u_000040.vtkhdf broken/u_000040.vtkhdf
  rm -r broken
}

# at_each_place CALL RANKS RANK STEP: the first such call of that rank fails; in the next run the
# one that is STEP calls later, and so forth up to the last one
at_each_place() {
  local count fault
  for ((count = 0;; count += $4)); do
    fault="$1 EIO $3 $count"
    with "$fault" "$2" run case.toml "${options[@]}" --output broken
    ((code != 0)) || break
    ((code == 1)) || fail "exit code $code instead of 1 where $fault on $2 ranks"
    complained "^isotherm: .*Input/output error\|^isotherm: .*cannot be read back"
    ! compgen -G "broken/*.tmp" >/dev/null || fail "a temporary file is left where $fault"
    holds broken/summary.json '"status": "failed"'
    recovers "$2"
  done
  same_field whole/u_000040.vtkhdf broken/u_000040.vtkhdf
  rm -r broken
  echo "$1 on rank $3 of $2: failed at $((count / $4)) places"
  ((count > 0)) || fail "no call of $1 was made"
}
if [[ ${ISOTHERM_FAULTS:-} == all ]]; then
  for call in open pwrite fsync ftruncate rename pread; do
    at_each_place $call 1 0 1
    at_each_place $call 3 0 1
  done
  for call in open pwrite fsync; do at_each_place $call 3 2 1; done
else  # a checkpoint makes 6 opens and writes, 3 syncs, and 1 of each other call
  at_each_place open 1 0 7
  at_each_place pwrite 1 0 5
  at_each_place fsync 1 0 4
  at_each_place ftruncate 1 0 2
  at_each_place rename 1 0 3
  at_each_place pread 1 0 29
fi

# Interrupted, partial and slow calls are no failure, neither while a field is written nor while it
# is read.
for faults in "open EINTR -1 1 - 3; pwrite EINTR -1 0 - 5; fsync EINTR -1 0 - 4; ftruncate EINTR 0 0 - 3; fallocate EINTR 0 0 - 3" \
  "pwrite short -1 0; pread short -1 0; pread short -1 0 .vtkhdf; write short -1 0 *.csv" \
  "pwrite wait:100 2 0 - 3; fsync wait:200 1 1 - 2; rename wait:200 0 0 - 2"; do
  with "$faults" 3 run case.toml "${options[@]}" --output slow --quiet
  ((code == 0)) || fail "exit code $code where $faults"
  [[ ! -s $work/err ]] || fail "something is said of $faults"
  same_field whole/u_000040.vtkhdf slow/u_000040.vtkhdf
  rm -r slow
done
expect 0 1 run case.toml "${options[@]}" --set method.iterations=20 --output read --quiet
with "pread EINTR 0 0 .vtkhdf 9; open EINTR 0 0 .vtkhdf 2; read EINTR 0 0 case.toml 2; open EINTR 0 0 case.toml 2; read short 0 0 case.toml" \
  1 run case.toml "${options[@]}" --output read --resume --quiet
((code == 0)) || fail "exit code $code where reading is interrupted"
same_field whole/u_000040.vtkhdf read/u_000040.vtkhdf

# A process that dies within a checkpoint cannot report or clean up. Of three ranks, the others end.
for place in "open kill 0 1" "pwrite kill 0 3" "ftruncate kill 0 1" "fsync kill 0 2" "rename kill 0 1"; do
  with "$place" 1 run case.toml "${options[@]}" --output broken
  ((code == 137)) || fail "exit code $code instead of 137 where $place"
  recovers 1
done
for place in "pwrite kill 2 1" "fsync kill 1 2" "rename kill 0 2"; do
  with "$place" 3 run case.toml "${options[@]}" --output broken
  ((code != 0)) || fail "exit code 0 where $place"
  recovers 3
done

# A fault of the disk may be temporary: a restarted run succeeds.
with "fsync EDQUOT 0 2 - 1" 1 run case.toml "${options[@]}" --output broken
((code == 0 || code == 1)) || fail "exit code $code where a quota was reached once"
((code == 0)) || complained "Disk quota exceeded"
recovers 1
echo "faults: all as they should be"
