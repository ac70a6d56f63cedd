// @NAME@, a bot for @GAME@. `choose` is its strategy: change that. All else reads the protocol.
// `arena games @GAME@` explains the rules, and all that the arena tells and asks.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, BufRead, Write};

// Words that claim a card; the first words of options, the best first; asks in which to name a card is
// to claim it; and asks for a card to give away, the least wanted one.
const CARDS: &str = "@CARDS@";
const WANTED: &str = "@WANTED@";
const CLAIMS: &str = "action block";
const LOSSES: &str = "lose show return";

type Facts = HashMap<String, String>;

/// Never lie, challenge only liars that have been caught, else take what is wanted most.
fn choose<'a>(kind: &str, facts: &Facts, options: &[&'a str], table: &mut Table) -> &'a str {
    let liar = format!("refuted {}", facts.get("on").map_or("", String::as_str));
    if kind == "challenge" && table.events.contains_key(&liar) {
        return "challenge";
    }
    let mut options = options.to_vec();
    if has(CLAIMS, kind) {
        let hand = table.hand();
        let honest: Vec<_> = options
            .iter()
            .copied()
            .filter(|option| is_true(option, &hand))
            .collect();
        if !honest.is_empty() {
            options = honest;
        }
    }
    let ranks = options.iter().map(|option| rank(option));
    let best = if has(LOSSES, kind) {
        ranks.max()
    } else {
        ranks.min()
    };
    options.retain(|option| Some(rank(option)) == best);
    options[table.random(options.len())]
}

fn has(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|each| each == word)
}

/// Whether we could prove a claim: all cards that it names are one card, and in our hand.
fn is_true(option: &str, hand: &[String]) -> bool {
    let cards: BTreeSet<_> = option
        .split([':', '@'])
        .filter(|word| has(CARDS, word))
        .collect();
    cards.is_empty() || (cards.len() == 1 && hand.iter().any(|card| cards.contains(card.as_str())))
}

/// The place of an option in WANTED, or the last one.
fn rank(option: &str) -> usize {
    let first = option.split([':', '@', '+', '.']).next();
    WANTED
        .split_whitespace()
        .position(|word| Some(word) == first)
        .unwrap_or(usize::MAX)
}

/// What we know of one game. Each game gets a new one, so that nothing is left from the game before.
struct Table {
    me: String,
    state: HashMap<String, Facts>, // "p1" or "table" -> the facts of its newest `state` line
    events: HashMap<String, usize>, // "refuted p1" -> how often an `event` line began so
    chance: u64,
}

impl Table {
    fn new(facts: Facts) -> Table {
        let seed: u64 = facts
            .get("seed")
            .and_then(|seed| seed.parse().ok())
            .unwrap_or(0);
        let me = facts.get("you").cloned().unwrap_or_default();
        Table {
            me,
            state: HashMap::new(),
            events: HashMap::new(),
            chance: seed % 2147483646 + 1,
        }
    }

    fn hand(&self) -> Vec<String> {
        let cards = self.state.get(&self.me).and_then(|facts| facts.get("hand"));
        cards.map_or(vec![], |cards| cards.split(',').map(String::from).collect())
    }

    /// A number below `count`. The same seed gives the same numbers, so that games can be repeated.
    fn random(&mut self, count: usize) -> usize {
        self.chance = self.chance * 48271 % 2147483647; // the generator minstd_rand of C++
        self.chance as usize % count
    }
}

/// The words of the form key=value, as a map.
fn pairs(words: &[&str]) -> Facts {
    let found = words.iter().filter_map(|word| word.split_once('='));
    found
        .map(|(key, value)| (key.to_string(), value.to_string()))
        .collect()
}

fn answer<'a>(
    kind: &str,
    facts: &Facts,
    options: &[&'a str],
    table: &mut Option<Table>,
) -> &'a str {
    match (kind, table) {
        ("hello", _) => "ok name=@NAME@ version=1",
        ("ready", _) | (_, None) => options[0],
        (_, Some(table)) => choose(kind, facts, options, table),
    }
}

fn main() -> io::Result<()> {
    let mut table: Option<Table> = None;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        match (words.first().copied(), &mut table) {
            (Some("game"), _) => table = Some(Table::new(pairs(&words))),
            (Some("state"), Some(table)) => {
                table.state.insert(words[1].to_string(), pairs(&words));
            }
            (Some("event"), Some(table)) => {
                let name = words[1..words.len().min(3)].join(" ");
                *table.events.entry(name).or_insert(0) += 1;
            }
            (Some("ask"), table) => {
                // <id> <kind> <ms> <key>=<value> ... : <option> ...
                let colon = words.iter().position(|word| *word == ":").unwrap_or(0);
                let chosen = answer(
                    words[2],
                    &pairs(&words[..colon]),
                    &words[colon + 1..],
                    table,
                );
                println!("{} {}", words[1], chosen);
                io::stdout().flush()?;
            }
            (Some("error"), _) => eprintln!("{line}"), // we made a mistake; stderr is kept with the game
            (Some("bye"), _) => break,
            _ => {}
        }
    }
    Ok(())
}
