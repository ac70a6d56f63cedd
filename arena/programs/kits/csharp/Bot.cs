// @NAME@, a bot for @GAME@. `Choose` is its strategy: change that. All else reads the protocol.
// `arena games @GAME@` explains the rules, and all that the arena tells and asks.

using System;
using System.Collections.Generic;
using System.Linq;
using Facts = System.Collections.Generic.Dictionary<string, string>;

static class Bot
{
    // Words that claim a card; the first words of options, the best first; asks in which to name a card is
    // to claim it; and asks for a card to give away, the least wanted one.
    static readonly string[] Cards = "@CARDS@".Split(' ');
    static readonly string[] Wanted = "@WANTED@".Split(' ');
    static readonly string[] Claims = "action block".Split(' ');
    static readonly string[] Losses = "lose show return".Split(' ');

    // Never lie, challenge only liars that have been caught, else take what is wanted most.
    static string Choose(string kind, Facts facts, string[] options, Table table)
    {
        if (kind == "challenge" && table.Events.ContainsKey("refuted " + facts["on"])) return "challenge";
        if (Claims.Contains(kind))
        {
            var honest = options.Where(option => IsTrue(option, table.Hand())).ToArray();
            if (honest.Length > 0) options = honest;
        }
        var ranks = options.Select(Rank).ToArray();
        var best = Losses.Contains(kind) ? ranks.Max() : ranks.Min();
        options = options.Where(option => Rank(option) == best).ToArray();
        return options[table.Random(options.Length)];
    }

    // Whether we could prove a claim: all cards that it names are one card, and in our hand.
    static bool IsTrue(string option, string[] hand)
    {
        var cards = option.Split(':', '@').Where(word => Cards.Contains(word)).Distinct().ToArray();
        return cards.Length == 0 || (cards.Length == 1 && hand.Contains(cards[0]));
    }

    // The place of an option in Wanted, or the last one.
    static int Rank(string option)
    {
        var place = Array.IndexOf(Wanted, option.Split(':', '@', '+', '.')[0]);
        return place >= 0 ? place : Wanted.Length;
    }

    // What we know of one game. Each game gets a new one, so that nothing is left from the game before.
    class Table
    {
        readonly string me;
        long chance;
        // "p1" or "table": the facts of its newest `state` line
        public readonly Dictionary<string, Facts> State = new Dictionary<string, Facts>();
        // "refuted p1": how often an `event` line began so
        public readonly Dictionary<string, int> Events = new Dictionary<string, int>();

        public Table(Facts facts)
        {
            me = facts["you"];
            chance = long.Parse(facts["seed"]) % 2147483646 + 1;
        }

        public string[] Hand()
        {
            Facts mine;
            string hand = null;
            var known = State.TryGetValue(me, out mine) && mine.TryGetValue("hand", out hand);
            return known ? hand.Split(',') : new string[0];
        }

        // A number below `count`. The same seed gives the same numbers, so that games can be repeated.
        public int Random(int count)
        {
            chance = chance * 48271 % 2147483647; // the generator minstd_rand of C++
            return (int)(chance % count);
        }
    }

    // The words of the form key=value, as a dictionary.
    static Facts Pairs(IEnumerable<string> words)
    {
        var found = new Facts();
        foreach (var word in words.Where(word => word.Contains("=")))
            found[word.Split('=')[0]] = word.Substring(word.IndexOf('=') + 1);
        return found;
    }

    static string Answer(string kind, Facts facts, string[] options, Table table)
    {
        if (kind == "hello") return "ok name=@NAME@ version=1";
        return table == null || kind == "ready" ? options[0] : Choose(kind, facts, options, table);
    }

    static void Main()
    {
        Table table = null;
        for (string line; (line = Console.In.ReadLine()) != null;)
        {
            var words = line.Split(' ');
            switch (words[0])
            {
                case "game":
                    table = new Table(Pairs(words));
                    break;
                case "state":
                    table.State[words[1]] = Pairs(words);
                    break;
                case "event":
                    var name = string.Join(" ", words.Skip(1).Take(2));
                    table.Events[name] = (table.Events.ContainsKey(name) ? table.Events[name] : 0) + 1;
                    break;
                case "ask": // <id> <kind> <ms> <key>=<value> ... : <option> ...
                    var colon = Array.IndexOf(words, ":");
                    var options = words.Skip(colon + 1).ToArray();
                    var facts = Pairs(words.Take(colon));
                    Console.Out.WriteLine(words[1] + " " + Answer(words[2], facts, options, table));
                    Console.Out.Flush();
                    break;
                case "error": // we made a mistake; stderr is kept with the game
                    Console.Error.WriteLine(line);
                    break;
                case "bye":
                    return;
            }
        }
    }
}
