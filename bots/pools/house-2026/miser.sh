#!/bin/sh
# Collects coins and buys an Assassinat with every seven. Claims only what it holds, doubts nobody.
# Everything is done by the shell itself: starting a program such as grep for each line would be slow.

set -f # no file names out of * and ?
game='' me='' hand=''

# value_of KEY WORD...: the value of the word KEY=value, in $value
value_of() {
    key=$1 value=''
    shift
    for word; do
        case $word in "$key="*) value=${word#*=} ;; esac
    done
}

holds() {
    case ",$hand," in *",$1,"*) return 0 ;; esac
    return 1
}

# choose KIND OPTION...: the answer, in $chosen
choose() {
    kind=$1
    shift
    chosen=$1 # the first option, unless we know better
    [ "$game" = complots ] || return
    case $kind in
        action)
            for option; do
                case $option in
                    coup:*) chosen=$option && return ;; # the strongest player is offered first
                    duchess) holds duchess && chosen=duchess ;;
                    captain:*) holds captain && [ "$chosen" = income ] && chosen=$option ;;
                esac
            done
            ;;
        block)
            for option; do
                holds "${option#block:}" && chosen=$option
            done
            ;;
        lose | show) # the card that is least worth
            for option; do
                case $option in ambassador | inquisitor | assassin) chosen=$option ;; esac
            done
            ;;
        draft | keep) # a duchess earns most; offers list her first
            ;;
    esac
}

while read -r verb id rest; do
    case $verb in
        game)
            set -- $rest
            game=$1 hand=''
            value_of you "$@"
            me=$value
            ;;
        state)
            if [ "$id" = "$me" ]; then
                value_of hand $rest
                hand=$value
            fi
            ;;
        ask)
            choose "${rest%% *}" ${rest#* : }
            echo "$id $chosen"
            ;;
    esac
done
