/* Says whatever is most useful and never looks at its hand: a memory of two words is all it needs. */

#include <stdio.h>
#include <string.h>

#define MOST 512 /* words in a line */

static int starts(const char *word, const char *with)
{
    return strncmp(word, with, strlen(with)) == 0;
}

/* The first option that starts with one of these words, the earlier word before the later; or NULL. */
static const char *first_of(char **options, int count, const char *const *wanted)
{
    for (; *wanted; wanted++)
        for (int i = 0; i < count; i++)
            if (starts(options[i], *wanted))
                return options[i];
    return NULL;
}

static const char *choose(const char *kind, char **options, int count)
{
    static const char *const actions[] = {"coup:", "assassin:", "duchess", NULL};
    static const char *const blocks[] = {"block:contessa", "block:duchess", "block:captain", NULL};
    static const char *const losses[] = {"ambassador", "inquisitor", "captain", "assassin", NULL};
    const char *found = NULL;
    if (strcmp(kind, "action") == 0)
        found = first_of(options, count, actions);
    else if (strcmp(kind, "block") == 0)
        found = first_of(options, count, blocks);
    else if (strcmp(kind, "lose") == 0)
        found = first_of(options, count, losses);
    return found ? found : options[0]; /* never challenges: `pass` comes first */
}

int main(void)
{
    static char line[8200];
    int complots = 0; /* whether the game is one that this bot knows */
    while (fgets(line, sizeof line, stdin)) {
        char *words[MOST];
        int count = 0, colon = 0;
        for (char *word = strtok(line, " \r\n"); word && count < MOST; word = strtok(NULL, " \r\n")) {
            if (strcmp(word, ":") == 0 && !colon)
                colon = count;
            words[count++] = word;
        }
        if (count > 2 && strcmp(words[0], "game") == 0)
            complots = strcmp(words[2], "complots") == 0;
        if (count < 1 || strcmp(words[0], "ask") != 0 || !colon || colon + 1 >= count)
            continue;
        char **options = words + colon + 1;
        printf("%s %s\n", words[1], complots ? choose(words[2], options, count - colon - 1) : options[0]);
        fflush(stdout);
    }
    return 0;
}
