/* Regrets for two seats: the numbers of situations, and the tables that a training fills. */

#include "house.h"

enum { TABLE = HOUSE_BOTS, OPPONENTS }; /* beside the house bots, a strategy that is given as a table */
enum { SIDES = 40 * 6 * 11 * 11, CLAIMS = 6, WEALTH = 9 };
enum {
    ACTIONS = SIDES * CLAIMS * CLAIMS * 8, /* 8: the verbs */
    CHALLENGES = SIDES * CLAIMS * 9 * 2,   /* 9: five actions and four blocks that are claims */
    BLOCKS = SIDES * CLAIMS * 3 * 3,       /* 3: aid, assassin, captain */
    LOSSES = 15 * 6 * WEALTH * 5 * 5,      /* 5: four causes, and to show */
    RETURNS = 120 * 2 * 6 * WEALTH * 5,
    EXAMS = 40 * 6 * WEALTH * 5 * 2,
    DRAFTS = 5 * 2 * 5,
    SLOTS = ACTIONS + CHALLENGES + BLOCKS + LOSSES + RETURNS + EXAMS + DRAFTS,
    VALUES = (1 + 2 * OPPONENTS) * 40 * 40 * 11 * 11,
};

int where(const Game *g);            /* the first slot of the seat that is asked */
int slot(const Game *g, int answer); /* of an answer, from there */

typedef struct {
    Dice dice;
    float *regret, *average; /* SLOTS each */
    float *value;            /* VALUES: of the seat whose turn begins, from -1 to 1 */
    uint16_t *visits;        /* VALUES */
    float *fixed;            /* SLOTS: the strategy of the opponent TABLE */
    int inquisitor;
    double explore, tremble; /* how often the learner, and its opponent, act at random */
    double house[OPPONENTS]; /* in how many games the opponent is each of these */
} Training;

void prepare(void); /* once, before the rest */
double score(Training *t, int bot, long games, double least); /* the share that the average wins from a house bot */
void train(Training *t, long games, long done, long total);
