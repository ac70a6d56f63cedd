/* Many games side by side for a policy gradient: what the seats that are asked see, as numbers. */

#include "house.h"

enum { RIVALS = SEATS - 1, PER_RIVAL = 21, FEATURES = 64 + RIVALS * PER_RIVAL, WORDS = 37, SECRETS = RIVALS * CARDS };

typedef struct {
    Game game;
    uint8_t answers[WORDS]; /* by word, those that are legal */
} Board;

void observe(const Game *g, float *seen);     /* FEATURES numbers, of the seat that is asked */
void peek(const Game *g, float *secrets);     /* the hands of the others, for the critic */
int words(Board *board, float *mask);         /* fills `answers`; returns their number */
void points(const Game *g, float *points);    /* by seat: the share of the others that it was better than */

typedef struct {
    Dice dice;
    int count;
    Board *boards;
    uint8_t *seats; /* for each board, how many seats its games have */
} Field;

void open_all(Field *f);
/* For each board: what is seen, the mask, secrets and the seat that is asked. */
void see_all(Field *f, float *seen, float *masks, float *secrets, uint8_t *asked);
/* The words of house bots: `bots` has those of SEATS seats for each board, NOBODY for others. */
void house_words(Field *f, const uint8_t *bots, uint8_t *chosen);
/* Gives each board its word. Where that ends the game, `ended` is 1, `ends` has the points of SEATS seats, and another
   game begins. */
void step_all(Field *f, const uint8_t *chosen, uint8_t *ended, float *ends);
