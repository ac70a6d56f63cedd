/* Haggles at random: offers money for a place, accepts and rejects, and pays what comes to its mind.
   Everything that is no talk and no bribe it answers with a random option. */

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

/* Copies the value of a key of an ask line, up to the end of the word; nothing if there is no such key. */
static void value(const char *line, const char *key, char *to, size_t size)
{
    const char *found = strstr(line, key);
    size_t length = found ? strcspn(found + strlen(key), " \r\n") : 0;
    if (length >= size)
        length = size - 1;
    if (length)
        memcpy(to, found + strlen(key), length);
    to[length] = '\0';
}

/* One of the words of a list with commas, by chance; the others are cut off. */
static char *any_of(char *list)
{
    int count = 1;
    for (char *comma = strchr(list, ','); comma; comma = strchr(comma + 1, ','))
        count++;
    for (int skip = next_random() % count; skip > 0; skip--)
        list = strchr(list, ',') + 1;
    list[strcspn(list, ",")] = '\0';
    return list;
}

/* `offer:4000:writer@6000`, of one of the advisors and one of the zones that this payment is about.
   It names no seat, so it is for the one behind `with=`. */
static void offer(long id, const char *line)
{
    char advisors[256], zones[64];
    value(line, " for=", advisors, sizeof advisors);
    value(line, " zones=", zones, sizeof zones);
    char *type = strchr(any_of(advisors), '.');
    printf("%ld offer:%d000", id, 1 + (int)(next_random() % 8));
    if (type && zones[0])
        printf(":%s@%s", type + 1, any_of(zones));
    printf("\n");
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
        long id = strtol(line + 4, NULL, 10);
        char *options = strstr(line, " : ");
        char kind[32] = "";
        sscanf(line, "ask %*s %31s", kind);
        int count = 0;
        for (char *space = options + 2; space; space = strchr(space + 1, ' '))
            count++;
        if (strcmp(kind, "talk") == 0 && strstr(line, " with=") && next_random() % 2 == 0) {
            offer(id, line);
        } else {
            if (strcmp(kind, "bribe") == 0 && count > 8)
                count = 8; /* amounts begin with the least */
            char *word = options + 3;
            for (int skip = next_random() % count; skip > 0; skip--)
                word = strchr(word, ' ') + 1;
            word[strcspn(word, " \r\n")] = '\0';
            printf("%ld %s\n", id, word);
        }
        fflush(stdout);
    }
    return 0;
}
