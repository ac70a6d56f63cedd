// @NAME@, a bot for @GAME@. `choose` is its strategy: change that. All else reads the protocol.
// `arena games @GAME@` explains the rules, and all that the arena tells and asks.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

var (
	// Words that claim a card; the first words of options, the best first; asks in which to name a card is
	// to claim it; and asks for a card to give away, the least wanted one.
	cards  = strings.Fields("@CARDS@")
	wanted = strings.Fields("@WANTED@")
	claims = strings.Fields("action block")
	losses = strings.Fields("lose show return")
)

type facts map[string]string

// choose never lies, challenges only liars that have been caught, and else takes what is wanted most.
func choose(kind string, asked facts, options []string, t *table) string {
	if kind == "challenge" && t.events["refuted "+asked["on"]] > 0 {
		return "challenge"
	}
	if place(kind, claims) < len(claims) {
		hand := t.hand()
		if honest := only(options, func(option string) bool { return isTrue(option, hand) }); len(honest) > 0 {
			options = honest
		}
	}
	best, loses := rank(options[0]), place(kind, losses) < len(losses)
	for _, option := range options {
		if r := rank(option); r != best && (r > best) == loses {
			best = r
		}
	}
	options = only(options, func(option string) bool { return rank(option) == best })
	return options[t.random(len(options))]
}

// isTrue says whether we could prove a claim: all cards that it names are one card, and in our hand.
func isTrue(option string, hand []string) bool {
	words := strings.FieldsFunc(option, func(letter rune) bool { return letter == ':' || letter == '@' })
	named := only(words, func(word string) bool { return place(word, cards) < len(cards) })
	for _, card := range named {
		if card != named[0] || place(card, hand) == len(hand) {
			return false
		}
	}
	return true
}

// rank is the place of an option in wanted, or the last one.
func rank(option string) int {
	if end := strings.IndexAny(option, ":@+."); end >= 0 {
		option = option[:end]
	}
	return place(option, wanted)
}

// place is the index of a word, or how many there are if it is not among them.
func place(word string, words []string) int {
	for index, each := range words {
		if each == word {
			return index
		}
	}
	return len(words)
}

func only(words []string, isWanted func(string) bool) (found []string) {
	for _, word := range words {
		if isWanted(word) {
			found = append(found, word)
		}
	}
	return found
}

// A table is what we know of one game. Each game gets a new one, so that nothing is left from the last.
type table struct {
	me     string
	state  map[string]facts // "p1" or "table": the facts of its newest `state` line
	events map[string]int   // "refuted p1": how often an `event` line began so
	chance int64
}

func newTable(told facts) *table {
	seed, _ := strconv.ParseInt(told["seed"], 10, 64)
	return &table{told["you"], map[string]facts{}, map[string]int{}, seed%2147483646 + 1}
}

func (t *table) hand() []string {
	return strings.Split(t.state[t.me]["hand"], ",")
}

// random is a number below count. The same seed gives the same numbers, so that games can be repeated.
func (t *table) random(count int) int {
	t.chance = t.chance * 48271 % 2147483647 // the generator minstd_rand of C++
	return int(t.chance % int64(count))
}

// pairs are the words of the form key=value.
func pairs(words []string) facts {
	found := facts{}
	for _, word := range words {
		if key, value, ok := strings.Cut(word, "="); ok {
			found[key] = value
		}
	}
	return found
}

func answer(kind string, asked facts, options []string, t *table) string {
	if kind == "hello" {
		return "ok name=@NAME@ version=1"
	}
	if kind == "ready" || t == nil {
		return options[0]
	}
	return choose(kind, asked, options, t)
}

func main() {
	var t *table
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := append(strings.Fields(lines.Text()), "", "", "")
		switch words[0] {
		case "game":
			t = newTable(pairs(words))
		case "state":
			t.state[words[1]] = pairs(words)
		case "event":
			t.events[words[1]+" "+words[2]]++
		case "ask": // <id> <kind> <ms> <key>=<value> ... : <option> ...
			colon := place(":", words)
			fmt.Println(words[1], answer(words[2], pairs(words[:colon]), words[colon+1:len(words)-3], t))
		case "error": // we made a mistake; stderr is kept with the game
			fmt.Fprintln(os.Stderr, lines.Text())
		case "bye":
			return
		}
	}
}
