/* The house bot `counting`, as in bots/python/counting.py: how probable each answer is. Its dice are others. */

#include "house.h"

#include <math.h>

static const double WORTH[] = {4.5, 5, 4, 5, 2}, TWICE = 3, OUR_CARD[] = {0, 15, 6}, RIVALS_CARD = 6;
static const double RIVALS_COIN = 0.66;

static double worth(const Game *g, int card) { return card == FIFTH && g->inquisitor ? 3 : WORTH[card]; }

static double loss(const Game *g, int me) { return OUR_CARD[g->cards[me] > 2 ? 2 : g->cards[me]]; }

static int others(const Game *g) { return g->living - 1; }

static double damage(const Game *g, int seat) { return RIVALS_CARD * (1 + 0.05 * g->coins[seat]); }

static int unseen(const Game *g, int me, int card) {
    int left = 3 - g->hand[me][card] - (g->seats == 2 && g->picked[me] != card);
    for (int seat = 0; seat < g->seats; seat++) left -= g->lost[seat][card];
    return left;
}

static int count(int set) { return __builtin_popcount(set); }

static int has_claimed(const Game *g, int seat) { /* with what may be challenged now */
    int set = g->claimed[seat];
    return g->phase == CHALLENGE && g->claimant == seat ? set | 1 << g->claim : set;
}

/* How probable it is that a rival has at least one of these cards, as bits. */
static double holds(const Game *g, int me, int seat, int cards) {
    int left[CARDS], claimed = has_claimed(g, seat);
    for (int card = 0; card < CARDS; card++) left[card] = unseen(g, me, card);
    double bluffs = (g->lies[seat] + 0.3) / (g->lies[seat] + g->truths[seat] + 4.0), total = 0, fitting = 0;
    int is_pair = g->cards[seat] > 1;
    for (int one = 0; one < CARDS; one++)
        for (int two = one; two < (is_pair ? CARDS : one + 1); two++) {
            int hand = 1 << one | 1 << two;
            double ways = !is_pair ? left[one] : one == two ? left[one] * (left[one] - 1) / 2.0 : left[one] * left[two];
            if (ways <= 0) continue;
            for (int lies = count(claimed & ~hand); lies; lies--) ways *= bluffs;
            if (hand & g->denied[seat]) ways *= 0.02;
            total += ways;
            if (hand & cards) fitting += ways;
        }
    return total > 0 ? fitting / total : 0;
}

static double doubted(const Game *g, int me, int card) { /* how probable it is that we are challenged */
    int copies = unseen(g, me, card) + g->hand[me][card], stories = g->claimed[me];
    double trust = 1;
    for (int seat = 0; seat < g->seats; seat++)
        if (seat != me && g->cards[seat]) trust *= 1 - (g->doubts[seat] + 0.5) / (g->heard[seat] + 4.0);
    double doubt = 1 - trust;
    if (!(stories >> card & 1) && count(stories) >= g->cards[me]) doubt *= 4;
    if (copies <= 1) doubt += copies > 0 ? 0.3 : 1;
    return doubt < 1 ? doubt : 1;
}

static double least_worth(const Game *g, int me) {
    double least = 9;
    for (int card = 0; card < CARDS; card++)
        if (g->hand[me][card] && worth(g, card) < least) least = worth(g, card);
    return least;
}

static double booty(const Game *g, int target) { /* what a theft is worth to the thief */
    return (g->coins[target] < 2 ? g->coins[target] : 2) * (1 + RIVALS_COIN / others(g));
}

static double power(const Game *g, int me, int verb, int target) {
    switch (verb) {
    case TAX:
        return 3;
    case STEAL:
        return booty(g, target) * (1 - 0.8 * holds(g, me, target, 1 << CAPTAIN | 1 << FIFTH));
    case STAB:
        return damage(g, target) * (1 - holds(g, me, target, 1 << CONTESSA)) - 3;
    case SWAP:
        return 1.4 - 0.2 * least_worth(g, me);
    default:
        return 0.5;
    }
}

static double value(const Game *g, int me, int answer) {
    static const uint8_t character[] = {0, 0, 0, DUCHESS, ASSASSIN, CAPTAIN, FIFTH, FIFTH};
    int verb = answer & 7, target = answer >> 3, card = character[verb];
    double aid = 2, doubt;
    if (verb == INCOME) return 1;
    if (verb == COUP) return damage(g, target) - 3;
    if (verb == AID) {
        for (int seat = 0; seat < g->seats; seat++)
            if (seat != me && g->cards[seat]) aid *= 1 - 0.8 * holds(g, me, seat, 1 << DUCHESS);
        return aid;
    }
    doubt = doubted(g, me, card);
    if (g->hand[me][card]) return power(g, me, verb, target) + doubt * 4 / others(g);
    return (1 - doubt) * power(g, me, verb, target) - doubt * loss(g, me);
}

static double challenge_value(const Game *g, int me) { /* to pass is worth 0 */
    int is_ours = g->blocker == NOBODY && g->target == me;
    double gain = 0.4 * damage(g, g->claimant), truth = holds(g, me, g->claimant, 1 << g->claim);
    if (is_ours && g->verb == STEAL) gain += 1;
    if (is_ours && g->verb == STAB && !g->hand[me][CONTESSA]) gain += loss(g, me) / 2;
    return (1 - truth) * gain - truth * loss(g, me);
}

static double block_value(const Game *g, int me, int card) {
    double saved = g->verb == STAB ? loss(g, me) : g->verb == STEAL ? booty(g, me) : 2 * RIVALS_COIN / others(g);
    double risk = g->verb != STAB ? loss(g, me) : g->cards[me] > 1 ? OUR_CARD[1] : 0, doubt = doubted(g, me, card);
    return g->hand[me][card] ? saved + doubt * 4 / others(g) : (1 - doubt) * saved - doubt * risk;
}

static double preference(const Game *g, int me, int answer) {
    switch (g->phase) {
    case ACTION:
        return value(g, me, answer);
    case CHALLENGE:
        return answer ? challenge_value(g, me) : 0;
    case BLOCK:
        return answer ? block_value(g, me, answer - 1) : 0;
    case DRAFT:
        return worth(g, answer) - TWICE * g->hand[me][answer];
    case RETURN: /* a second copy goes first */
        return -worth(g, answer) + (g->hand[me][answer] > 1 ? TWICE : 0);
    case EXAM:
        return answer ? worth(g, g->shown) - 3.5 : 0;
    default: /* LOSE, SHOW */
        return -worth(g, answer);
    }
}

static double temperature(const Game *g) {
    switch (g->phase) {
    case ACTION:
    case CHALLENGE:
    case BLOCK:
        return 0.4;
    case RETURN:
    case EXAM:
        return 0.01;
    default: /* DRAFT, LOSE, SHOW */
        return 2;
    }
}

/* How probable each of the answers is that `legal` has found. */
void counting_odds(const Game *g, const uint8_t *answers, int number, double *odds) {
    double warm = temperature(g) / (others(g) * others(g)), most = -1e9, total = 0;
    for (int each = 0; each < number; each++) {
        odds[each] = preference(g, g->asked, answers[each]);
        if (odds[each] > most) most = odds[each];
    }
    for (int each = 0; each < number; each++) total += odds[each] = exp((odds[each] - most) / warm);
    for (int each = 0; each < number; each++) odds[each] /= total;
}

int counting(const Game *g, Dice *dice) {
    uint8_t answers[MOST];
    double odds[MOST], at = chance(dice);
    int number = legal(g, answers), each = 0;
    counting_odds(g, answers, number, odds);
    while (each < number - 1 && at >= odds[each]) at -= odds[each++];
    return answers[each];
}
