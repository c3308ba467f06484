# shellcheck shell=bash
# Sourced by the scripts in this folder: reads a table of parameters, one row for each run.
#
#   read_table TABLE.csv          prints an error if the table is malformed; returns 2
#   take_row TABLE.csv NUMBER     sets row_options to the options of row NUMBER, counted from 1
#
# The first line names keys of the case; each further line has a value for each key:
#
#   method.time_step, grid.points,  boundary.x_lower
#   1e-4,             "[128,128]",  "{ type = ""dirichlet"", value = 1.0 }"
#   stable,           "[256,256]",  "{ type = 'dirichlet', value = 'sin(pi*y)' }"
#
# As usual in CSV files, a value with a comma or a quote needs quotes, and quotes in it are doubled. Each
# value becomes --set KEY=VALUE, so it is read as TOML, or as a string if it is not TOML. Blanks around values,
# empty lines, and lines that begin with # are ignored. A value cannot span several lines.

# Whatever is wrong: FILE:LINE: WHAT
refuse_table() { echo "$1:$2: $3" >&2; return 2; }

# split_cells LINE: its values become the array cells. Fails if quotes do not match.
split_cells() {
  local rest=$1 end
  local quoted='^[[:blank:]]*"(([^"]|"")*)"[[:blank:]]*(,|$)' plain='^[[:blank:]]*([^",]*)(,|$)'
  cells=()
  while :; do
    if [[ $rest =~ $quoted ]]; then
      cells+=("${BASH_REMATCH[1]//\"\"/\"}")
      end=${BASH_REMATCH[3]}
    elif [[ $rest =~ $plain ]]; then
      end=${BASH_REMATCH[2]}
      [[ ${BASH_REMATCH[1]} =~ ^(.*[^[:blank:]])?[[:blank:]]*$ ]]
      cells+=("${BASH_REMATCH[1]}")
      [[ $rest =~ $plain ]]
    else
      return 1
    fi
    rest=${rest:${#BASH_REMATCH[0]}}
    [[ $end == , ]] || return 0
  done
}

# fault_of_keys KEY...: prints what is wrong with the first line
fault_of_keys() {
  local key
  local -A seen=()
  for key in "$@"; do
    if [[ ! $key =~ ^[A-Za-z0-9_]+([.][A-Za-z0-9_]+)*$ ]]; then
      echo "'$key' is not a key of a case (an example is method.time_step)"
    elif [[ -n ${seen[$key]:-} ]]; then
      echo "$key appears twice"
    fi
    seen[${key:-none}]=yes
  done | head -n 1
}

# counted 2 key: prints 2 keys
counted() { echo "$1 $2$( (($1 == 1)) || echo s)"; }

# fault_of_row VALUE...: prints what is wrong with a row for table_keys
fault_of_row() {
  local column
  (($# == ${#table_keys[@]})) || {
    echo "$(counted $# value) for $(counted ${#table_keys[@]} key) (a value with a comma needs quotes)"
    return
  }
  for ((column = 1; column <= $#; column++)); do
    [[ -n ${!column} ]] || { echo "the value for ${table_keys[column - 1]} is missing"; return; }
  done
}

read_table() {
  local line number=0 fault cells
  table_keys=() table_rows=() table_lines=0
  [[ -f $1 && -r $1 ]] || { echo "$1: no such file, or it cannot be read" >&2; return 2; }
  while IFS= read -r line || [[ -n $line ]]; do
    ((++number))
    line=${line%$'\r'}                                # as spreadsheets write it, on some systems
    ((number > 1)) || line=${line#$'\xef\xbb\xbf'}
    [[ ! $line =~ ^[[:blank:]]*(#|$) ]] || continue
    split_cells "$line" || {
      refuse_table "$1" $number "value $((${#cells[@]} + 1)) is malformed (a value with a comma or a quote\
 needs quotes, and quotes in it must be doubled)"
      return
    }
    if ((${#table_keys[@]})); then
      fault=$(fault_of_row "${cells[@]}")
      table_rows+=("$line")
    else
      fault=$(fault_of_keys "${cells[@]}")
      table_keys=("${cells[@]}")
    fi
    [[ -z $fault ]] || { refuse_table "$1" $number "$fault"; return; }
  done <"$1"
  table_lines=$number
  ((${#table_rows[@]})) || refuse_table "$1" $((number + 1)) "the table has no rows (needs a line of keys, and a row for each run)"
}

take_row() {
  local cells column
  if [[ ! $2 =~ ^[1-9][0-9]{0,8}$ ]] || (($2 > ${#table_rows[@]})); then
    refuse_table "$1" "$table_lines" "there is no row $2 (the table has rows 1 to ${#table_rows[@]})"
    return
  fi
  split_cells "${table_rows[$2 - 1]}"
  row_options=()
  for column in "${!cells[@]}"; do
    row_options+=(--set "${table_keys[column]}=${cells[column]}")
  done
}
