/* A UCI engine that answers `go` at once with a legal move, so that a match measures its runner alone.

Each side moves one knight around a circle of squares, without captures and checks. The circles have 6 and 10 squares,
so no position comes three times within 100 plies, at which the game is a draw by the fifty-move rule. */

#include <stdio.h>
#include <string.h>

static const char *const WHITE[] = {"g1f3", "f3e5", "e5d3", "d3f4", "f4h3", "h3g1"};
static const char *const BLACK[] = {
    "g8f6", "f6d5", "d5b6", "b6a4", "a4c5", "c5e6", "e6d4", "d4f5", "f5h6", "h6g8",
};

int main(void)
{
    static char line[65536];
    int plies = 0;
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "position ", 9) == 0) {
            plies = 0;
            char *moves = strstr(line, " moves ");
            for (char *space = moves ? moves + 6 : NULL; space; space = strchr(space + 1, ' '))
                plies++;
        } else if (strncmp(line, "go", 2) == 0) {
            const char *move = plies % 2 ? BLACK[plies / 2 % 10] : WHITE[plies / 2 % 6];
            printf("info depth 1 score cp 0 pv %s\nbestmove %s\n", move, move);
        } else if (strcmp(line, "uci\n") == 0) {
            puts("id name shuffle\nuciok");
        } else if (strcmp(line, "isready\n") == 0) {
            puts("readyok");
        } else if (strcmp(line, "quit\n") == 0) {
            break;
        }
        fflush(stdout);
    }
    return 0;
}
