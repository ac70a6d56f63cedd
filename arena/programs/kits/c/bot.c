/* @NAME@, a bot for @GAME@. `choose` is its strategy: change that. All else reads the protocol.
   `arena games @GAME@` explains the rules, and all that the arena tells and asks. */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 8194 /* bytes of the longest line, with its end */
#define NAME 32
#define SEATS 8
#define EVENTS 1000
#define OPTIONS 4096

/* Words that claim a card; the first words of options, the best first; asks in which to name a card is
   to claim it; and asks for a card to give away, the least wanted one. */
static const char CARDS[] = "@CARDS@";
static const char WANTED[] = "@WANTED@";
static const char CLAIMS[] = "action block";
static const char LOSSES[] = "lose show return";

/* What we know of one game. Each game begins anew, so that nothing is left from the game before. */
static struct {
    int me;                      /* our seat; 0 before the first game */
    char state[SEATS + 1][LINE]; /* by seat: the newest `state` line; that of the table is number 0 */
    struct {
        char name[NAME]; /* "refuted p1" */
        int count;       /* how often an `event` line began so */
    } events[EVENTS];
    long long chance; /* the state of our random numbers */
} table;

/* The place of a word in a list with spaces or commas, or how many words there are if it is not there. */
static int place_of(const char *word, size_t length, const char *list)
{
    int place = 0;
    for (list += strspn(list, " ,"); *list; list += strspn(list, " ,"), place++) {
        size_t next = strcspn(list, " ,");
        if (next == length && memcmp(list, word, length) == 0)
            return place;
        list += next;
    }
    return place;
}

static bool has(const char *list, const char *word, size_t length)
{
    return place_of(word, length, list) < place_of("", 0, list);
}

/* The value of key=value among the words of a line, or "". It is overwritten by the next call. */
static const char *value(const char *key, const char *line)
{
    static char found[LINE];
    size_t length = strlen(key);
    found[0] = '\0';
    for (; (line = strchr(line, ' ')); line++)
        if (strncmp(line + 1, key, length) == 0 && line[1 + length] == '=')
            sprintf(found, "%.*s", (int)strcspn(line + 2 + length, " "), line + 2 + length);
    return found;
}

/* How often an `event` line began with these words. Adds `more` to it. */
static int events(const char *name, int more)
{
    for (int i = 0; i < EVENTS; i++) {
        if (table.events[i].count == 0)
            strcpy(table.events[i].name, name);
        if (strcmp(table.events[i].name, name) == 0)
            return table.events[i].count += more;
    }
    return 0;
}

/* A number below `count`. The same seed gives the same numbers, so that games can be repeated. */
static int random_below(int count)
{
    table.chance = table.chance * 48271 % 2147483647; /* the generator minstd_rand of C++ */
    return (int)(table.chance % count);
}

/* Whether we could prove a claim: all cards that it names are one card, and in our hand. */
static bool is_true(const char *option, const char *hand)
{
    const char *card = NULL;
    size_t size = 0, length;
    for (; *option; option += length + strspn(option + length, ":@")) {
        length = strcspn(option, ":@");
        if (!has(CARDS, option, length))
            continue;
        if (card && (size != length || memcmp(card, option, length) != 0))
            return false;
        card = option, size = length;
    }
    return !card || has(hand, card, size);
}

/* Never lie, challenge only liars that have been caught, else take what is wanted most. */
static const char *choose(const char *kind, const char *line, char **options, int count)
{
    static char *wanted[OPTIONS];
    char refuted[NAME];
    sprintf(refuted, "refuted %.15s", value("on", line));
    if (strcmp(kind, "challenge") == 0 && events(refuted, 0) > 0)
        return "challenge";
    const char *hand = value("hand", table.state[table.me]);
    bool claims = has(CLAIMS, kind, strlen(kind)), loses = has(LOSSES, kind, strlen(kind));
    int found = 0, best = 0;
    for (int pass = claims ? 0 : 1; pass < 2 && found == 0; pass++) /* lies only if there is no truth */
        for (int i = 0; i < count; i++) {
            if (pass == 0 && !is_true(options[i], hand))
                continue;
            int rank = place_of(options[i], strcspn(options[i], ":@+."), WANTED) * (loses ? -1 : 1);
            if (found == 0 || rank < best)
                best = rank, found = 0;
            if (rank == best)
                wanted[found++] = options[i];
        }
    return wanted[random_below(found)];
}

int main(void)
{
    static char line[LINE], first[LINE], second[LINE], *options[OPTIONS], name[NAME];
    while (fgets(line, sizeof line, stdin)) {
        first[0] = second[0] = '\0';
        line[strcspn(line, "\n")] = '\0';
        sscanf(line, "%*s %8193s %8193s", first, second);
        if (strncmp(line, "game ", 5) == 0) {
            memset(&table, 0, sizeof table);
            table.me = atoi(value("you", line) + 1);
            table.chance = atoll(value("seed", line)) % 2147483646 + 1;
        } else if (strncmp(line, "state ", 6) == 0) {
            int seat = first[0] == 'p' ? atoi(first + 1) : 0;
            if (seat >= 0 && seat <= SEATS)
                strcpy(table.state[seat], line);
        } else if (strncmp(line, "event ", 6) == 0) {
            sprintf(name, "%.15s %.15s", first, second);
            events(name, 1);
        } else if (strncmp(line, "ask ", 4) == 0) { /* <id> <kind> <ms> <key>=<value> ... : <option> ... */
            int count = 0;
            char *colon = strstr(line, " : ");
            *colon = '\0';
            for (char *word = strtok(colon + 3, " "); word && count < OPTIONS; word = strtok(NULL, " "))
                options[count++] = word;
            if (strcmp(second, "hello") == 0)
                printf("%s ok name=@NAME@ version=1\n", first);
            else if (strcmp(second, "ready") == 0 || table.me == 0)
                printf("%s %s\n", first, options[0]);
            else
                printf("%s %s\n", first, choose(second, line, options, count));
            fflush(stdout);
        } else if (strncmp(line, "error ", 6) == 0) { /* we made a mistake; stderr is kept with the game */
            fprintf(stderr, "%s\n", line);
        } else if (strcmp(line, "bye") == 0) {
            break;
        }
    }
    return 0;
}
