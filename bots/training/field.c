/* bots/python/learned/field.py has the same numbers, from the lines that a bot reads. */

#include "field.h"

#include <string.h>

enum { PASS = 24, DOUBT = 25, GUARD = 26, CARD = 30, LEAVE = 35 };

/* What is seen */

static float *one_of(float *at, int number, int count) {
    if (number >= 0 && number < count) at[number] = 1;
    return at + count;
}

static float *bits(float *at, int set) {
    for (int card = 0; card < CARDS; card++) *at++ = set >> card & 1;
    return at;
}

static float few(int number) { return number > 4 ? 1 : number / 4.0f; }

static int holders(const uint8_t *hand, int least) { /* the characters of which there are so many, as bits */
    int set = 0;
    for (int card = 0; card < CARDS; card++) set |= (hand[card] >= least) << card;
    return set;
}

static float *see_unseen(const Game *g, float *at) { /* the copies that others may have */
    for (int card = 0; card < CARDS; card++) {
        int left = 3 - g->hand[g->asked][card];
        for (int seat = 0; seat < g->seats; seat++) left -= g->lost[seat][card];
        *at++ = left / 3.0f;
    }
    return at;
}

static float *see_purse(float *at, int coins) {
    *at++ = coins / 10.0f;
    *at++ = coins >= 3;
    *at++ = coins >= 7;
    return at;
}

static float *see_question(const Game *g, float *at) { /* 40 */
    int asks = g->phase, acts = asks == ACTION || asks == DRAFT, doubts = asks == CHALLENGE;
    at = one_of(at, g->seats - 2, 5);
    at = one_of(at, asks - DRAFT, 8);
    at = one_of(at, doubts ? g->claim : -1, CARDS);
    at = one_of(at, acts ? -1 : g->verb, 8);
    at = one_of(at, asks == EXAM ? g->shown : -1, CARDS);
    at = one_of(at, asks == LOSE ? g->cause : -1, 4);
    *at++ = doubts && g->blocker != NOBODY;
    *at++ = !acts && g->verb >= COUP && g->verb != TAX && g->verb != SWAP && g->target == g->asked;
    *at++ = g->actor == g->asked;
    *at++ = g->living / 6.0f;
    *at++ = g->inquisitor;
    return at;
}

static float *see_self(const Game *g, float *at) { /* 24 */
    int me = g->asked;
    at = see_purse(at, g->coins[me]);
    *at++ = g->cards[me] > 1;
    at = bits(at, holders(g->hand[me], 1));
    at = bits(at, holders(g->hand[me], 2));
    at = bits(at, g->claimed[me]);
    at = see_unseen(g, at);
    return at;
}

static void see_rival(const Game *g, int seat, float *at) {
    int acts = g->phase == ACTION || g->phase == DRAFT;
    if (!g->cards[seat]) return;
    *at++ = 1;
    *at++ = g->cards[seat] > 1;
    at = see_purse(at, g->coins[seat]);
    at = bits(at, g->claimed[seat]);
    at = bits(at, g->denied[seat]);
    *at++ = few(g->lies[seat]);
    *at++ = few(g->truths[seat]);
    *at++ = (g->doubts[seat] + 0.5f) / (g->heard[seat] + 4);
    *at++ = g->actor == seat;
    *at++ = !acts && g->verb >= COUP && g->verb != TAX && g->verb != SWAP && g->target == seat;
    *at++ = g->phase == CHALLENGE && g->claimant == seat;
}

void observe(const Game *g, float *seen) {
    memset(seen, 0, FEATURES * sizeof *seen);
    float *at = see_self(g, see_question(g, seen));
    for (int rival = 1; rival < g->seats; rival++, at += PER_RIVAL)
        see_rival(g, (g->asked + rival) % g->seats, at);
}

void peek(const Game *g, float *secrets) {
    memset(secrets, 0, SECRETS * sizeof *secrets);
    for (int rival = 1; rival < g->seats; rival++)
        for (int card = 0; card < CARDS; card++)
            secrets[(rival - 1) * CARDS + card] = g->hand[(g->asked + rival) % g->seats][card];
}

/* Words */

static int word_of(const Game *g, int answer) {
    static const uint8_t first[] = {0, 1, 4, 2, 9, 14, 3, 19}; /* by verb */
    int verb = answer & 7, rival = ((answer >> 3) - g->asked + g->seats) % g->seats - 1;
    switch (g->phase) {
    case ACTION:
        return first[verb] + (verb == COUP || verb == STAB || verb == STEAL || verb == EXAMINE ? rival : 0);
    case CHALLENGE:
        return PASS + answer;
    case BLOCK:
        return !answer ? PASS : answer == 1 + DUCHESS ? GUARD : GUARD - 2 + answer;
    case EXAM:
        return LEAVE + answer;
    default:
        return CARD + answer;
    }
}

int words(Board *board, float *mask) {
    uint8_t answers[MOST];
    int count = legal(&board->game, answers);
    memset(mask, 0, WORDS * sizeof *mask);
    for (int each = 0; each < count; each++) {
        int word = word_of(&board->game, answers[each]);
        board->answers[word] = answers[each];
        mask[word] = 1;
    }
    return count;
}

/* Boards */

void points(const Game *g, float *points) {
    for (int seat = 0; seat < g->seats; seat++)
        if (g->cards[seat]) points[seat] = 1 - (g->living - 1) / 2.0f / (g->seats - 1);
    for (int out = 0; out < g->seats - g->living; out++) points[g->fallen[out]] = out / (g->seats - 1.0f);
}

static void settle(Field *f, Game *g) { /* draw cards, and give the answers that are the only ones */
    uint8_t answers[MOST];
    while (g->phase != OVER) {
        if (g->phase == DRAW)
            apply(g, drawn(g, &f->dice));
        else if (legal(g, answers) == 1)
            apply(g, answers[0]);
        else
            return;
    }
}

static void open_one(Field *f, int at) {
    Game *g = &f->boards[at].game;
    start(g, f->seats[at], roll(&f->dice) & 1, roll(&f->dice) % f->seats[at]);
    settle(f, g);
}

void open_all(Field *f) {
    for (int at = 0; at < f->count; at++) open_one(f, at);
}

void see_all(Field *f, float *seen, float *masks, float *secrets, uint8_t *asked) {
    for (int at = 0; at < f->count; at++) {
        observe(&f->boards[at].game, seen + at * FEATURES);
        words(&f->boards[at], masks + at * WORDS);
        peek(&f->boards[at].game, secrets + at * SECRETS);
        asked[at] = f->boards[at].game.asked;
    }
}

void house_words(Field *f, const uint8_t *bots, uint8_t *chosen) {
    for (int at = 0; at < f->count; at++) {
        const Game *g = &f->boards[at].game;
        int bot = bots[at * SEATS + g->asked];
        if (bot != NOBODY) chosen[at] = word_of(g, house_answer(bot, g, &f->dice));
    }
}

void step_all(Field *f, const uint8_t *chosen, uint8_t *ended, float *ends) {
    for (int at = 0; at < f->count; at++) {
        Game *g = &f->boards[at].game;
        apply(g, f->boards[at].answers[chosen[at]]);
        settle(f, g);
        ended[at] = g->phase == OVER;
        if (!ended[at]) continue;
        points(g, ends + at * SEATS);
        open_one(f, at);
    }
}
