/* The steps of a turn: what an answer changes. */

#include "complots.h"

#include <string.h>

enum then { DEAL, PROVEN, SWAPPED, EXAMINED, STANDS, BLOCKED, UNBLOCKED, END };

static const uint8_t CHARACTER[] = {NOBODY, DUCHESS, NOBODY, DUCHESS, ASSASSIN, CAPTAIN, FIFTH, FIFTH};

static void take(Game *g, int seat, int amount) {
    if (amount > g->treasury) amount = g->treasury;
    g->treasury -= amount;
    g->coins[seat] += amount;
}

static void pay(Game *g, int seat, int amount) {
    g->coins[seat] -= amount;
    g->treasury += amount;
}

static void begin_turn(Game *g) {
    if (g->turn == MAX_TURNS) {
        g->phase = OVER;
        return;
    }
    g->turn++;
    g->phase = ACTION;
    g->asked = g->actor;
    g->blocker = g->challenger = NOBODY;
}

static void end_turn(Game *g) {
    g->actor = left_of(g, g->actor);
    begin_turn(g);
}

/* Cards that are drawn */

static void deal(Game *g) {
    int each = g->seats == 2 ? 1 : 2, seat = 0;
    while (seat < g->seats && g->cards[seat] == each) seat++;
    if (seat < g->seats) {
        g->phase = DRAW, g->asked = seat, g->draws = 1, g->then = DEAL;
    } else if (each == 1) {
        g->phase = DRAFT, g->asked = 0;
    } else {
        begin_turn(g);
    }
}

void start(Game *g, int seats, int inquisitor, int starter) {
    memset(g, 0, sizeof *g);
    g->seats = g->living = seats;
    g->inquisitor = inquisitor;
    g->actor = starter;
    memset(g->court, seats == 2 ? 1 : 3, CARDS);
    memset(g->coins, 2, seats);
    g->treasury = 54 - 2 * seats;
    if (seats == 2) pay(g, starter, 1);
    deal(g);
}

static void draft(Game *g, int card) {
    g->picked[g->asked] = card;
    if (g->asked == 0) {
        g->asked = 1;
        return;
    }
    for (int seat = 0; seat < 2; seat++) {
        g->hand[seat][g->picked[seat]]++;
        g->cards[seat]++;
    }
    begin_turn(g);
}

static void replace(Game *g, int seat, int card, int then) {
    g->hand[seat][card]--;
    g->cards[seat]--;
    g->court[card]++;
    g->phase = DRAW, g->asked = seat, g->draws = 1, g->then = then;
}

/* The steps of a turn */

static void effect(Game *g);

static void stands(Game *g) {
    if (g->blocker != NOBODY) {
        end_turn(g);
        return;
    }
    if (g->verb == STAB) pay(g, g->actor, 3);
    if ((g->verb == STAB || g->verb == STEAL) && g->cards[g->target]) {
        g->phase = BLOCK, g->asked = g->target;
    } else {
        effect(g);
    }
}

static void go_on(Game *g, int then) {
    if (then == STANDS)
        stands(g);
    else if (then == UNBLOCKED)
        effect(g);
    else
        end_turn(g);
}

static void turn_up(Game *g, int seat, int card, int then) {
    g->hand[seat][card]--;
    g->lost[seat][card]++;
    g->cards[seat]--;
    take_back(g, seat, card);
    if (!g->cards[seat]) {
        g->treasury += g->coins[seat];
        g->coins[seat] = 0;
        g->fallen[g->seats - g->living--] = seat;
        if (g->living == 1) {
            g->phase = OVER;
            return;
        }
    }
    go_on(g, then);
}

static int only_card(const Game *g, int seat) {
    int card = 0;
    while (!g->hand[seat][card]) card++;
    return card;
}

static void lose(Game *g, int seat, int cause, int then) {
    if (g->cards[seat] == 1) {
        turn_up(g, seat, only_card(g, seat), then);
    } else {
        g->phase = LOSE, g->asked = seat, g->cause = cause, g->then = then;
    }
}

static void open_challenge(Game *g, int claimant, int card) {
    g->claimant = claimant, g->claim = card;
    g->phase = CHALLENGE, g->asked = left_of(g, claimant);
}

static void challenge(Game *g, int challenger) {
    int seat = g->claimant, card = g->claim;
    note_claim(g);
    g->challenger = challenger;
    g->doubts[challenger]++;
    take_back(g, seat, card);
    if (g->hand[seat][card]) {
        g->truths[seat]++;
        g->denied[seat] = 0;
        replace(g, seat, card, PROVEN);
    } else {
        g->lies[seat]++;
        g->denied[seat] |= 1 << card;
        lose(g, seat, BY_BLUFF, g->blocker == NOBODY ? END : UNBLOCKED);
    }
}

static void answer_challenge(Game *g, int answer) {
    if (answer) {
        challenge(g, g->asked);
        return;
    }
    g->asked = left_of(g, g->asked);
    if (g->asked != g->claimant) return;
    note_claim(g);
    stands(g);
}

static void answer_block(Game *g, int answer) {
    if (answer) {
        g->blocker = g->asked;
        open_challenge(g, g->asked, answer - 1);
        return;
    }
    g->asked = left_of(g, g->asked);
    if (g->verb != AID || g->asked == g->actor) effect(g);
}

static void show(Game *g, int card) {
    g->shown = card;
    g->phase = EXAM, g->asked = g->actor;
}

static void effect_on(Game *g, int target) {
    if (!g->cards[target]) {
        end_turn(g); /* it went out meanwhile */
    } else if (g->verb == STAB) {
        lose(g, target, BY_STAB, END);
    } else if (g->verb == STEAL) {
        int amount = g->coins[target] < 2 ? g->coins[target] : 2;
        g->coins[target] -= amount;
        g->coins[g->actor] += amount;
        end_turn(g);
    } else if (g->cards[target] == 1) {
        show(g, only_card(g, target));
    } else {
        g->phase = SHOW, g->asked = target;
    }
}

static void effect(Game *g) {
    if (g->verb == SWAP) {
        g->phase = DRAW, g->asked = g->actor, g->then = SWAPPED;
        g->draws = g->shown = g->inquisitor ? 1 : 2; /* `shown`: the cards to return */
    } else if (g->verb == AID || g->verb == TAX) {
        take(g, g->actor, g->verb == AID ? 2 : 3);
        end_turn(g);
    } else {
        effect_on(g, g->target);
    }
}

static void act(Game *g, int answer) {
    g->verb = answer & 7, g->target = answer >> 3;
    if (g->verb == INCOME) {
        take(g, g->actor, 1);
        end_turn(g);
    } else if (g->verb == COUP) {
        pay(g, g->actor, 7);
        lose(g, g->target, BY_COUP, END);
    } else if (g->verb == AID) {
        g->phase = BLOCK, g->asked = left_of(g, g->actor);
    } else {
        open_challenge(g, g->actor, CHARACTER[g->verb]);
    }
}

static void draw(Game *g, int card) {
    g->court[card]--;
    g->hand[g->asked][card]++;
    g->cards[g->asked]++;
    if (--g->draws) return;
    switch (g->then) {
    case DEAL:
        deal(g);
        break;
    case PROVEN:
        lose(g, g->challenger, BY_CHALLENGE, STANDS);
        break;
    case SWAPPED:
        g->phase = RETURN;
        break;
    default:
        forget(g, g->asked);
        end_turn(g);
    }
}

static void give_back(Game *g, int card) {
    g->hand[g->asked][card]--;
    g->cards[g->asked]--;
    g->court[card]++;
    if (--g->shown) return;
    forget(g, g->asked);
    end_turn(g);
}

void apply(Game *g, int answer) {
    switch (g->phase) {
    case DRAW:
        draw(g, answer);
        break;
    case DRAFT:
        draft(g, answer);
        break;
    case ACTION:
        act(g, answer);
        break;
    case CHALLENGE:
        answer_challenge(g, answer);
        break;
    case BLOCK:
        answer_block(g, answer);
        break;
    case LOSE:
        turn_up(g, g->asked, answer, g->then);
        break;
    case RETURN:
        give_back(g, answer);
        break;
    case SHOW:
        show(g, answer);
        break;
    case EXAM:
        if (answer)
            replace(g, g->target, g->shown, EXAMINED);
        else
            end_turn(g);
        break;
    }
}
