#!/usr/bin/env bash
# parameters_test.sh PROGRAM SOURCE_DIR
#
# A run for each row of a table: the options that an element of the array passes to its run, and
# tables that are refused. srun and sbatch are stand-ins that print their arguments.
source "$(dirname "$0")/../app/support.sh"
printf '#!/bin/sh\nprintf "<%%s>" "$@"\n' >srun
printf '#!/bin/sh\necho "$@" >>submitted\necho 51\n' >sbatch
chmod +x srun sbatch
export PATH=$PWD:$PATH ISOTHERM=/bin/true ISOTHERM_HOME=$source_dir SLURM_ARRAY_JOB_ID=7
unset LAUNCHER CHAIN_JOB SBATCH SLURM_JOB_ID SLURM_ARRAY_TASK_ID SLURM_HINT
slurm=$source_dir/jobs/slurm
touch case.toml
mkdir -p result/row-000{1,2,3}
# otherwise the script sees no run
echo '"status": "done"' | tee result/row-000{1,2,3}/summary.json >/dev/null

# element NUMBER [OPTION]...: runs this element of the array over table.csv; its exit code is in
# $code
element() {
  code=0
  SLURM_ARRAY_TASK_ID=$1 bash "$slurm/parameters.sbatch" case.toml table.csv result "${@:2}" \
    >"$work/out" 2>"$work/err" || code=$?
}
# runs ROW OPTIONS: the element ran with these options
runs() {
  ((code == 0)) || fail "exit code $code"
  grep -qF -e "<run><case.toml><--output><result/$1><--resume-or-overwrite>$2" "$work/out" || fail "not: $1 $2"
}
# refused LINE WHAT: by an element of the array, and before submission, with one line and exit code
# 2
refused() {
  element 1
  ((code == 2)) || fail "exit code $code instead of 2: $2"
  complained "^table.csv:$1: $2"
  [[ $(wc -l <"$work/err") == 1 ]] || fail "more than one line of errors"
  code=0
  bash "$slurm/parameters.sh" case.toml table.csv result >"$work/out" 2>"$work/err" || code=$?
  ((code == 2)) && [[ ! -e submitted ]] || fail "submitted: $2"
  complained "^table.csv:$1: $2"
}

cat >table.csv <<'END'
method.time_step, grid.points , "boundary.x_lower"
# what the thesis shows
1e-4,"[128,64]","{ type = ""dirichlet"", value = 1.0 }"

 stable ,  "[256,256]"  ,{ type = 'dirichlet' }
  "a ""b"", c" ,x y,"sin(pi*y), ""z"""
END
element 1
runs row-0001 '<--set><method.time_step=1e-4><--set><grid.points=[128,64]><--set><boundary.x_lower={ type = "dirichlet", value = 1.0 }>'
said 'job 7_1, start 1: row 1 of table.csv: --set method.time_step=1e-4'
element 2 --device cpu
runs row-0002 "<--device><cpu><--set><method.time_step=stable><--set><grid.points=[256,256]><--set><boundary.x_lower={ type = 'dirichlet' }>"
element 3
runs row-0003 '<--set><method.time_step=a "b", c><--set><grid.points=x y><--set><boundary.x_lower=sin(pi*y), "z">'
# The scripts are found through SLURM's records, one for each element.
printf '#!/bin/sh\nprintf "   Command=%s/parameters.sbatch a b\\n\\n" "%s" "%s"\n' %s "$slurm" "$slurm" >scontrol
chmod +x scontrol
cp "$slurm/parameters.sbatch" slurm_script
SLURM_JOB_ID=7 SLURM_ARRAY_TASK_ID=3 SLURM_SUBMIT_DIR=$PWD env -u ISOTHERM_HOME bash slurm_script case.toml table.csv \
  result >"$work/out" 2>"$work/err" || fail "the scripts are not found"
runs row-0003 '<--set>'
for row in 4 0 x; do
  element $row
  ((code == 2)) || fail "exit code $code for row $row"
  complained "^table.csv:6: there is no row $row (the table has rows 1 to 3)$"
  [[ $(wc -l <"$work/err") == 1 ]] || fail "more than one line of errors"
done
bash "$slurm/parameters.sh" case.toml table.csv result --device cpu >"$work/out"
said '^job 51: table.csv has 3 rows; row 1 writes to result/row-0001$'
holds submitted "^--parsable --array=1-3 .*/parameters.sbatch case.toml table.csv result --device cpu$"
SBATCH="--array=2%1" bash "$slurm/parameters.sh" case.toml table.csv result >"$work/out"
holds submitted "--array=1-3 --array=2%1 .*parameters.sbatch"
rm submitted

# As written by a spreadsheet, without a final newline.
printf '\xef\xbb\xbfmethod.steps,title\r\n10,"one, two"\r\n20,"three"' >table.csv
element 2
runs row-0002 '<--set><method.steps=20><--set><title=three>'

# refused_table TEXT LINE WHAT
refused_table() {
  printf '%b' "$1" >table.csv
  refused "$2" "$3"
}
refused_table 'a.b,c\n1,2\n3\n' 3 '1 value for 2 keys'
refused_table 'a.b,c\n1,[2,3]\n' 2 '3 values for 2 keys (a value with a comma needs quotes)'
refused_table 'a.b,c\n1,2\n1,\n' 3 'the value for c is missing'
refused_table 'a.b,c\n1,"2\n' 2 'value 2 is malformed'
refused_table 'a.b,c\n1"2",2\n' 2 'value 1 is malformed'
refused_table 'a.b,c\n"1" 2,2\n' 2 'value 1 is malformed'
refused_table '\na.b,a.b\n1,2\n' 2 'a.b appears twice'
refused_table 'a.b;c\n1;2\n' 1 "'a.b;c' is not a key"
refused_table 'a.b,\n1,2\n' 1 "'' is not a key"
refused_table '1e-4,2\n' 1 "'1e-4' is not a key"
refused_table 'a.b,c\n' 2 'the table has no rows'
refused_table '' 1 'the table has no rows'
rm table.csv
element 1
((code == 2)) || fail "exit code $code without a table"
complained '^table.csv: no such file'

# usage WHAT SCRIPT ARGUMENT...: refused with one line
usage() {
  code=0
  bash "$slurm/$2" "${@:3}" >"$work/out" 2>"$work/err" || code=$?
  ((code == 2)) || fail "exit code $code of $2"
  complained "$1"
}
usage '^no row of table.csv' parameters.sbatch case.toml table.csv result
usage 'CASE.toml TABLE.csv RESULT_DIRECTORY' parameters.sbatch case.toml table.csv
usage 'CASE.toml TABLE.csv RESULT_DIRECTORY' parameters.sh case.toml table.csv
usage "no case file 'absent.toml'" parameters.sh absent.toml table.csv result
echo "each row is run with its values"
