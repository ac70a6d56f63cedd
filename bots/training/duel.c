/* External-sampling MCCFR within a turn, with learned values of the turns that follow.

Theory of operation. Regret minimisation over whole games would have to try each answer of the learner in each of
some thirty decisions. Instead a game is a chain of turns, and a table of values says what a position at the beginning
of a turn is worth, all cards seen. So an iteration plays one game between the current strategies of two seats; at
each turn it walks the whole tree of answers of this turn (about a hundred nodes), with chance sampled. At the nodes of
the learner, the regrets of all answers grow; at those of its opponent, the average strategy. What the walk returns moves
the value of the turn. The next turn is sampled.

The position of an iteration must be as probable as the opponent's strategy makes it, as a claim tells of the cards
behind it. So only the learner explores; the opponent trembles a little, to keep rare positions known.
Regrets and averages have weights that grow linearly with the games (linear CFR). Situations forget what was
claimed before the last claim of each seat, so there is no guarantee: bots/measurements.md has what was measured. */

#include "duel.h"

static const double SLOWEST = 0.01; /* how far a value moves, at least */

static uint8_t rank_of[5 * 625]; /* by `code` */

static int code(const uint8_t *cards) {
    int at = 0;
    for (int card = 0; card < CARDS; card++) at = at * 5 + cards[card];
    return at;
}

void prepare(void) { /* numbers the multisets of 1 to 4 cards, in the order of their sorted cards */
    static const int power[] = {625, 125, 25, 5, 1};
    int ranks[5] = {0};
    for (int a = 0; a < 5; a++) {
        rank_of[power[a]] = ranks[1]++;
        for (int b = a; b < 5; b++) {
            rank_of[power[a] + power[b]] = ranks[2]++;
            for (int c = b; c < 5; c++) {
                rank_of[power[a] + power[b] + power[c]] = ranks[3]++;
                for (int d = c; d < 5; d++) rank_of[power[a] + power[b] + power[c] + power[d]] = ranks[4]++;
            }
        }
    }
}

static int first(const uint8_t *cards) {
    int card = 0;
    while (card < CARDS && !cards[card]) card++;
    return card;
}

static int cards_of(const Game *g, int seat) { /* below 40: both cards, or the lost one and the other */
    int rank = rank_of[code(g->hand[seat])];
    return g->cards[seat] == 2 ? rank : 15 + 5 * first(g->lost[seat]) + rank;
}

static int lost_of(const Game *g, int seat) { return g->cards[seat] == 2 ? 0 : 1 + first(g->lost[seat]); }

static int purse(const Game *g, int seat) { return g->coins[seat] < 10 ? g->coins[seat] : 10; }

static int side(const Game *g, int me) {
    return ((cards_of(g, me) * 6 + lost_of(g, 1 - me)) * 11 + purse(g, me)) * 11 + purse(g, 1 - me);
}

static int class_of(int coins) { return (coins >= 3) + (coins >= 7); }

static int wealth(const Game *g, int me) { return class_of(g->coins[me]) * 3 + class_of(g->coins[1 - me]); }

static int is_block(const Game *g) { return g->blocker != NOBODY; }

static int claim_context(const Game *g) { /* below 9 */
    if (!is_block(g)) return g->verb - TAX;
    return g->verb == AID ? 5 : g->verb == STAB ? 6 : g->claim == CAPTAIN ? 7 : 8;
}

static int returned(const Game *g, int me) {
    int size = g->cards[me], rank = rank_of[code(g->hand[me])] + (size == 3 ? 15 : size == 4 ? 50 : 0);
    int kept = size - g->shown;
    return ((rank * 2 + kept - 1) * 6 + lost_of(g, 1 - me)) * WEALTH + wealth(g, me);
}

int where(const Game *g) {
    int me = g->asked, at = 0;
    switch (g->phase) {
    case ACTION:
        return ((side(g, me) * CLAIMS + g->last[me]) * CLAIMS + g->last[1 - me]) * 8;
    case CHALLENGE:
        at = ACTIONS;
        return at + ((side(g, me) * CLAIMS + g->last[1 - me]) * 9 + claim_context(g)) * 2;
    case BLOCK:
        at = ACTIONS + CHALLENGES;
        return at + ((side(g, me) * CLAIMS + g->last[me]) * 3 + (g->verb == AID ? 0 : g->verb == STAB ? 1 : 2)) * 3;
    case LOSE:
    case SHOW:
        at = rank_of[code(g->hand[me])] * 6 + lost_of(g, 1 - me);
        at = (at * WEALTH + wealth(g, me)) * 5 + (g->phase == SHOW ? 4 : g->cause);
        return ACTIONS + CHALLENGES + BLOCKS + at * 5;
    case RETURN:
        return ACTIONS + CHALLENGES + BLOCKS + LOSSES + returned(g, me) * 5;
    case EXAM:
        at = (cards_of(g, me) * 6 + lost_of(g, 1 - me)) * WEALTH + wealth(g, me);
        return ACTIONS + CHALLENGES + BLOCKS + LOSSES + RETURNS + (at * 5 + g->shown) * 2;
    default: /* DRAFT */
        at = first(g->hand[me]) * 2 + (g->actor == me);
        return SLOTS - DRAFTS + at * 5;
    }
}

int slot(const Game *g, int answer) {
    if (g->phase == ACTION) return answer & 7;
    return g->phase == BLOCK && answer ? 1 + (answer == 1 + FIFTH) : answer;
}

/* Values */

typedef struct {
    int bot, seat; /* NOBODY: the current strategy plays both seats */
} Opponent;

/* Against itself a seat may expect something else than against a house bot: `house` is the bot and its seat. */
static int value_at(const Game *g, Opponent house) {
    int me = g->actor, other = 1 - me, against = house.seat == NOBODY ? 0 : 1 + 2 * house.bot + (house.seat == me);
    return (((against * 40 + cards_of(g, me)) * 40 + cards_of(g, other)) * 11 + purse(g, me)) * 11 + purse(g, other);
}

static double value_of(const Training *t, const Game *g, int me, Opponent house) { /* at the beginning of a turn, or at the end */
    if (g->phase == OVER) return g->living == 2 ? 0 : g->cards[me] ? 1 : -1;
    double value = t->value[value_at(g, house)];
    return g->actor == me ? value : -value;
}

static void move_value(Training *t, const Game *g, Opponent house, double value) { /* of the actor */
    int at = value_at(g, house);
    if (t->visits[at] < 65535) t->visits[at]++;
    double step = 1.0 / t->visits[at];
    t->value[at] += (step > SLOWEST ? step : SLOWEST) * (value - t->value[at]);
}

/* Strategies */

typedef struct {
    int count;
    uint8_t answers[MOST];
    int at[8];       /* the slot of each answer */
    double odds[8];
} Node;

static void look(const Training *t, const Game *g, Node *n) { /* the answers, and the current strategy */
    double total = 0;
    int base = where(g);
    n->count = legal(g, n->answers);
    for (int each = 0; each < n->count; each++) {
        n->at[each] = base + slot(g, n->answers[each]);
        double regret = t->regret[n->at[each]];
        total += n->odds[each] = regret > 0 ? regret : 0;
    }
    for (int each = 0; each < n->count; each++) n->odds[each] = total > 0 ? n->odds[each] / total : 1.0 / n->count;
}

static void settle(Training *t, Game *g) { /* draw cards, and give the answers that are the only ones */
    uint8_t answers[MOST];
    while (g->phase != OVER) {
        if (g->phase == DRAW)
            apply(g, drawn(g, &t->dice));
        else if (legal(g, answers) == 1)
            apply(g, answers[0]);
        else
            return;
    }
}

static void look_at_table(const float *table, const Game *g, Node *n, double least) { /* its strategy */
    double total = 0;
    int base = where(g);
    n->count = legal(g, n->answers);
    for (int each = 0; each < n->count; each++) total += n->odds[each] = table[base + slot(g, n->answers[each])];
    for (int each = 0; each < n->count; each++) n->odds[each] = total < least ? 1.0 / n->count : n->odds[each] / total;
}

static int picked(Training *t, const Node *n, double random) { /* an answer, at random with this probability */
    if (chance(&t->dice) < random) return n->answers[roll(&t->dice) % n->count];
    double at = chance(&t->dice);
    int each = 0;
    while (each < n->count - 1 && at >= n->odds[each]) at -= n->odds[each++];
    return n->answers[each];
}

static int answer_of(Training *t, int bot, const Game *g) { /* of an opponent */
    if (bot < HOUSE_BOTS) return house_answer(bot, g, &t->dice);
    Node n;
    look_at_table(t->fixed, g, &n, 1e-9);
    return picked(t, &n, 0);
}

/* Walks */

typedef struct {
    Training *t;
    int me, turn; /* the learner */
    Opponent house;
    double weight; /* of this iteration */
} Walk;

static double walk(Walk *w, const Game *g, double own, double others);

static double after(Walk *w, const Game *g, int answer, double own, double others) {
    Game next = *g;
    apply(&next, answer);
    while (next.phase == DRAW) apply(&next, drawn(&next, &w->t->dice));
    return walk(w, &next, own, others);
}

/* What a position within the turn is worth to the learner; `own` and `others`: how probable the answers are that the
   learner and its opponent have given since the turn began. */
static double walk(Walk *w, const Game *g, double own, double others) {
    if (g->phase == OVER || g->turn != w->turn) return value_of(w->t, g, w->me, w->house);
    if (g->asked == w->house.seat) return after(w, g, answer_of(w->t, w->house.bot, g), own, others);
    Node n;
    double values[8], value = 0;
    look(w->t, g, &n);
    int learns = g->asked == w->me;
    for (int each = 0; each < n.count; each++) {
        double odds = n.odds[each];
        if (!learns && odds == 0) continue;
        values[each] = after(w, g, n.answers[each], learns ? own * odds : own, learns ? others : others * odds);
        value += odds * values[each];
    }
    for (int each = 0; each < n.count; each++) {
        if (learns) w->t->regret[n.at[each]] += w->weight * others * (values[each] - value);
        if (!learns || w->house.seat != NOBODY)
            w->t->average[n.at[each]] += w->weight * (learns ? own : others) * n.odds[each];
    }
    return value;
}

static void play_on(Training *t, Game *g, int me, Opponent house) { /* to the next turn */
    int turn = g->turn;
    while (g->phase != OVER && g->turn == turn) {
        Node n;
        look(t, g, &n);
        apply(g, g->asked == house.seat ? answer_of(t, house.bot, g)
                                        : picked(t, &n, g->asked == me ? t->explore : t->tremble));
        settle(t, g);
    }
}

static Opponent opponent(Training *t, int seat) {
    double at = chance(&t->dice);
    for (int bot = 0; bot < OPPONENTS; bot++)
        if ((at -= t->house[bot]) < 0) return (Opponent){bot, seat};
    return (Opponent){0, NOBODY};
}

static void iterate(Training *t, int me, double weight) {
    Game g;
    Opponent house = opponent(t, 1 - me);
    start(&g, 2, t->inquisitor, roll(&t->dice) & 1);
    settle(t, &g);
    while (g.phase != OVER) {
        Walk w = {t, me, g.turn, house, weight};
        double value = walk(&w, &g, 1, 1);
        if (g.phase == ACTION) move_value(t, &g, house, g.actor == me ? value : -value);
        play_on(t, &g, me, house);
    }
}

void train(Training *t, long games, long done, long total) {
    for (long game = done; game < done + games; game++) iterate(t, game & 1, (game + 1.0) / total);
}

/* The average strategy against an opponent */

double score(Training *t, int bot, long games, double least) {
    double won = 0;
    for (long game = 0; game < games; game++) {
        Game g;
        start(&g, 2, t->inquisitor, game >> 1 & 1);
        settle(t, &g);
        while (g.phase != OVER) {
            Node n;
            look_at_table(t->average, &g, &n, least);
            apply(&g, g.asked == (game & 1) ? picked(t, &n, 0) : answer_of(t, bot, &g));
            settle(t, &g);
        }
        won += g.living == 2 ? 0.5 : g.cards[game & 1] > 0;
    }
    return won / games;
}
