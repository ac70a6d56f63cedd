/* Answers every ask with a random option: the whole protocol in forty lines of C. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 1;

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016 */
static uint32_t next_random(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (state * 2685821657736338717ULL) >> 32;
}

int main(void)
{
    static char line[8200];
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "game ", 5) == 0) {
            char *seed = strstr(line, " seed=");
            state = 0x9E3779B97F4A7C15ULL ^ strtoull(seed ? seed + 6 : "1", NULL, 10);
        }
        if (strncmp(line, "ask ", 4) != 0)
            continue;
        char *options = strstr(line, " : ");
        int count = 0;
        for (char *space = options + 2; space; space = strchr(space + 1, ' '))
            count++;
        char *word = options + 3;
        for (int skip = next_random() % count; skip > 0; skip--)
            word = strchr(word, ' ') + 1;
        word[strcspn(word, " \r\n")] = '\0';
        printf("%ld %s\n", strtol(line + 4, NULL, 10), word);
        fflush(stdout);
    }
    return 0;
}
