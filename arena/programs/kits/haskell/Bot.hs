-- @NAME@, a bot for @GAME@. `choose` is its strategy: change that. All else reads the protocol.
-- `arena games @GAME@` explains the rules, and all that the arena tells and asks.
module Main (main) where

import Data.List (elemIndex, nub)
import Data.Map.Strict (Map)
import qualified Data.Map.Strict as Map
import Data.Maybe (fromMaybe)
import System.IO

type Facts = Map String String

-- Words that claim a card; the first words of options, the best first; asks in which to name a card is
-- to claim it; and asks for a card to give away, the least wanted one.
cards, wanted, claims, losses :: [String]
cards = words "@CARDS@"
wanted = words "@WANTED@"
claims = words "action block"
losses = words "lose show return"

-- | What we know of one game. Each game gets a new one, so that nothing is left from the game before.
data Table = Table
  { me :: String
  , states :: Map String Facts -- "p1" or "table": the facts of its newest `state` line
  , events :: Map String Int -- "refuted p1": how often an `event` line began so
  , chance :: Int
  }

-- | Never lie, challenge only liars that have been caught, else take what is wanted most.
choose :: String -> Facts -> [String] -> Table -> (String, Table)
choose kind facts options table
  | kind == "challenge" && Map.member ("refuted " ++ fact "on" facts) (events table) = ("challenge", table)
  | otherwise = (best !! place, table')
  where
    honest = filter (`isTrue` hand table) options
    allowed = if kind `elem` claims && not (null honest) then honest else options
    pick = if kind `elem` losses then maximum else minimum
    best = filter ((== pick (map rank allowed)) . rank) allowed
    (place, table') = random (length best) table

-- | Whether we could prove a claim: all cards that it names are one card, and in our hand.
isTrue :: String -> [String] -> Bool
isTrue option held = case nub (filter (`elem` cards) (split ":@" option)) of
  [] -> True
  [card] -> card `elem` held
  _ -> False

-- | The place of an option in `wanted`, or the last one.
rank :: String -> Int
rank option = fromMaybe (length wanted) (elemIndex (takeWhile (`notElem` ":@+.") option) wanted)

hand :: Table -> [String]
hand table = split "," (fact "hand" (Map.findWithDefault Map.empty (me table) (states table)))

-- | A number below `count`. The same seed gives the same numbers, so that games can be repeated.
random :: Int -> Table -> (Int, Table)
random count table = (next `mod` count, table {chance = next})
  where
    next = chance table * 48271 `mod` 2147483647 -- the generator minstd_rand of C++

-- | The words of the form key=value.
pairs :: [String] -> Facts
pairs given = Map.fromList [(key, value) | (key, '=' : value) <- map (break (== '=')) given]

fact :: String -> Facts -> String
fact = Map.findWithDefault ""

-- | The parts of a text between any of these separators.
split :: String -> String -> [String]
split separators text = case break (`elem` separators) text of
  (part, _ : rest) -> part : split separators rest
  (part, []) -> [part]

answer :: String -> Facts -> [String] -> Maybe Table -> (String, Maybe Table)
answer "hello" _ _ table = ("ok name=@NAME@ version=1", table)
answer "ready" _ _ table = ("ok", table)
answer kind facts options (Just table) = Just <$> choose kind facts options table
answer _ _ options Nothing = (head options, Nothing)

-- | Read a line, and go on with what we know then.
play :: Maybe Table -> IO ()
play table = do
  over <- isEOF
  line <- if over then return "bye" else getLine
  case words line of
    "game" : given -> play (Just (start (pairs given)))
    "state" : name : given -> play (tell name given <$> table)
    "event" : given -> play (hear (unwords (take 2 given)) <$> table)
    "ask" : number : kind : given -> do -- <id> <kind> <ms> <key>=<value> ... : <option> ...
      let (facts, options) = break (== ":") given
          (chosen, table') = answer kind (pairs facts) (drop 1 options) table
      putStrLn (number ++ " " ++ chosen)
      play table'
    "error" : _ -> hPutStrLn stderr line >> play table -- we made a mistake; stderr is kept with the game
    "bye" : _ -> return ()
    _ -> play table
  where
    start facts = Table (fact "you" facts) Map.empty Map.empty (read (fact "seed" facts) `mod` 2147483646 + 1)
    tell name given known = known {states = Map.insert name (pairs given) (states known)}
    hear name known = known {events = Map.insertWith (+) name 1 (events known)}

main :: IO ()
main = hSetBuffering stdout LineBuffering >> play Nothing
