# @NAME@, a bot for @GAME@. `choose` is its strategy: change that. All else reads the protocol.
# `arena games @GAME@` explains the rules, and all that the arena tells and asks.

# Words that claim a card; the first words of options, the best first; asks in which to name a card is
# to claim it; and asks for a card to give away, the least wanted one.
CARDS = "@CARDS@".split
WANTED = "@WANTED@".split
CLAIMS = %w[action block]
LOSSES = %w[lose show return]

# Never lie, challenge only liars that have been caught, else take what is wanted most.
def choose(kind, facts, options, table)
  return "challenge" if kind == "challenge" && table.events["refuted #{facts["on"]}"] > 0

  if CLAIMS.include?(kind)
    honest = options.select { |option| true?(option, table.hand) }
    options = honest unless honest.empty?
  end
  ranks = options.map { |option| rank(option) }
  best = LOSSES.include?(kind) ? ranks.max : ranks.min
  options = options.select { |option| rank(option) == best }
  options[table.random(options.size)]
end

# Whether we could prove a claim: all cards that it names are one card, and in our hand.
def true?(option, hand)
  cards = option.split(/[:@]/).uniq & CARDS
  cards.empty? || (cards.size == 1 && hand.include?(cards.first))
end

# The place of an option in WANTED, or the last one.
def rank(option)
  WANTED.index(option.split(/[:@+.]/).first) || WANTED.size
end

# What we know of one game. Each game gets a new one, so that nothing is left from the game before.
class Table
  attr_reader :state, :events

  def initialize(words)
    facts = pairs(words)
    @me = facts["you"]
    @state = {} # "p1" or "table" -> the facts of its newest `state` line
    @events = Hash.new(0) # "refuted p1" -> how often an `event` line began so
    @chance = facts["seed"].to_i % 2147483646 + 1
  end

  def hand
    state.fetch(@me, {}).fetch("hand", "").split(",")
  end

  # A number below `count`. The same seed gives the same numbers, so that games can be repeated.
  def random(count)
    @chance = @chance * 48271 % 2147483647 # the generator minstd_rand of C++
    @chance % count
  end
end

# The words of the form key=value, as a hash.
def pairs(words)
  words.select { |word| word.include?("=") }.to_h { |word| word.split("=", 2) }
end

def answer(kind, facts, options, table)
  return "ok name=@NAME@ version=1" if kind == "hello"

  table && kind != "ready" ? choose(kind, facts, options, table) : options.first
end

$stdout.sync = true # flush after every line
table = nil
while (line = $stdin.gets)
  verb, *words = line.split
  case verb
  when "game" then table = Table.new(words)
  when "state" then table.state[words[0]] = pairs(words)
  when "event" then table.events[words[0, 2].join(" ")] += 1
  when "ask" # <id> <kind> <ms> <key>=<value> ... : <option> ...
    colon = words.index(":")
    puts "#{words[0]} #{answer(words[1], pairs(words[0...colon]), words[colon + 1..], table)}"
  when "error" then warn line # we made a mistake; stderr is kept with the game
  when "bye" then break
  end
end
