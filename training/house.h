#include "complots.h"

int counting(const Game *g); /* what the house bot `counting` answers on the seat that is asked */
