#compdef isotherm
# Completion of isotherm's command line for zsh. The build appends the tables: functions that set `found` to
# what they know of a command, an option, an argument or a key. completion.sh says what the answers mean.

# Follows the words before the cursor. Sets `command`, what the last word `takes`, and the number of `arguments`.
_isotherm_follow() {
  local i word found
  for ((i = 2; i < CURRENT; i++)); do
    word=${(Q)words[i]}
    if [[ -n $takes && ! ($takes == maybe-* && $word == -*) ]]; then
      takes=
      continue
    fi
    takes=
    _isotherm_commands $command
    if [[ $word == -- ]]; then
      options_end=yes
    elif [[ -z $options_end && $word == -* ]]; then
      [[ $word == *=* ]] || { _isotherm_value "$command $word"; takes=$found }
    elif [[ " $found " == *" $word "* ]]; then
      command+=" $word"
    elif [[ $command == isotherm && $word == *.toml ]]; then
      command='isotherm run' arguments=1
    else
      ((arguments += 1))
    fi
  done
}

# _isotherm_take KIND: completes a value of this kind
_isotherm_take() {
  local found patterns
  [[ $1 != *' '* ]] || patterns=${1#* }
  case $1 in
    words\ *) compadd -- ${=patterns} ;;
    files* | maybe-files*)
      if [[ -n $patterns ]]; then _files -g "(${patterns// /|})"; else _files; fi ;;
    directories) _files -/ ;;
    keys)
      if [[ $PREFIX == *=* ]]; then
        _isotherm_key_values ${PREFIX%%=*}
        compset -P 1 '*='
        compadd -- ${=found}
      else
        _isotherm_keys
        compadd -S '' -- ${=found}
      fi ;;
  esac
}

_isotherm() {
  emulate -L zsh
  local command=isotherm takes= options_end= found=
  local -i arguments=0
  _isotherm_follow
  if [[ -n $takes && ! ($takes == maybe-* && $PREFIX == -*) ]]; then
    _isotherm_take $takes
  elif [[ -z $options_end && $PREFIX == --*=* ]]; then
    _isotherm_value "$command ${PREFIX%%=*}"
    compset -P 1 '*='
    _isotherm_take $found
  elif [[ -z $options_end && $PREFIX == -* ]]; then
    _isotherm_options $command
    compadd -- ${=found}
  else
    _isotherm_commands $command
    if [[ -n $found ]]; then
      ((arguments)) && return
      compadd -- ${=found}
      [[ $command != isotherm ]] || _files -g '(*.toml)'
      return
    fi
    _isotherm_argument "$command $arguments"
    [[ -n $found ]] || { _isotherm_options $command; found="words $found" }
    _isotherm_take $found
  fi
}

# An autoloaded file is the function's body when it is called first; the tables below are not defined yet then.
_isotherm_start() {
  if [[ $1 == _isotherm ]]; then _isotherm; else compdef _isotherm isotherm; fi
}
