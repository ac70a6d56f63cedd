// @NAME@, a bot for @GAME@. `choose` is its strategy: change that. All else reads the protocol.
// `arena games @GAME@` explains the rules, and all that the arena tells and asks.

#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

using Words = std::vector<std::string>;
using Facts = std::map<std::string, std::string>;

// The parts of a text between any of these separators.
Words split(const std::string& text, const std::string& separators = " ") {
    Words parts;
    for (std::size_t start = 0; (start = text.find_first_not_of(separators, start)) != std::string::npos;) {
        const auto end = std::min(text.find_first_of(separators, start), text.size());
        parts.push_back(text.substr(start, end - start));
        start = end;
    }
    return parts;
}

bool has(const Words& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

// Words that claim a card; the first words of options, the best first; asks in which to name a card is
// to claim it; and asks for a card to give away, the least wanted one.
const Words CARDS = split("@CARDS@");
const Words WANTED = split("@WANTED@");
const Words CLAIMS = split("action block");
const Words LOSSES = split("lose show return");

// The words of the form key=value, as a map.
Facts pairs(const Words& words) {
    Facts facts;
    for (const auto& word : words)
        if (const auto equals = word.find('='); equals != std::string::npos)
            facts[word.substr(0, equals)] = word.substr(equals + 1);
    return facts;
}

// What we know of one game. Each game gets a new one, so that nothing is left from the game before.
struct Table {
    std::string me;
    std::map<std::string, Facts> state;  // "p1" or "table" -> the facts of its newest `state` line
    std::map<std::string, int> events;   // "refuted p1" -> how often an `event` line began so
    std::minstd_rand chance;  // the same seed gives the same numbers, so that games can be repeated

    explicit Table(Facts facts) : me(facts["you"]), chance(std::stoll(facts["seed"]) % 2147483646 + 1) {}

    Words hand() { return split(state[me]["hand"], ","); }
    std::size_t random(std::size_t count) { return chance() % count; }
};

// Whether we could prove a claim: all cards that it names are one card, and in our hand.
bool is_true(const std::string& option, const Words& hand) {
    std::set<std::string> cards;
    for (const auto& word : split(option, ":@"))
        if (has(CARDS, word)) cards.insert(word);
    return cards.empty() || (cards.size() == 1 && has(hand, *cards.begin()));
}

// The place of an option in WANTED, or the last one.
int rank_of(const std::string& option) {
    const auto first = option.substr(0, option.find_first_of(":@+."));
    return static_cast<int>(std::find(WANTED.begin(), WANTED.end(), first) - WANTED.begin());
}

// Never lie, challenge only liars that have been caught, else take what is wanted most.
std::string choose(const std::string& kind, Facts& facts, Words options, Table& table) {
    if (kind == "challenge" && table.events["refuted " + facts["on"]] > 0) return "challenge";
    if (has(CLAIMS, kind)) {
        Words honest;
        for (const auto& option : options)
            if (is_true(option, table.hand())) honest.push_back(option);
        if (!honest.empty()) options = honest;
    }
    std::vector<int> ranks;
    std::transform(options.begin(), options.end(), std::back_inserter(ranks), rank_of);
    const int best = has(LOSSES, kind) ? *std::max_element(ranks.begin(), ranks.end())
                                       : *std::min_element(ranks.begin(), ranks.end());
    Words wanted;
    for (const auto& option : options)
        if (rank_of(option) == best) wanted.push_back(option);
    return wanted[table.random(wanted.size())];
}

std::string answer(const std::string& kind, Facts facts, const Words& options, std::optional<Table>& table) {
    if (kind == "hello") return "ok name=@NAME@ version=1";
    return table && kind != "ready" ? choose(kind, facts, options, *table) : options.front();
}

int main() {
    std::optional<Table> table;
    for (std::string line; std::getline(std::cin, line);) {
        const Words words = split(line);
        const std::string verb = words.empty() ? "" : words[0];
        if (verb == "game") {
            table.emplace(pairs(words));
        } else if (verb == "state") {
            table->state[words[1]] = pairs(words);
        } else if (verb == "event") {
            table->events[words[1] + (words.size() > 2 ? " " + words[2] : "")]++;
        } else if (verb == "ask") {  // <id> <kind> <ms> <key>=<value> ... : <option> ...
            const auto colon = std::find(words.begin(), words.end(), ":");
            const Facts facts = pairs({words.begin(), colon});
            const Words options(colon + 1, words.end());
            std::cout << words[1] << ' ' << answer(words[2], facts, options, table) << std::endl;
        } else if (verb == "error") {  // we made a mistake; stderr is kept with the game
            std::cerr << line << '\n';
        } else if (verb == "bye") {
            break;
        }
    }
}
