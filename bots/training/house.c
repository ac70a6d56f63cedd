/* The simple house bots. */

#include "house.h"

static const uint8_t HONEST_BEST[] = {2, 0, 3, 1, 4};  /* by card: its place, the best first */
static const uint8_t BLUFFER_BEST[] = {1, 2, 0, 3, 4};
static const uint8_t BY_NUMBER[] = {0, 1, 2, 3, 4};

static int worst(const Game *g, const uint8_t *places) { /* of the hand */
    int found = -1;
    for (int card = 0; card < CARDS; card++)
        if (g->hand[g->asked][card] && (found < 0 || places[card] > places[found])) found = card;
    return found;
}

static int best(const uint8_t *places) { /* of all characters */
    int card = 0;
    while (places[card]) card++;
    return card;
}

static int danger(const Game *g, int seat) { return g->cards[seat] * 64 + g->coins[seat]; }

/* The most dangerous target of a verb, or -1 if it is not legal. */
static int against_the_strongest(const Game *g, int verb) {
    uint8_t answers[MOST];
    int found = -1, count = legal(g, answers);
    for (int each = 0; each < count; each++)
        if ((answers[each] & 7) == verb && (found < 0 || danger(g, answers[each] >> 3) > danger(g, found >> 3)))
            found = answers[each];
    return found;
}

static int strike(const Game *g, int may_claim) { /* bits; -1 if there is nothing */
    int found = against_the_strongest(g, COUP);
    if (found < 0 && may_claim >> ASSASSIN & 1) found = against_the_strongest(g, STAB);
    if (found < 0 && may_claim >> CAPTAIN & 1) found = against_the_strongest(g, STEAL);
    return found < 0 && may_claim >> DUCHESS & 1 ? TAX : found;
}

static int held(const Game *g) { /* bits */
    int set = 0;
    for (int card = 0; card < CARDS; card++) set |= (g->hand[g->asked][card] > 0) << card;
    return set;
}

static int block_with(const Game *g, int cards) { /* the first block with one of these, or to pass */
    uint8_t answers[MOST];
    int count = legal(g, answers);
    for (int each = 1; each < count; each++)
        if (cards >> (answers[each] - 1) & 1) return answers[each];
    return 0;
}

static int is_false(const Game *g) { /* all copies are seen */
    int seen = g->hand[g->asked][g->claim];
    for (int seat = 0; seat < g->seats; seat++) seen += g->lost[seat][g->claim];
    return seen == 3;
}

static int honest(const Game *g) {
    int found;
    switch (g->phase) {
    case ACTION:
        found = strike(g, held(g));
        return found >= 0 ? found : g->hand[g->asked][FIFTH] ? SWAP : AID;
    case BLOCK:
        return block_with(g, held(g));
    case CHALLENGE:
        return is_false(g);
    case DRAFT:
        return best(HONEST_BEST);
    case EXAM:
        return g->shown == ASSASSIN || g->shown == CAPTAIN || g->shown == DUCHESS;
    default:
        return worst(g, HONEST_BEST);
    }
}

static int bluffer(const Game *g) {
    int role = g->lies[g->asked] ? 0 : 1 << DUCHESS | 1 << ASSASSIN | 1 << CONTESSA, found;
    switch (g->phase) {
    case ACTION:
        found = strike(g, held(g) | role);
        return found >= 0 ? found : INCOME;
    case BLOCK:
        found = block_with(g, held(g));
        return found ? found : block_with(g, (g->cards[g->asked] == 1 ? 1 << CONTESSA : role) & 1 << CONTESSA);
    case LOSE:
        return worst(g, BLUFFER_BEST);
    case RETURN:
        return worst(g, BY_NUMBER);
    case SHOW:
        return __builtin_ctz(held(g));
    default: /* it never challenges, and takes the first card */
        return 0;
    }
}

static int miser(const Game *g) {
    uint8_t answers[MOST];
    int hand = held(g);
    switch (g->phase) {
    case ACTION:
        if (against_the_strongest(g, COUP) >= 0) return against_the_strongest(g, COUP);
        if (hand >> DUCHESS & 1) return TAX;
        if (hand >> CAPTAIN & 1)
            for (int each = legal(g, answers) - 1; each >= 0; each--)
                if ((answers[each] & 7) == STEAL) return answers[each];
        return INCOME;
    case BLOCK:
        return hand >> FIFTH & 1 && g->verb == STEAL ? 1 + FIFTH : block_with(g, hand);
    case LOSE:
    case SHOW:
        return hand >> FIFTH & 1 ? FIFTH : hand >> ASSASSIN & 1 ? ASSASSIN : __builtin_ctz(hand);
    case RETURN:
        return worst(g, BY_NUMBER);
    default:
        return 0;
    }
}

static int first(const Game *g) { /* in the order of the arena */
    uint8_t answers[MOST];
    if (g->phase == RETURN) return worst(g, BY_NUMBER);
    if (g->phase == ACTION) return g->coins[g->asked] < 10 ? INCOME : against_the_strongest(g, COUP);
    legal(g, answers);
    return answers[0];
}

static int any(const Game *g, Dice *dice) {
    uint8_t answers[MOST];
    int count = legal(g, answers);
    return answers[roll(dice) % count];
}

int house_answer(int bot, const Game *g, Dice *dice) {
    switch (bot) {
    case COUNTING:
        return counting(g, dice);
    case HONEST:
        return honest(g);
    case BLUFFER:
        return bluffer(g);
    case MISER:
        return miser(g);
    case FIRST:
        return first(g);
    default:
        return any(g, dice);
    }
}
