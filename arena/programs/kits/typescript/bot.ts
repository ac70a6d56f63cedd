// @NAME@, a bot for @GAME@. `choose` is its strategy: change that. All else reads the protocol.
// `arena games @GAME@` explains the rules, and all that the arena tells and asks.

// Words that claim a card; the first words of options, the best first; asks in which to name a card is
// to claim it; and asks for a card to give away, the least wanted one.
const CARDS = "@CARDS@".split(" ");
const WANTED = "@WANTED@".split(" ");
const CLAIMS = "action block".split(" ");
const LOSSES = "lose show return".split(" ");

type Facts = Map<string, string>;

// Never lie, challenge only liars that have been caught, else take what is wanted most.
function choose(kind: string, facts: Facts, options: string[], table: Table): string {
  if (kind === "challenge" && (table.events.get(`refuted ${facts.get("on")}`) ?? 0) > 0) return "challenge";
  if (CLAIMS.includes(kind)) {
    const honest = options.filter((option) => isTrue(option, table.hand()));
    if (honest.length > 0) options = honest;
  }
  const ranks = options.map(rank);
  const best = LOSSES.includes(kind) ? Math.max(...ranks) : Math.min(...ranks);
  options = options.filter((option) => rank(option) === best);
  return options[table.random(options.length)];
}

// Whether we could prove a claim: all cards that it names are one card, and in our hand.
function isTrue(option: string, hand: string[]): boolean {
  const cards = new Set(option.split(/[:@]/).filter((word) => CARDS.includes(word)));
  return cards.size === 0 || (cards.size === 1 && hand.includes([...cards][0]));
}

// The place of an option in WANTED, or the last one.
function rank(option: string): number {
  const place = WANTED.indexOf(option.split(/[:@+.]/)[0]);
  return place >= 0 ? place : WANTED.length;
}

// What we know of one game. Each game gets a new one, so that nothing is left from the game before.
class Table {
  readonly me: string;
  readonly state = new Map<string, Facts>(); // "p1" or "table" -> the facts of its newest `state` line
  readonly events = new Map<string, number>(); // "refuted p1" -> how often an `event` line began so
  private chance: number;

  constructor(words: string[]) {
    const facts = pairs(words);
    this.me = facts.get("you") ?? "";
    this.chance = (Number(facts.get("seed")) % 2147483646) + 1;
  }

  hand(): string[] {
    return (this.state.get(this.me)?.get("hand") ?? "").split(",");
  }

  // A number below `count`. The same seed gives the same numbers, so that games can be repeated.
  random(count: number): number {
    this.chance = (this.chance * 48271) % 2147483647; // the generator minstd_rand of C++
    return this.chance % count;
  }
}

// The words of the form key=value, as a map.
function pairs(words: string[]): Facts {
  const found = words.filter((word) => word.includes("="));
  return new Map(found.map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]));
}

function answer(kind: string, facts: Facts, options: string[], table: Table | null): string {
  if (kind === "hello") return "ok name=@NAME@ version=1";
  return table && kind !== "ready" ? choose(kind, facts, options, table) : options[0];
}

declare const require: any; // of node, so that its types need not be installed
declare const process: any;

async function main(): Promise<void> {
  let table: Table | null = null;
  for await (const line of require("readline").createInterface({ input: process.stdin })) {
    const [verb, ...words] = line.split(" ");
    if (verb === "game") {
      table = new Table(words);
    } else if (verb === "state") {
      table?.state.set(words[0], pairs(words));
    } else if (verb === "event") {
      const name = words.slice(0, 2).join(" ");
      table?.events.set(name, (table.events.get(name) ?? 0) + 1);
    } else if (verb === "ask") { // <id> <kind> <ms> <key>=<value> ... : <option> ...
      const colon = words.indexOf(":");
      const facts = pairs(words.slice(0, colon));
      process.stdout.write(`${words[0]} ${answer(words[1], facts, words.slice(colon + 1), table)}\n`);
    } else if (verb === "error") {
      process.stderr.write(`${line}\n`); // we made a mistake; stderr is kept with the game
    } else if (verb === "bye") {
      break;
    }
  }
}

main();
