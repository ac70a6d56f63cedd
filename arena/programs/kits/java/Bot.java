// @NAME@, a bot for @GAME@. `choose` is its strategy: change that. All else reads the protocol.
// `arena games @GAME@` explains the rules, and all that the arena tells and asks.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.IntStream;

public class Bot {
    // Words that claim a card; the first words of options, the best first; asks in which to name a card is
    // to claim it; and asks for a card to give away, the least wanted one.
    static final List<String> CARDS = words("@CARDS@");
    static final List<String> WANTED = words("@WANTED@");
    static final List<String> CLAIMS = words("action block");
    static final List<String> LOSSES = words("lose show return");

    /** Never lie, challenge only liars that have been caught, else take what is wanted most. */
    static String choose(String kind, Map<String, String> facts, List<String> options, Table table) {
        boolean isCaught = table.events.containsKey("refuted " + facts.get("on"));
        if (kind.equals("challenge") && isCaught) return "challenge";
        if (CLAIMS.contains(kind)) {
            List<String> honest = only(options, option -> isTrue(option, table.hand()));
            if (!honest.isEmpty()) options = honest;
        }
        IntStream ranks = options.stream().mapToInt(Bot::rank);
        int best = (LOSSES.contains(kind) ? ranks.max() : ranks.min()).getAsInt();
        options = only(options, option -> rank(option) == best);
        return options.get(table.random(options.size()));
    }

    /** Whether we could prove a claim: all cards that it names are one card, and in our hand. */
    static boolean isTrue(String option, List<String> hand) {
        List<String> cards = only(Arrays.asList(option.split("[:@]")), CARDS::contains);
        return cards.stream().allMatch(card -> card.equals(cards.get(0)) && hand.contains(card));
    }

    /** The place of an option in WANTED, or the last one. */
    static int rank(String option) {
        int place = WANTED.indexOf(option.split("[:@+.]")[0]);
        return place >= 0 ? place : WANTED.size();
    }

    /** What we know of one game. Each game gets a new one, so that nothing is left from the game before. */
    static class Table {
        final String me;
        /** "p1" or "table": the facts of its newest `state` line. */
        final Map<String, Map<String, String>> state = new HashMap<>();
        /** "refuted p1": how often an `event` line began so. */
        final Map<String, Integer> events = new HashMap<>();
        long chance;

        Table(Map<String, String> facts) {
            me = facts.get("you");
            chance = Long.parseLong(facts.get("seed")) % 2147483646 + 1;
        }

        List<String> hand() {
            return Arrays.asList(state.getOrDefault(me, Map.of()).getOrDefault("hand", "").split(","));
        }

        /** A number below `count`. The same seed gives the same numbers, so that games can be repeated. */
        int random(int count) {
            chance = chance * 48271 % 2147483647; // the generator minstd_rand of C++
            return (int) (chance % count);
        }
    }

    static List<String> words(String text) {
        return Arrays.asList(text.trim().split(" +"));
    }

    static List<String> only(List<String> words, Predicate<String> isWanted) {
        return words.stream().filter(isWanted).toList();
    }

    /** The words of the form key=value, as a map. */
    static Map<String, String> pairs(List<String> words) {
        Map<String, String> found = new HashMap<>();
        for (String word : words) {
            int equals = word.indexOf('=');
            if (equals >= 0) found.put(word.substring(0, equals), word.substring(equals + 1));
        }
        return found;
    }

    static String answer(String kind, Map<String, String> facts, List<String> options, Table table) {
        if (kind.equals("hello")) return "ok name=@NAME@ version=1";
        return table == null || kind.equals("ready") ? options.get(0) : choose(kind, facts, options, table);
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Table table = null;
        for (String line; (line = in.readLine()) != null; ) {
            List<String> words = words(line);
            switch (words.get(0)) {
                case "game" -> table = new Table(pairs(words));
                case "state" -> table.state.put(words.get(1), pairs(words));
                case "event" -> {
                    String name = String.join(" ", words.subList(1, Math.min(3, words.size())));
                    table.events.merge(name, 1, Integer::sum);
                }
                case "ask" -> { // <id> <kind> <ms> <key>=<value> ... : <option> ...
                    int colon = words.indexOf(":");
                    Map<String, String> facts = pairs(words.subList(0, colon));
                    List<String> options = words.subList(colon + 1, words.size());
                    System.out.println(words.get(1) + " " + answer(words.get(2), facts, options, table));
                    System.out.flush();
                }
                case "error" -> System.err.println(line); // we made a mistake; stderr is kept with the game
                case "bye" -> System.exit(0);
                default -> { } // later versions of the protocol may have more
            }
        }
    }
}
