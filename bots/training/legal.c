/* What is legal, and chance. */

#include "complots.h"

int left_of(const Game *g, int seat) {
    do
        seat = (seat + 1) % g->seats;
    while (!g->cards[seat]);
    return seat;
}

static int add_targets(const Game *g, uint8_t *answers, int count, int verb) {
    for (int seat = left_of(g, g->actor); seat != g->actor; seat = left_of(g, seat))
        if (verb != STEAL || g->coins[seat]) answers[count++] = verb + 8 * seat;
    return count;
}

static int legal_actions(const Game *g, uint8_t *answers) {
    int coins = g->coins[g->actor], count = 0;
    if (coins >= 7) count = add_targets(g, answers, count, COUP);
    if (coins >= 10) return count;
    answers[count++] = INCOME;
    answers[count++] = AID;
    answers[count++] = TAX;
    if (coins >= 3) count = add_targets(g, answers, count, STAB);
    count = add_targets(g, answers, count, STEAL);
    answers[count++] = SWAP;
    return g->inquisitor ? add_targets(g, answers, count, EXAMINE) : count;
}

static int legal_blocks(const Game *g, uint8_t *answers) {
    int count = 0;
    answers[count++] = 0;
    if (g->verb == AID) answers[count++] = 1 + DUCHESS;
    if (g->verb == STAB) answers[count++] = 1 + CONTESSA;
    if (g->verb == STEAL) answers[count++] = 1 + CAPTAIN, answers[count++] = 1 + FIFTH;
    return count;
}

int legal(const Game *g, uint8_t answers[MOST]) {
    const uint8_t *pile = g->phase == DRAW ? g->court : g->hand[g->asked];
    int count = 0;
    switch (g->phase) {
    case OVER:
        return 0;
    case ACTION:
        return legal_actions(g, answers);
    case BLOCK:
        return legal_blocks(g, answers);
    case CHALLENGE:
    case EXAM:
        answers[0] = 0, answers[1] = 1;
        return 2;
    }
    for (int card = 0; card < CARDS; card++)
        if (g->phase == DRAFT || pile[card]) answers[count++] = card;
    return count;
}

/* Chance */

uint64_t roll(Dice *dice) { /* splitmix64 */
    uint64_t z = (dice->state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

double chance(Dice *dice) { return (roll(dice) >> 11) * 0x1p-53; }

int drawn(const Game *g, Dice *dice) {
    int total = 0, card = 0;
    for (int each = 0; each < CARDS; each++) total += g->court[each];
    int at = roll(dice) % total;
    while (at >= g->court[card]) at -= g->court[card++];
    return card;
}
