#!/usr/bin/env bash
# chain_test.sh PROGRAM SOURCE_DIR
#
# How chain.sh submits jobs that resume one another, with stand-ins for sbatch and scancel.
source "$(dirname "$0")/../app/support.sh"
cat >sbatch <<'END'
#!/usr/bin/env bash
number=$(($(wc -l <submitted) + 1))
((number < ${REFUSES_AT:-100})) || { echo "sbatch: error: too many jobs" >&2; exit 1; }
echo "home=$ISOTHERM_HOME $*" >>submitted
echo "$((40 + number));cluster"
END
printf '#!/bin/sh\necho "$@" >cancelled\n' >scancel
chmod +x sbatch scancel
export PATH=$PWD:$PATH
unset SBATCH ISOTHERM_HOME REFUSES_AT
touch case.toml script.sbatch

# chain ARGUMENT...
chain() {
  : >submitted
  bash "$source_dir/jobs/slurm/chain.sh" "$@" >"$work/out" 2>"$work/err"
}
# refused WHAT ARGUMENT...
refused() {
  local code=0
  chain "${@:2}" || code=$?
  ((code == 2)) || fail "exit code $code instead of 2 from: chain.sh ${*:2}"
  complained "$1"
  [[ $(wc -l <"$work/err") == 1 && ! -s submitted ]] || fail "more than one line, or jobs, from: chain.sh ${*:2}"
}

SBATCH="--account=A --requeue" chain 3 script.sbatch case.toml "a result" --set 'run.title=x y' || fail "refused"
for number in 1 2 3; do
  line=$(sed -n ${number}p submitted)
  [[ $line == "home=$source_dir/jobs/slurm --account=A --requeue --parsable --no-requeue --kill-on-invalid-dep=yes"* &&
    $line == *" --export=ALL,CHAIN_JOB=$number/3 "*"script.sbatch case.toml a result --set run.title=x y" ]] \
    || fail "job $number of the chain: $line"
done
! sed -n 1p submitted | grep -q -e --dependency || fail "the first job waits for another"
sed -n 2p submitted | grep -q -e '--dependency=afterok:41 ' || fail "the second job does not wait for the first"
sed -n 3p submitted | grep -q -e '--dependency=afterok:42 ' || fail "the third job does not wait for the second"
said '^job 43: 3 of 3, after job 42$'

# All jobs or none.
code=0
REFUSES_AT=3 chain 5 script.sbatch case.toml result || code=$?
((code == 1)) || fail "exit code $code where sbatch refuses"
complained 'sbatch rejected job 3 of 5; all jobs of the chain were cancelled'
[[ $(<cancelled) == "41 42" ]] || fail "jobs are left of a chain that is not complete: $(<cancelled)"

refused 'arguments are missing' 3 script.sbatch case.toml
for number in 0 -1 x 1.5 1000 ''; do
  refused "N must be a number of jobs from 1 to 999, not '$number'" "$number" script.sbatch case.toml result
done
refused "no job script 'absent.sbatch'" 2 absent.sbatch case.toml result
refused "no case file 'absent.toml'" 2 script.sbatch absent.toml result
echo "chains are submitted as asked"
