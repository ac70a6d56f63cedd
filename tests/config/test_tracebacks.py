"""Which line of stderr tells why a program has failed. The texts are those of real programs."""

import pytest

from arena.config.text import cause

NODE_FRAMES = (
    "    at Module.load (node:internal/modules/cjs/loader:1266:32)\n"
    "    at node:internal/main/run_main_module:28:49\n\nNode.js v20.20.2\n"
)
CASES = {
    "Node, syntax": (
        "/home/a/bot.js:3\nconst x = ;\n          ^\n\nSyntaxError: Unexpected token ';'\n" + NODE_FRAMES,
        "bot.js:3: SyntaxError: Unexpected token ';'",
    ),
    "Node, a value": (
        "/home/a/bot.js:7\n  null.x\n       ^\n\nTypeError: Cannot read properties of null (reading 'x')\n"
        "    at f (/home/a/bot.js:7:8)\n" + NODE_FRAMES,
        "bot.js:7: TypeError: Cannot read properties of null (reading 'x')",
    ),
    "Node, a module": (
        "node:internal/modules/cjs/loader:1210\n  throw err;\n  ^\n\nError: Cannot find module './rules'\n"
        "Require stack:\n- /home/a/bot.js\n    at Object.<anonymous> (/home/a/bot.js:1:1)\n" + NODE_FRAMES,
        "bot.js:1: Error: Cannot find module './rules'",
    ),
    "Python, syntax": (
        '  File "/home/a/bot.py", line 2\n    def f(:\n          ^\nSyntaxError: invalid syntax\n',
        "bot.py:2: SyntaxError: invalid syntax",
    ),
    "Python, in a library": (
        'loading\nTraceback (most recent call last):\n  File "/home/a/bot.py", line 9, in <module>\n    f()\n'
        '  File "/usr/lib/python3.11/json/__init__.py", line 346, in loads\n    return 1\nmine.Oops: no\n',
        "bot.py:9: mine.Oops: no",
    ),
    "Java": (
        'Exception in thread "main" java.lang.IndexOutOfBoundsException: Index 3 out of bounds\n'
        "\tat java.base/java.util.ArrayList.get(ArrayList.java:427)\n\tat Bot.f(Bot.java:3)\n"
        "\tat Bot.main(Bot.java:1)\n",
        'Bot.java:3: Exception in thread "main" java.lang.IndexOutOfBoundsException: Index 3 out of bounds',
    ),
    "Ruby": (
        "/home/a/bot.rb:3:in `f': undefined method `x' for nil:NilClass (NoMethodError)\n"
        "\tfrom /home/a/bot.rb:5:in `<main>'\n",
        "/home/a/bot.rb:3:in `f': undefined method `x' for nil:NilClass (NoMethodError)",
    ),
    "Rust": (
        "thread 'main' panicked at src/main.rs:3:5:\nno cards\n"
        "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n",
        "thread 'main' panicked at src/main.rs:3:5: no cards",
    ),
    "Go": (
        "panic: runtime error: index out of range [3] with length 1\n\ngoroutine 1 [running]:\nmain.main()\n"
        "\t/home/a/bot.go:5 +0x1d\nexit status 2\n",
        "bot.go:5: panic: runtime error: index out of range [3] with length 1",
    ),
    "Perl": (
        'syntax error at bot.pl line 1, near "= ;"\nExecution of bot.pl aborted due to compilation errors.\n',
        'syntax error at bot.pl line 1, near "= ;"',
    ),
    "a shell": ("bot.sh: 5: Syntax error: end of file\n", "bot.sh: 5: Syntax error: end of file"),
    "anything else": ("begin\nstarted\n\n", "started"),
    "nothing": ("\n \n", ""),
}


@pytest.mark.parametrize(("stderr", "error"), CASES.values(), ids=CASES)
def test_the_error_is_found_and_its_place_in_the_bot(stderr, error):
    assert cause(stderr) == error
