/* Answers ask number N with option N modulo their count. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    static char line[8200];
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "ask ", 4) != 0)
            continue;
        long number = strtol(line + 4, NULL, 10);
        char *options = strstr(line, " : ") + 2;
        int count = 0;
        for (char *space = options; space; space = strchr(space + 1, ' '))
            count++;
        for (int skip = number % count; skip > 0; skip--)
            options = strchr(options + 1, ' ');
        printf("%ld %.*s\n", number, (int)strcspn(options + 1, " \n"), options + 1);
        fflush(stdout);
    }
    return 0;
}
