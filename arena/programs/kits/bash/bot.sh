# @NAME@, a bot for @GAME@. `choose` is its strategy: change that. All else reads the protocol.
# `arena games @GAME@` explains the rules, and all that the arena tells and asks.
# The shell does everything itself: to start a program such as grep for each line would be slow.
set -f # * and ? are no names of files

# Words that claim a card; the first words of options, the best first; asks in which to name a card is
# to claim it; and asks for a card to give away, the least wanted one.
CARDS="@CARDS@"
WANTED="@WANTED@"
CLAIMS="action block"
LOSSES="lose show return"

# What we know of one game. Each game begins anew, so that nothing is left from the game before.
me=''             # our seat
declare -A state  # p1 or table -> the rest of its newest `state` line
declare -A events # "refuted p1" -> how often an `event` line began so
chance=0          # the state of our random numbers

# A function that finds a value leaves it in $found.

# has LIST WORD: whether a word is in a list with spaces
has() { [[ " $1 " == *" $2 "* ]]; }

# value KEY TEXT: the value of key=value among the words of a text, or nothing
value() {
    found=''
    if [[ " $2 " == *" $1="* ]]; then
        found=" $2"
        found=${found#*" $1="}
        found=${found%% *}
    fi
}

# random COUNT: a number below COUNT. The same seed gives the same numbers, so that games can be repeated.
random() {
    chance=$((chance * 48271 % 2147483647)) # the generator minstd_rand of C++
    found=$((chance % $1))
}

# is_true OPTION HAND: whether we could prove a claim: all cards that it names are one card, and in our hand
is_true() {
    local word card=''
    for word in ${1//[:@]/ }; do
        has "$CARDS" "$word" || continue
        [[ -z $card || $card == "$word" ]] || return 1
        card=$word
    done
    [[ -z $card ]] || has "$2" "$card"
}

# rank OPTION: the place of an option in WANTED, or the last one
rank() {
    local word
    found=0
    for word in $WANTED; do
        [[ $word == "${1%%[:@+.]*}" ]] && return
        found=$((found + 1))
    done
}

# choose KIND FACTS OPTION...: never lie, challenge only liars that have been caught, else take what is
# wanted most
choose() {
    local kind=$1 facts=$2 hand option best='' honest=() wanted=()
    shift 2
    value on "$facts"
    if [[ $kind == challenge && -n ${events[refuted $found]:-} ]]; then
        found=challenge
        return
    fi
    if has "$CLAIMS" "$kind"; then
        value hand "${state[$me]:-}"
        hand=${found//,/ }
        for option; do
            is_true "$option" "$hand" && honest+=("$option")
        done
        [[ ${#honest[@]} -gt 0 ]] && set -- "${honest[@]}"
    fi
    for option; do
        rank "$option"
        has "$LOSSES" "$kind" && found=$((-found))
        if [[ -z $best || $found -lt $best ]]; then
            best=$found wanted=()
        fi
        [[ $found -eq $best ]] && wanted+=("$option")
    done
    random ${#wanted[@]}
    found=${wanted[found]}
}

while read -r verb name rest; do
    case $verb in
        game)
            state=() events=()
            value you "$rest"
            me=$found
            value seed "$rest"
            chance=$((found % 2147483646 + 1))
            ;;
        state) state[$name]=$rest ;;
        event) events[$name ${rest%% *}]=$((${events[$name ${rest%% *}]:-0} + 1)) ;;
        ask) # <id> <kind> <ms> <key>=<value> ... : <option> ...
            case ${rest%% *} in
                hello) found="ok name=@NAME@ version=1" ;;
                ready) found=ok ;;
                *) choose "${rest%% *}" "${rest%% : *}" ${rest#* : } ;;
            esac
            echo "$name $found"
            ;;
        error) echo "$verb $name $rest" >&2 ;; # we made a mistake; stderr is kept with the game
        bye) break ;;
    esac
done
