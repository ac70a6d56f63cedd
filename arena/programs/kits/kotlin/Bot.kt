// @NAME@, a bot for @GAME@. `choose` is its strategy: change that. All else reads the protocol.
// `arena games @GAME@` explains the rules, and all that the arena tells and asks.

// Words that claim a card; the first words of options, the best first; asks in which to name a card is
// to claim it; and asks for a card to give away, the least wanted one.
val CARDS = "@CARDS@".split(" ")
val WANTED = "@WANTED@".split(" ")
val CLAIMS = "action block".split(" ")
val LOSSES = "lose show return".split(" ")

/** Never lie, challenge only liars that have been caught, else take what is wanted most. */
fun choose(kind: String, facts: Map<String, String>, options: List<String>, table: Table): String {
    if (kind == "challenge" && "refuted ${facts["on"]}" in table.events) return "challenge"
    val honest = if (kind in CLAIMS) options.filter { isTrue(it, table.hand()) } else options
    val allowed = if (honest.isEmpty()) options else honest
    val ranks = allowed.map(::rank).sorted()
    val best = if (kind in LOSSES) ranks.last() else ranks.first()
    val wanted = allowed.filter { rank(it) == best }
    return wanted[table.random(wanted.size)]
}

/** Whether we could prove a claim: all cards that it names are one card, and in our hand. */
fun isTrue(option: String, hand: List<String>): Boolean {
    val cards = option.split(':', '@').filter { it in CARDS }.toSet()
    return cards.isEmpty() || (cards.size == 1 && cards.first() in hand)
}

/** The place of an option in WANTED, or the last one. */
fun rank(option: String): Int {
    val place = WANTED.indexOf(option.split(':', '@', '+', '.').first())
    return if (place >= 0) place else WANTED.size
}

/** What we know of one game. Each game gets a new one, so that nothing is left from the game before. */
class Table(facts: Map<String, String>) {
    val me = facts.getValue("you")
    val state = mutableMapOf<String, Map<String, String>>() // "p1" or "table": its newest `state` line
    val events = mutableMapOf<String, Int>() // "refuted p1": how often an `event` line began so
    private var chance = facts.getValue("seed").toLong() % 2147483646 + 1

    fun hand() = state[me]?.get("hand")?.split(",") ?: listOf()

    /** A number below `count`. The same seed gives the same numbers, so that games can be repeated. */
    fun random(count: Int): Int {
        chance = chance * 48271 % 2147483647 // the generator minstd_rand of C++
        return (chance % count).toInt()
    }
}

/** The words of the form key=value, as a map. */
fun pairs(words: List<String>) =
    words.filter { "=" in it }.associate { it.substringBefore("=") to it.substringAfter("=") }

fun answer(kind: String, facts: Map<String, String>, options: List<String>, table: Table?) = when {
    kind == "hello" -> "ok name=@NAME@ version=1"
    kind == "ready" || table == null -> options.first()
    else -> choose(kind, facts, options, table)
}

fun main() {
    var table: Table? = null
    while (true) {
        val line = readLine() ?: break
        val words = line.split(" ")
        when (words[0]) {
            "game" -> table = Table(pairs(words))
            "state" -> table?.state?.put(words[1], pairs(words))
            "event" -> table?.events?.merge(words.drop(1).take(2).joinToString(" "), 1, Int::plus)
            "ask" -> { // <id> <kind> <ms> <key>=<value> ... : <option> ...
                val colon = words.indexOf(":")
                val options = words.drop(colon + 1)
                println("${words[1]} ${answer(words[2], pairs(words.take(colon)), options, table)}")
                System.out.flush()
            }
            "error" -> System.err.println(line) // we made a mistake; stderr is kept with the game
            "bye" -> return
        }
    }
}
