/* Complots, classic, with 2 to 6 seats and the default options, for training: positions that are cheap to copy.

The arena's own rules (arena/games/complots) decide; tests/bots compares the two, step by step. A game is a
machine: `legal` lists what the seat `asked` may answer, `apply` takes an answer. Cards are drawn in the phase DRAW,
where the caller says which. Two things are done in other steps than in the arena, with the same outcomes: challenges
and blocks are asked in turn until one speaks up, and cards are returned one at a time. */

#pragma once

#include <stdint.h>

enum { CARDS = 5, SEATS = 6, NOBODY = 255, MAX_TURNS = 300, MOST = 64 };
enum card { DUCHESS, ASSASSIN, CONTESSA, CAPTAIN, FIFTH };
enum verb { INCOME, AID, COUP, TAX, STAB, STEAL, SWAP, EXAMINE };
enum phase { DRAW, DRAFT, ACTION, CHALLENGE, BLOCK, LOSE, RETURN, SHOW, EXAM, OVER };
enum cause { BY_COUP, BY_STAB, BY_BLUFF, BY_CHALLENGE };

typedef struct {
    uint8_t seats, inquisitor; /* the fifth character is the inquisitor */
    uint8_t phase, asked;      /* `asked` answers, or gets the card that is drawn */
    uint8_t actor, verb, target;
    uint8_t claimant, claim, blocker, challenger; /* what may be challenged now; NOBODY blocks the action yet */
    uint8_t draws, cause, shown;
    uint8_t then; /* what comes after a draw or a loss */
    uint8_t treasury, living;
    uint8_t coins[SEATS], cards[SEATS];
    uint8_t hand[SEATS][CARDS], lost[SEATS][CARDS], court[CARDS];
    uint8_t picked[2];     /* the sealed picks of two seats */
    uint8_t fallen[SEATS]; /* the seats that are out, in order */
    uint8_t last[SEATS];   /* 1 + the character that a seat claimed last, 0 if it may have changed its cards */
    uint8_t claimed[SEATS], denied[SEATS];  /* bits: what a seat pretends to hold, and cannot hold */
    uint8_t lies[SEATS], truths[SEATS];     /* claims that were challenged */
    uint8_t heard[SEATS], doubts[SEATS];    /* claims of others, and how many of them a seat challenged */
    uint16_t turn;
} Game;

void start(Game *g, int seats, int inquisitor, int starter);
/* What seats remember: a claim that was made; one that was tried, or whose card is lost; no more of a seat. */
void note_claim(Game *g);
void take_back(Game *g, int seat, int card);
void forget(Game *g, int seat);

int legal(const Game *g, uint8_t answers[MOST]); /* of an action: verb + 8 * target; of a block: 0 or 1 + card */
void apply(Game *g, int answer);
int left_of(const Game *g, int seat); /* the next seat clockwise that is alive */

typedef struct {
    uint64_t state;
} Dice;

uint64_t roll(Dice *dice);
double chance(Dice *dice); /* in [0, 1) */
int drawn(const Game *g, Dice *dice); /* a random card of the Court */
