#!/usr/bin/env bash
# transports_test.sh PROGRAM SOURCE_DIR: every halo transport gives the field of one rank, bit for
# bit, even if ranks drift apart. A rank that dies ends the others. ISOTHERM_TEST_BACKEND: see
# support.sh.
pictures=no
source "$(dirname "$0")/../support.sh"

# Large enough for sweeps that forward to the neighbours' memory.
diffusion_case 'steps = 90' 'check_every = 30' |
  sed 's/^points = .*/points = [1201, 907]/' >drift.toml
expect 0 1 run drift.toml --output one --quiet
for transport in auto staged mpi peer nccl; do
  for ranks in 2 3; do
    code=0
    ISOTHERM_RANDOM_DELAYS=2000 isotherm $ranks run drift.toml --output "$transport-$ranks" --quiet \
      --set "run.transport=$transport" || code=$?
    if ((code == 2)); then
      complained "transport \"$transport\" cannot work here"
      [[ $transport != auto && $transport != staged ]] || fail "$transport works everywhere"
      [[ $device != cpu || $transport == nccl ]] || fail "$transport works on CPUs"
      echo "$transport on $ranks ranks: $(head -1 "$work/err")"
      continue
    fi
    ((code == 0)) || fail "exit code $code with $transport on $ranks ranks"
    same_field "$transport-$ranks/u_000090.vtkhdf" one/u_000090.vtkhdf
    same_table "$transport-$ranks" one
    grep "halos" "$transport-$ranks/run.log"
    [[ $device != cpu || $transport != auto ]] || holds "$transport-$ranks/run.log" "halos  *peer memory$"
  done
done

# a_rank_of RESULT: prints the process id of one of the ranks that write to this directory
a_rank_of() {
  local process
  for process in /proc/[0-9]*; do
    [[ $(readlink "$process/exe") == "$program" ]] || continue
    tr '\0' ' ' <"$process/cmdline" | grep -q -e "--output $1 " || continue
    echo "${process#/proc/}"
    return
  done
}

# One of three ranks is killed while the others wait for its halo, on the host or on the device.
sed 's/steps = 90/steps = 1000000000/' drift.toml >endless.toml
mpirun -n 3 "$program" run endless.toml --output killed --quiet >"$work/out" 2>"$work/err" &
job=$!
wait_until grep -q '^90,' killed/residuals.csv
kill -s KILL "$(a_rank_of killed)"
is_over() { ! kill -0 $job; }
wait_until is_over
code=0
wait $job || code=$?
((code != 0)) || fail "the job ended as if nothing had been"
[[ -s $work/err ]] || fail "nobody says why the job ended"
echo "transports: all as it should be"
