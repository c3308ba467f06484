# Completion of isotherm's command line for fish. The build appends the tables: functions that print what they
# know of a command, an option, an argument or a key. completion.sh says what the answers mean.

# _isotherm_words BEFORE WORDS: each of the words, with the part of the token that stays in front
function _isotherm_words
    test -z "$argv[2]"; or printf '%s\n' $argv[1](string split ' ' -- $argv[2])
end

# _isotherm_files BEFORE REST [PATTERN...]: directories, and files that one of the patterns matches, or all
function _isotherm_files
    for line in (complete -C "__isotherm_no_command $argv[2]")
        set -l file (string split \t -- $line)[1]
        set -l wanted (string match -q '*/' -- $file; or test (count $argv) -le 2; and echo yes)
        for pattern in $argv[3..-1]
            string match -q -- $pattern $file; and set wanted yes
        end
        test -z "$wanted"; or echo $argv[1]$file
    end
end

# _isotherm_take KIND BEFORE REST: completes a value of this kind
function _isotherm_take
    set -l kind (string split ' ' -- $argv[1])
    switch $kind[1]
        case words
            _isotherm_words $argv[2] (string join ' ' -- $kind[2..-1])
        case files maybe-files
            _isotherm_files $argv[2] $argv[3] $kind[2..-1]
        case directories
            _isotherm_files $argv[2] $argv[3] '*/'
        case keys
            if string match -q '*=*' -- $argv[3]
                set -l key (string split -m 1 = -- $argv[3])[1]
                _isotherm_words "$argv[2]$key=" (_isotherm_key_values $key)
            else
                _isotherm_words $argv[2] (_isotherm_keys)
            end
    end
end

# _isotherm_takes KIND WORD: the option before takes the word as its value
function _isotherm_takes
    test -n "$argv[1]"; or return 1
    not string match -q 'maybe-*' -- $argv[1]; or not string match -q -- '-*' $argv[2]
end

function _isotherm_complete
    set -l command isotherm
    set -l takes ''
    set -l options_end ''
    set -l arguments 0
    set -l tokens (commandline -opc)
    for word in $tokens[2..-1]
        if _isotherm_takes "$takes" $word
            set takes ''
            continue
        end
        set takes ''
        if test "$word" = --
            set options_end yes
        else if test -z "$options_end"; and string match -q -- '-*' $word
            string match -q '*=*' -- $word; or set takes (_isotherm_value "$command $word")
        else if contains -- $word (string split ' ' -- (_isotherm_commands $command))
            set command "$command $word"
        else if test "$command" = isotherm; and string match -q '*.toml' -- $word
            set command 'isotherm run'
            set arguments 1
        else
            set arguments (math $arguments + 1)
        end
    end
    set -l now (commandline -ct)
    if _isotherm_takes "$takes" "$now"
        _isotherm_take $takes '' "$now"
    else if test -z "$options_end"; and string match -q -- '--*=*' $now
        set -l parts (string split -m 1 = -- $now)
        set -l found (_isotherm_value "$command $parts[1]")
        test -z "$found"; or _isotherm_take $found "$parts[1]=" "$parts[2]"
    else if test -z "$options_end"; and string match -q -- '-*' $now
        _isotherm_words '' (_isotherm_options $command)
    else
        set -l commands (_isotherm_commands $command)
        if test -n "$commands"
            test $arguments -gt 0; and return
            _isotherm_words '' $commands
            test "$command" != isotherm; or _isotherm_files '' "$now" '*.toml'
            return
        end
        set -l found (_isotherm_argument "$command $arguments")
        test -n "$found"; or set found "words "(_isotherm_options $command)
        _isotherm_take $found '' "$now"
    end
end

complete -c isotherm -f -a '(_isotherm_complete)'
