/* House bots as opponents in training: fast, but else the same as in bots/. tests/bots compares them. */

#pragma once

#include "complots.h"

enum { COUNTING, HONEST, BLUFFER, MISER, FIRST, RANDOM, HOUSE_BOTS };

int house_answer(int bot, const Game *g, Dice *dice); /* on the seat that is asked */
int counting(const Game *g, Dice *dice);
void counting_odds(const Game *g, const uint8_t *answers, int number, double *odds);
