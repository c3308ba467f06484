# shellcheck shell=bash
# Completion of isotherm's command line for bash. The build appends the tables: functions that set
# `found` to the description of a command, an option, an argument or a key.
#
# The value of an option or argument has one of these descriptions: "words WORD...", "files
# PATTERN..." (and directories), "maybe-files PATTERN..." (optional), "directories", "keys",
# "anything".

# Bash splits words at = and :, which are parts of isotherm's words. Joins them again into `words`,
# up to the cursor.
_isotherm_join_words() {
  local i word glued=
  words=("${COMP_WORDS[0]}")
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    # An empty word after a blank is a new word.
    [[ $i -lt $COMP_CWORD || -n $word || ${COMP_LINE:0:COMP_POINT} != *[[:blank:]] ]] || glued=
    if ((i > 1)) && [[ -n $glued || $word =~ ^[=:]+$ ]]; then
      words[${#words[@]} - 1]+=$word
    else
      words+=("$word")
    fi
    glued=
    [[ ! $word =~ ^[=:]+$ ]] || glued=yes
  done
}

# Follows the words before the cursor. Sets `command`, the description `takes` of the value that the
# last word expects, and the number of `arguments`.
_isotherm_follow() {
  local i word found
  for ((i = 1; i < ${#words[@]} - 1; i++)); do
    word=${words[i]}
    if [[ -n $takes ]] && ! { [[ $takes == maybe-* && $word == -* ]]; }; then
      takes=
      continue
    fi
    takes=
    _isotherm_commands "$command"
    if [[ $word == -- ]]; then
      options_end=yes
    elif [[ -z $options_end && $word == -* ]]; then
      [[ $word == *=* ]] || { _isotherm_value "$command $word" && takes=$found; }
    elif [[ " $found " == *" $word "* ]]; then
      command+=" $word"
    elif [[ $command == isotherm && $word == *.toml ]]; then
      command='isotherm run' arguments=1  # the word run may be left out
    else
      arguments=$((arguments + 1))
    fi
  done
}

# Replies with lines that complete the cursor's word, each with the prefix `before`. If Bash has
# split the word, it expects only the part after the last split.
_isotherm_reply() {
  local line cut=$before$rest
  cut=${cut%"${cut##*[=:]}"}
  [[ $cut != *:* || $COMP_WORDBREAKS == *:* ]] || cut=${cut%"${cut##*=}"}
  [[ $cut != *=* || $COMP_WORDBREAKS == *=* ]] || cut=
  while IFS= read -r line; do
    [[ -z $line ]] || { line=$before$line && COMPREPLY+=("${line#"$cut"}"); }
  done
}

_isotherm_words() { _isotherm_reply < <(compgen -W "$1" -- "$rest"); }

# _isotherm_files PATTERN...: completes files that match a pattern, or any file, and directories
_isotherm_files() {
  local pattern
  compopt -o filenames 2>/dev/null
  _isotherm_reply < <(
    compgen -d -- "$rest"
    (($#)) || compgen -f -- "$rest" | while IFS= read -r file; do [[ -d $file ]] || printf '%s\n' "$file"; done
    for pattern in "$@"; do compgen -f -X "!$pattern" -- "$rest"; done)
}

# _isotherm_take KIND: completes a value with this description (see the top)
_isotherm_take() {
  local found patterns=()
  read -r -a patterns <<<"${1#* }"
  case $1 in
    words\ *) _isotherm_words "${1#words }" ;;
    files | maybe-files) _isotherm_files ;;
    files\ * | maybe-files\ *) _isotherm_files "${patterns[@]}" ;;
    directories) compopt -o filenames 2>/dev/null; _isotherm_reply < <(compgen -d -- "$rest") ;;
    keys)
      if [[ $rest == *=* ]]; then
        _isotherm_key_values "${rest%%=*}"
        before+=${rest%%=*}= rest=${rest#*=}
      else
        _isotherm_keys
        compopt -o nospace 2>/dev/null
      fi
      _isotherm_words "$found"
      ;;
  esac
}

_isotherm() {
  local IFS=$' \t\n' words=() command=isotherm takes='' options_end='' arguments=0 found before='' rest
  COMPREPLY=()
  _isotherm_join_words
  _isotherm_follow
  rest=${words[${#words[@]} - 1]}
  if [[ -n $takes ]] && ! { [[ $takes == maybe-* && $rest == -* ]]; }; then
    _isotherm_take "$takes"
  elif [[ -z $options_end && $rest == --*=* ]]; then
    _isotherm_value "$command ${rest%%=*}"
    before=${rest%%=*}= rest=${rest#*=}
    _isotherm_take "$found"
  elif [[ -z $options_end && $rest == -* ]]; then
    _isotherm_options "$command"
    _isotherm_words "$found"
  else
    _isotherm_commands "$command"
    if [[ -n $found ]]; then
      ((arguments)) && return
      _isotherm_words "$found"
      [[ $command != isotherm ]] || _isotherm_files '*.toml'
      return
    fi
    _isotherm_argument "$command $arguments"
    [[ -n $found ]] || { _isotherm_options "$command" && found="words $found"; }
    _isotherm_take "$found"
  fi
}

complete -F _isotherm isotherm
