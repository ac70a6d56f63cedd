/* Plays honestly and believes little: it challenges a claim when most copies of the card are accounted
   for, when the claimant has lied before, or when the claim is aimed at itself and fewer than two
   copies could be anywhere else. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 512 /* words in a line */
#define SEATS 16

static char game[64], me[16];
static int seats;
static char hand[128];           /* our hidden cards: ",captain,duchess," */
static char lost[SEATS + 1][128]; /* the cards that each seat has turned up, likewise */
static int cards[SEATS + 1];
static int lies[SEATS + 1]; /* how often each seat was caught */

static int starts(const char *word, const char *with)
{
    return strncmp(word, with, strlen(with)) == 0;
}

/* p3 -> 3; anything else -> 0 */
static int seat_of(const char *name)
{
    int number = name[0] == 'p' ? atoi(name + 1) : 0;
    return number > 0 && number <= SEATS ? number : 0;
}

/* The value of the word key=value among these, or an empty string. */
static const char *value_of(char **words, int count, const char *key)
{
    size_t length = strlen(key);
    for (int i = 0; i < count; i++)
        if (strncmp(words[i], key, length) == 0 && words[i][length] == '=')
            return words[i] + length + 1;
    return "";
}

/* How often a card is in a list such as ",captain,captain,". */
static int copies(const char *list, const char *card)
{
    char wanted[64];
    int found = 0, length = snprintf(wanted, sizeof wanted, ",%.60s,", card);
    for (const char *at = list; (at = strstr(at, wanted)); at += length - 1)
        found++;
    return found;
}

static int holds(const char *card)
{
    return copies(hand, card) > 0;
}

static void new_game(char **words, int count)
{
    snprintf(game, sizeof game, "%s", words[2]);
    snprintf(me, sizeof me, "%s", value_of(words, count, "you"));
    seats = atoi(value_of(words, count, "seats"));
    memset(lost, 0, sizeof lost);
    memset(cards, 0, sizeof cards);
    memset(lies, 0, sizeof lies);
    hand[0] = '\0';
}

static void note_state(char **words, int count)
{
    int seat = seat_of(words[1]);
    cards[seat] = atoi(value_of(words, count, "cards"));
    snprintf(lost[seat], sizeof lost[seat], ",%.120s,", value_of(words, count, "lost"));
    if (strcmp(words[1], me) == 0)
        snprintf(hand, sizeof hand, ",%.120s,", value_of(words, count, "hand"));
}

static int is_doubtful(const char *claimant, const char *card)
{
    int seen = copies(hand, card), all = seats > 6 ? 4 : 3;
    for (int seat = 1; seat <= SEATS; seat++)
        seen += copies(lost[seat], card);
    return seen >= all - 1 || lies[seat_of(claimant)] > 0;
}

static const char *act(char **options, int count)
{
    static const char *const wanted[] = {"coup", "assassin", "captain", "duchess", "ambassador"};
    for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++)
        if (w == 0 || holds(wanted[w]))
            for (int i = 0; i < count; i++)
                if (starts(options[i], wanted[w]))
                    return options[i];
    return options[0];
}

static const char *choose(char **words, int colon, int count)
{
    const char *kind = words[2];
    char **options = words + colon + 1;
    count -= colon + 1;
    if (strcmp(game, "complots") != 0)
        return options[0];
    if (strcmp(kind, "action") == 0)
        return act(options, count);
    if (strcmp(kind, "challenge") == 0 && count > 1)
        return options[is_doubtful(value_of(words, colon, "on"), value_of(words, colon, "claim"))];
    if (strcmp(kind, "block") == 0)
        for (int i = 1; i < count; i++)
            if (starts(options[i], "block:") && holds(options[i] + strlen("block:")))
                return options[i];
    return options[0];
}

int main(void)
{
    static char line[8200];
    while (fgets(line, sizeof line, stdin)) {
        char *words[MOST];
        int count = 0, colon = 0;
        for (char *word = strtok(line, " \r\n"); word && count < MOST; word = strtok(NULL, " \r\n")) {
            if (strcmp(word, ":") == 0 && !colon)
                colon = count;
            words[count++] = word;
        }
        if (count < 3)
            continue;
        if (strcmp(words[0], "game") == 0)
            new_game(words, count);
        else if (strcmp(words[0], "state") == 0)
            note_state(words, count);
        else if (strcmp(words[0], "event") == 0 && strcmp(words[1], "refuted") == 0)
            lies[seat_of(words[2])]++;
        else if (strcmp(words[0], "ask") == 0 && colon && colon + 1 < count) {
            printf("%s %s\n", words[1], choose(words, colon, count));
            fflush(stdout);
        }
    }
    return 0;
}
