-- @NAME@, a bot for @GAME@. `choose` is its strategy: change that. All else reads the protocol.
-- `arena games @GAME@` explains the rules, and all that the arena tells and asks.

-- The parts of a text between these separators, by default spaces, and the place of each part.
local function split(text, separators)
  local parts, places = {}, {}
  for part in text:gmatch("[^" .. (separators or "%s") .. "]+") do
    parts[#parts + 1] = part
    places[part] = places[part] or #parts
  end
  return parts, places
end

-- Words that claim a card; the first words of options, the best first; asks in which to name a card is
-- to claim it; and asks for a card to give away, the least wanted one.
local _, CARDS = split("@CARDS@")
local _, WANTED = split("@WANTED@")
local CLAIMS = { action = true, block = true }
local LOSSES = { lose = true, show = true, ["return"] = true }

-- What we know of one game. Each game gets a new one, so that nothing is left from the game before.
local Table = {}
Table.__index = Table

function Table.new(facts)
  return setmetatable({
    me = facts.you,
    state = {}, -- "p1" or "table" -> the facts of its newest `state` line
    events = {}, -- "refuted p1" -> how often an `event` line began so
    chance = math.tointeger(tonumber(facts.seed)) % 2147483646 + 1,
  }, Table)
end

function Table:hand()
  return split((self.state[self.me] or {}).hand or "", ",")
end

-- A number from 1 to `count`. The same seed gives the same numbers, so that games can be repeated.
function Table:random(count)
  self.chance = self.chance * 48271 % 2147483647 -- the generator minstd_rand of C++
  return self.chance % count + 1
end

-- Whether we could prove a claim: all cards that it names are one card, and in our hand.
local function is_true(option, table)
  local card
  for _, word in ipairs(split(option, ":@")) do
    if CARDS[word] then
      if card and card ~= word then return false end
      card = word
    end
  end
  local _, held = table:hand()
  return not card or held[card] ~= nil
end

-- The place of an option in WANTED, or the last one.
local function rank(option)
  return WANTED[option:match("^[^:@+.]*")] or math.huge
end

-- The options of which this is true; all, if there are none.
local function only(options, is_wanted)
  local found = {}
  for _, option in ipairs(options) do
    if is_wanted(option) then found[#found + 1] = option end
  end
  return #found > 0 and found or options
end

-- Never lie, challenge only liars that have been caught, else take what is wanted most.
local function choose(kind, facts, options, table)
  if kind == "challenge" and table.events["refuted " .. facts.on] then return "challenge" end
  if CLAIMS[kind] then
    options = only(options, function(option) return is_true(option, table) end)
  end
  local best = rank(options[1])
  for _, option in ipairs(options) do
    best = (LOSSES[kind] and math.max or math.min)(best, rank(option))
  end
  options = only(options, function(option) return rank(option) == best end)
  return options[table:random(#options)]
end

-- The words of the form key=value, as a table.
local function pairs_of(text)
  local found = {}
  for word in text:gmatch("%S+") do
    local key, value = word:match("^(.-)=(.*)$")
    if key then found[key] = value end
  end
  return found
end

local function answer(kind, facts, options, table)
  if kind == "hello" then return "ok name=@NAME@ version=1" end
  return table and kind ~= "ready" and choose(kind, facts, options, table) or options[1]
end

io.stdout:setvbuf("line") -- flush after every line
local table
for line in io.lines() do
  local verb, rest = line:match("^(%S*) ?(.*)$")
  if verb == "game" then
    table = Table.new(pairs_of(rest))
  elseif verb == "state" then
    table.state[rest:match("^%S*")] = pairs_of(rest)
  elseif verb == "event" then
    local name = rest:match("^%S+ %S+") or rest
    table.events[name] = (table.events[name] or 0) + 1
  elseif verb == "ask" then -- <id> <kind> <ms> <key>=<value> ... : <option> ...
    local id, kind, facts, options = rest:match("^(%S+) (%S+)(.-) : (.*)$")
    print(id .. " " .. answer(kind, pairs_of(facts), split(options), table))
  elseif verb == "error" then -- we made a mistake; stderr is kept with the game
    io.stderr:write(line, "\n")
  elseif verb == "bye" then
    break
  end
end
