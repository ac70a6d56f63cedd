#!/bin/sh
# The local variant for a coward: places only the card that it names, doubts nobody, and buys a coup with
# every seven coins. The shell does everything itself: a program such as grep for each line would be slow.

set -f # no file names out of * and ?
game=''

# is_true OPTION: whether the card placed is the one claimed, as in captain:p2@captain or block:duchess@duchess
is_true() {
    claim=${1#block:}
    claim=${claim%@*}
    [ "${claim%%:*}" = "${1#*@}" ]
}

# choose KIND OPTION...: the answer, in $chosen
choose() {
    kind=$1
    shift
    chosen=$1 # the first option, unless we know better
    [ "$game" = local ] || return
    case $kind in
        action)
            for option; do
                case $option in
                    coup:*) chosen=$option && return ;; # the strongest player is offered first
                    duchess@duchess) chosen=$option ;;
                    captain:*@captain) [ "$chosen" = income ] && chosen=$option ;;
                esac
            done
            ;;
        block)
            for option; do
                is_true "$option" && chosen=$option
            done
            ;;
        lose) # the last of the cards offered, which is the ambassador if we have it
            for option; do
                chosen=$option
            done
            ;;
    esac
}

while read -r verb id rest; do
    case $verb in
        game) game=${rest%% *} ;;
        ask)
            choose "${rest%% *}" ${rest#* : }
            echo "$id $chosen"
            ;;
    esac
done
