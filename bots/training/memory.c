/* What seats remember of each other. */

#include "complots.h"

void forget(Game *g, int seat) { g->claimed[seat] = g->denied[seat] = g->last[seat] = 0; }

void take_back(Game *g, int seat, int card) {
    g->claimed[seat] &= ~(1 << card);
    if (g->last[seat] == card + 1) g->last[seat] = 0;
}

void note_claim(Game *g) {
    for (int seat = 0; seat < g->seats; seat++)
        if (seat != g->claimant && g->heard[seat] < 255) g->heard[seat]++;
    g->claimed[g->claimant] |= 1 << g->claim;
    g->last[g->claimant] = g->claim + 1;
}
