"""The viewer of games, in a browser."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from other_game import install
from samples import CHECKOUT, RANDOM

from arena.config.text import printable
from arena.games import GAMES
from arena.show.pages.game_data import game_data, game_script, packed
from arena.tournament.runs.account import Answered, Told, account
from arena.tournament.runs.moments import moments_of
from arena.tournament.runs.store import Store

pytestmark = [pytest.mark.slow, pytest.mark.browser]

BOTS = CHECKOUT / "bots" / "python"
COMPLOTS = [RANDOM, *(BOTS / f"{name}.py" for name in ("honest", "bluffer", "counting"))]
LOCAL = [RANDOM, BOTS / "local_honest.py", BOTS / "local_bluffer.py", BOTS / "searching" / "local_reader.py"]
INTRIGUE = [
    f"house:{name}"
    for name in ("intrigue_chatter", "intrigue_buyer", "negotiator", "intrigue_chatter", "intrigue_miser")
]
KINDS = {
    "complots-2": ("complots", COMPLOTS[:2]),  # with a draft
    "complots-4": ("complots", COMPLOTS),
    "complots-8": ("complots", [*COMPLOTS, *COMPLOTS], "-o", "cast=inquisitor", "-o", "max_turns=40"),
    "local-2": ("local", LOCAL[1:3]),
    "local-4": ("local", LOCAL),
    "intrigue-3": ("intrigue", INTRIGUE[:3], "-o", "press=3"),
    "intrigue-5": ("intrigue", INTRIGUE, "-o", "press=3", "-o", "private=true", "-o", "rounds=2"),
    "intrigue-bribes": ("intrigue", INTRIGUE[:3], "-o", "bribe_unit=advisor", "-o", "rounds=3"),
}


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Plays a game of a kind and writes its pages; returns the record and the page, once for each kind."""
    made = {}

    def play(kind):
        if kind not in made:
            game, bots, *options = KINDS[kind]
            folder = tmp_path_factory.mktemp(kind)
            made[kind] = write_pages(folder, "play", game, *bots, *options, "--seed", 3, "--record", "run.db")
        return made[kind]

    return play


def write_pages(folder, *words, **more):
    """Run the arena, and make pages of `run.db`: the record of its only game, and the page of the viewer."""
    for line in (words, ("report", "run.db", "--out", "pages")):
        command = [sys.executable, "-m", "arena", *map(str, line)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, **more)
        assert done.returncode == 0, done.stderr
    with Store(folder / "run.db") as store:
        (game,) = store.games()
        return store.record(game.id), folder / "pages" / "game.html"


def watch(page, path, place):
    page.goto("about:blank")  # a change of the fragment alone would not load the page anew
    page.goto(f"{path.as_uri()}#{place}")
    page.wait_for_selector("#viewer:not([hidden])")


WALK = """
look => {
    const press = key => document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
    const where = () => document.getElementById("slider").value;
    const found = [];
    press("Home");
    for (;;) {
        found.push(eval(look));
        const before = where();
        press(".");
        if (where() === before) return found;
    }
}
"""


def changes_the_table(moment, seat=None):
    """Whether news of a moment does more than to say something: words alone leave the table as it was."""
    news = [each.text for each in moment.said if isinstance(each, Told) and each.seat in (None, seat)]
    words = {"turn", "claim", "action", "challenge", "block", "blocked", "proven", "refuted"}
    return not news or any(text.split()[0] not in words for text in news)


def walk(page, look):
    """What a JavaScript expression is at each step of the replay, from the first to the last."""
    return page.evaluate(WALK, look)


@pytest.mark.parametrize("kind", KINDS)
def test_a_game_of_each_kind_is_watched_to_its_recorded_result(page, played, kind):
    record, path = played(kind)
    watch(page, path, record.fixture.id)
    last = len([*moments_of(record)])
    drawn = (
        "document.querySelector('#table .ring') !== null && document.querySelector('#result table') === null"
    )
    assert walk(page, drawn) == [True] * (last - 1) + [False]
    places, scores = record.result
    rows = [row.inner_text().split() for row in page.locator("#result tr").all()]
    assert [(int(row[0].rstrip(".")), int(row[1][1:]) - 1, row[2]) for row in rows] == sorted(
        (place, seat, record.fixture.bots[seat]) for seat, place in enumerate(places)
    )
    assert scores is None or [int(row[3]) for row in rows] == sorted(scores, reverse=True)


def test_the_table_is_that_of_the_states(page, played):
    record, path = played("complots-4")
    watch(page, path, record.fixture.id)
    look = "[...document.querySelectorAll('.box')].map(box => [box.querySelector('.coins').textContent, "
    look += "...[...box.querySelectorAll('.card')].map(card => card.getAttribute('aria-label'))])"
    for moment, boxes in zip(moments_of(record), walk(page, look), strict=True):
        if not changes_the_table(moment):
            continue
        for line, (coins, *cards) in zip(moment.table[1:], boxes, strict=True):
            state = dict(word.split("=") for word in line.split()[1:])
            named = [*split(state, "hand"), *(f"{card}, lost" for card in split(state, "lost"))]
            assert (coins, cards) == (state["coins"], named)


def split(state, key):
    return state[key].split(",") if state.get(key) else []


@pytest.mark.parametrize("kind", ["intrigue-3", "intrigue-5"])  # told to all, and in private
def test_every_promise_in_the_book_gets_its_verdict(page, played, kind):
    record, path = played(kind)
    watch(page, path, record.fixture.id)
    page.keyboard.press("End")
    texts = [text for text in news(record) if text.startswith("promise ")]
    told = len(texts) // (2 if record.fixture.options["private"] else 1)
    assert told > 1
    assert (
        page.locator(".book caption").inner_text().startswith(f"The book of promises: 0 open, {told} decided")
    )


def news(record):
    return [event.text for event in account(record) if isinstance(event, Told)]


# Through the eyes of a seat

SECRET = "xyzzy"
MARKED = f"""
    [...document.querySelectorAll("head, body > :not(main), main > :not(#viewer)"),
     ...document.querySelectorAll("#viewer > :not(#happened, #protocol), #happened h2, #protocol h2"),
     ...document.querySelectorAll("#list > :last-child, #lines > :last-child")]
    .some(each => each.outerHTML.includes("{SECRET}"))
"""  # the list and the lines only grow


def test_bribes_are_paid_by_those_who_pay_them(page, played):
    record, path = played("intrigue-bribes")
    watch(page, path, record.fixture.id)
    bubbles = walk(page, "[...document.querySelectorAll('.bubble')].map(each => each.textContent)")
    bribes = [text for text in news(record) if text.startswith("bribe ")]
    by_bank = [bribe for bribe in bribes if " by=bank" in bribe]
    assert len(by_bank) < len(bribes)
    assert any("the bank pays" in bubble for step in bubbles for bubble in step) == bool(by_bank)
    assert any(bubble.startswith("pays ") for step in bubbles for bubble in step)


def with_marks(record, seat):
    """The data of a game in which each text that a seat cannot know is replaced by a word."""
    data = game_data(record, record.fixture.bots, moments_of(record))
    mark = len(data["texts"])
    data["texts"].append(SECRET)
    marked = len(data["tables"])
    data["tables"].append([mark])
    for moment in data["moments"]:
        said, _, views = moment
        moment[1:] = [marked, [table if each == seat else marked for each, table in enumerate(views)]]
        for each in said:
            if each[1] not in (None, seat):
                each[2:4] = [mark, mark]
                if each[0] == "answer":
                    each[4], each[6] = mark, mark
    return data


@pytest.mark.parametrize("kind", ["complots-2", "complots-8", "local-4", "intrigue-5"])
def test_a_seat_is_shown_nothing_that_it_cannot_know(page, played, kind):
    record, path = played(kind)
    game = path.parent / "games" / f"{record.fixture.id}.js"
    script = game.read_text()
    try:
        for seat in (0, len(record.fixture.bots) - 1):
            game.write_text(packed(with_marks(record, seat)))
            watch(page, path, f"{record.fixture.id}/1/p{seat + 1}")
            steps = walk(page, MARKED)
            assert len(steps) > 10 and not any(steps)
            assert SECRET not in page.content()
        watch(page, path, record.fixture.id)  # the marks are there if one looks for them
        assert any(walk(page, MARKED)) and SECRET in page.content()
    finally:
        game.write_text(script)


@pytest.mark.parametrize("kind", ["complots-4", "local-4"])
def test_a_seat_sees_cards_of_others_only_face_up(page, played, kind):
    """Of the others, what is drawn by name is in the lines that the seat may see."""
    record, path = played(kind)
    all_moments = [*moments_of(record)]
    watch(page, path, f"{record.fixture.id}/1/p2")
    look = "[...document.querySelectorAll('.box')].map(box => "
    look += "[...box.querySelectorAll('.card:not(.back)')].map(card => card.getAttribute('aria-label')))"
    known = [moment for moment in all_moments if any(said.seat in (None, 1) for said in moment.said)]
    steps = walk(page, look)
    assert len(steps) == len(known)
    for moment, boxes in zip(known, steps, strict=True):
        if not changes_the_table(moment, 1):
            continue
        for line, cards in zip(moment.views[1][1:], boxes, strict=True):
            state = dict(word.split("=") for word in line.split()[1:])
            seen = [card for value in state.values() for card in value.split(",") if card in CARDS]
            assert sorted(card.partition(",")[0] for card in cards) == sorted(seen)


CARDS = ("duchess", "assassin", "contessa", "captain", "ambassador", "inquisitor")


def test_moments_of_which_a_seat_learns_nothing_are_left_out(page, played):
    record, path = played("complots-4")
    watch(page, path, f"{record.fixture.id}/1/p1")
    told = [moment for moment in moments_of(record) if any(said.seat in (None, 0) for said in moment.said)]
    assert len(walk(page, "1")) == len(told) < len([*moments_of(record)])


# The protocol


def test_the_protocol_is_what_replay_prints(page, played):
    record, path = played("complots-4")
    watch(page, path, record.fixture.id)
    page.keyboard.press("End")
    page.locator("#of").select_option("1")
    lines = page.locator("#lines p").all_inner_texts()
    run = path.parent.parent / "run.db"
    replay = [sys.executable, "-m", "arena", "replay", str(run), "1", "--seat", "p2"]
    printed = subprocess.run(replay, capture_output=True, text=True).stdout.splitlines()
    plain = [" ".join(re.sub(r"[0-9.]+ ms$", "", line).split()) for line in lines]
    assert plain == [line for line in printed if not line.startswith("#")]
    assert sum(line.endswith(" ms") for line in lines) == sum(line.startswith(">") for line in printed)


# Untrusted text

HOSTILE = """
import sys
from urllib.parse import quote

SAID = quote("<img src=x onerror=alert(1)> $x$ %s ../.. \\u05d0", safe="")
asks = 0
for line in sys.stdin:
    words = line.split()
    if words[0] == "ask":
        asks += 1
        answer = words[words.index(":") + 1]
        if words[2] == "talk" and any("say" in word for word in words if word.startswith("open=")):
            answer = f"say:all:{SAID}"
        print("</script><script>alert(1)</script>\\u202egnp", file=sys.stderr, flush=True)
        print(words[1], "<b>wrong" if asks == 5 else answer, flush=True)
"""
NAMES = ["<script>alert(1)</script>", "\u202eevil\u2066", "a" * 60, "$x$ %s </bdi> ../.. `${1}`"]


def test_untrusted_text_is_text(page, tmp_path, first_bot):
    (tmp_path / "hostile.py").write_text(HOSTILE)
    bots = ["hostile.py", first_bot, "hostile.py", first_bot]
    record, path = write_pages(
        tmp_path, "play", "intrigue", *bots, "-o", "press=3", "--seed", 1, "--record", "run.db"
    )
    (path.parent / "games" / f"{record.fixture.id}.js").write_text(
        game_script(record, NAMES, {"run": NAMES[0]}, moments_of(record))
    )
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    watch(page, path, f"{record.fixture.id}/1")
    wrong = "/[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.documentElement.outerHTML) || "
    wrong += "document.querySelectorAll('#viewer :is(img, script, b:not(.seat))').length"
    assert not any(walk(page, wrong))
    names = page.locator(".players bdi").all_text_contents()
    assert names == [NAMES[0], "\\u{202e}evil\\u{2066}", NAMES[2], NAMES[3]]
    assert "</script><script>alert(1)</script>\\u{202e}gnp" in page.locator("#lines").inner_text()
    assert "<img src=x onerror=alert(1)> $x$ %s ../.. \u05d0" in page.locator("#list").inner_text()
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert "<b>wrong" in page.locator("#list .fault").first.inner_text()


def test_the_same_characters_are_escaped_as_in_the_terminal(page, played):
    watch(page, played("complots-2")[1], played("complots-2")[0].fixture.id)
    escaped = page.evaluate(
        "[...Array(0x110000).keys()].filter(each => (each < 0xd800 || each > 0xdfff) && "
        "arena.printable(String.fromCodePoint(each)) !== String.fromCodePoint(each))"
    )
    points = (*range(0xD800), *range(0xE000, 0x110000))
    assert escaped == [each for each in points if printable(chr(each)) != chr(each)]


def test_the_next_fault_is_a_key(page, tmp_path, first_bot):
    (tmp_path / "hostile.py").write_text(HOSTILE)
    record, path = write_pages(
        tmp_path, "play", "complots", "hostile.py", first_bot, "--seed", 1, "--record", "run.db"
    )
    watch(page, path, f"{record.fixture.id}/1")
    page.keyboard.press("f")
    assert "A fault of hostile: illegal answered '<b>wrong'" in page.locator("#now").inner_text()


# Links


def test_an_address_names_a_moment_and_a_seat(page, played):
    record, path = played("complots-4")
    game = record.fixture.id
    watch(page, path, f"{game}/12/p1")
    assert page.locator("#seat").input_value() == "0"
    watch(page, path, f"{game}/12")
    twelfth = page.locator("#now").inner_text()
    page.locator("#list a").nth(4).click()
    assert page.url.endswith(f"#{game}/5")
    page.keyboard.press(".")
    page.wait_for_url(f"**#{game}/6")
    page.keyboard.press("End")
    assert page.url.endswith(f"#{game}/{len([*moments_of(record)])}")
    page.go_back()
    page.wait_for_url(f"**#{game}/6")
    page.go_back()
    page.wait_for_url(f"**#{game}/12")
    assert page.locator("#now").inner_text() == twelfth
    page.locator("#seat").select_option("2")
    assert re.search(f"#{game}/[0-9]+/p3$", page.url)


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("", "No game is chosen."),
        ("../x", "The address names no game"),
        ("{id}/0", "and no moment 0."),
        ("{id}/99999", "and no moment 99999."),
        ("{id}/x", "and no moment x."),
        ("{id}/1/p5", "This game has the seats p1 to p4, and no seat p5."),
        ("{id}/1/<b>", "and no seat "),
    ],
)
def test_a_wrong_address_gets_a_sentence(page, played, place, sentence):
    record, path = played("complots-4")
    page.goto("about:blank")
    page.goto(f"{path.as_uri()}#{place.format(id=record.fixture.id)}")
    page.wait_for_function(
        "words => document.getElementById('message').textContent.includes(words)", arg=sentence
    )
    assert page.locator("#viewer").is_hidden()


def test_a_game_that_is_not_there_gets_a_sentence(chromium, played):
    _, path = played("complots-4")
    page = chromium.new_page()
    page.goto(f"{path.as_uri()}#{'0' * 16}")
    page.get_by_text(f"There is no game {'0' * 16} among these pages.").wait_for()
    page.close()


def test_a_step_makes_only_what_is_new(page, played):
    """A game has thousands of moments, and a step has to be quick."""
    record, path = played("complots-8")
    watch(page, path, f"{record.fixture.id}/200")
    made = """
        pane => {
            let added = 0;
            const count = changes => changes.forEach(each => added += each.addedNodes.length);
            const whole = {childList: true, subtree: true};
            new MutationObserver(count).observe(document.getElementById(pane), whole);
            document.body.dispatchEvent(new KeyboardEvent("keydown", {key: ".", bubbles: true}));
            return new Promise(done => setTimeout(() => done(added)));
        }
    """
    assert page.evaluate(made, "list") == 0
    assert page.evaluate(made, "lines") == 1


def test_in_the_list_only_the_current_step_is_a_stop_of_the_tab_key(page, played):
    record, path = played("complots-2")
    watch(page, path, f"{record.fixture.id}/5")
    stops = page.locator("#list a[tabindex='0']")
    for here in (5, 6):
        assert stops.count() == 1
        assert stops.get_attribute("href") == f"#{record.fixture.id}/{here}"
        page.keyboard.press(".")


def test_a_replay_plays_and_pauses(page, played):
    record, path = played("complots-2")
    watch(page, path, record.fixture.id)
    page.keyboard.press("+")
    page.keyboard.press("+")
    page.keyboard.press("Space")
    page.wait_for_function("document.getElementById('where').textContent.startsWith('2 ')")
    page.keyboard.press("Space")
    there = page.locator("#where").inner_text()
    page.wait_for_timeout(600)
    assert page.locator("#where").inner_text() == there
    page.keyboard.press("Space")
    page.locator("#list a").first.click()
    page.wait_for_timeout(600)
    assert page.locator("#where").inner_text().startswith("0 of ")
    page.locator("#lines").focus()
    page.keyboard.press("ArrowDown")  # scrolls
    assert page.locator("#where").inner_text().startswith("0 of ")
    page.keyboard.press("?")
    assert page.locator("#keys").is_visible()


def test_steps_are_decisions(page, played):
    """The arrows stop when all that follows from a decision has happened; the counter counts decisions."""
    record, path = played("complots-4")
    watch(page, path, f"{record.fixture.id}/1")
    asked = [[each for each in moment.said if isinstance(each, Answered)] for moment in moments_of(record)]
    decisions = sum(any(each.word != "pass" for each in answers) for answers in asked)
    where, now = page.locator("#where"), page.locator("#now")
    total = int(where.inner_text().removeprefix("0 of "))
    assert (
        decisions <= total < decisions + 3 < len(asked)
    )  # an Assassinat that must be played is not asked for
    for number in range(1, total + 1):
        page.keyboard.press("ArrowRight")
        assert where.inner_text() == f"{number} of {total}"
        assert not re.search(r"\bp[1-4]\b", now.inner_text())  # bots are named
    assert "The end: 1. " in now.inner_text()
    page.keyboard.press("ArrowLeft")
    assert where.inner_text() == f"{total - 1} of {total}"
    page.wait_for_url(f"**#{record.fixture.id}/*")


def test_seats_have_keys_as_in_the_terminal(page, played):
    record, path = played("complots-4")
    watch(page, path, f"{record.fixture.id}/12")
    for key, seat in (("2", "1"), ("s", "2"), ("s", "3"), ("s", ""), ("9", ""), ("4", "3"), ("0", "")):
        page.keyboard.press(key)
        page.wait_for_function("seat => document.getElementById('seat').value === seat", arg=seat)


@pytest.mark.parametrize("kind", KINDS)
def test_the_controls_are_always_in_sight(chromium, played, kind):
    record, path = played(kind)
    for width, height in ((1440, 900), (390, 844)):
        page = chromium.new_page(viewport={"width": width, "height": height})
        watch(page, path, f"{record.fixture.id}/40")
        for scroll in (0, 400, 100_000):
            page.evaluate("y => scrollTo(0, y)", scroll)
            for button in page.locator("#controls button:visible").all():
                box = button.bounding_box()
                assert box["y"] >= 0 and box["y"] + box["height"] <= height
                assert box["x"] >= 0 and box["x"] + box["width"] <= width
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.close()


def test_nothing_moves_where_reduced_motion_is_asked_for(chromium, played):
    record, path = played("complots-4")
    for motion, moves in (("no-preference", True), ("reduce", False)):
        page = chromium.new_page(reduced_motion=motion)
        watch(page, path, f"{record.fixture.id}/1")
        found = walk(page, "document.getAnimations().length")
        assert any(found) == moves
        page.close()


# Games from outside


def test_a_game_without_a_drawing_gets_a_table_of_text(page, tmp_path, first_bot):
    record, path = write_pages(
        tmp_path, "play", "poker", first_bot, RANDOM, "--seed", 1, "--record", "run.db", env=install(tmp_path)
    )
    watch(page, path, record.fixture.id)
    page.keyboard.press("End")
    assert page.locator("#table td").all_inner_texts()[1:] == [
        dict(word.split("=") for word in line.split()[1:])["hand"]
        for line in list(open_tables(record, tmp_path))[-1]
    ]
    assert page.locator("#result tr").count() == 2


def open_tables(record, folder):
    """The lines of the seats of the open table; the game is installed elsewhere."""
    code = "import json; from pathlib import Path; from arena.tournament.runs.moments import moments_of; "
    code += "from arena.tournament.runs.store import Store; store = Store(Path('run.db')); "
    code += f"print(json.dumps([each.table[1:] for each in moments_of(store.record('{record.fixture.id}'))]))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=install(folder), capture_output=True, text=True
    )
    return json.loads(done.stdout)


def test_the_drawing_on_the_page_about_games(page, tmp_path, first_bot):
    environment = install(tmp_path)
    readme = Path(CHECKOUT / "arena" / "games" / "README.md").read_text(encoding="utf-8")
    drawing = re.search(r"```js\n(.*?)```", readme, re.S)[1]
    (Path(environment["PYTHONPATH"]) / "poker.js").write_text(
        drawing.replace("drawings.kuhn", "drawings.poker")
    )
    record, path = write_pages(
        tmp_path, "play", "poker", first_bot, RANDOM, "--seed", 1, "--record", "run.db", env=environment
    )
    watch(page, path, record.fixture.id)
    page.keyboard.press("End")
    assert "The last move: " in page.locator("#table").inner_text()
    assert page.locator("#table .box").count() == 2
    watch(page, path, f"{record.fixture.id}/3/p1")
    assert page.locator("#table .box").nth(1).inner_text().endswith("?")


# Accessibility, print


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["complots-8", "local-4", "intrigue-5"])
def test_axe_finds_no_serious_violation(chromium, played, kind, scheme):
    from axe_playwright_python.sync_playwright import Axe

    record, path = played(kind)
    page = chromium.new_page(color_scheme=scheme)
    watch(page, path, f"{record.fixture.id}/{len([*moments_of(record)]) // 2}")
    found = Axe().run(page).response["violations"]
    page.close()
    assert [each for each in found if each["impact"] in ("serious", "critical")] == []


def test_a_game_prints_as_a_transcript(page, played):
    record, path = played("complots-2")
    watch(page, path, record.fixture.id)
    page.emulate_media(media="print")
    assert page.locator("#controls").is_hidden() and page.locator("#table").is_hidden()
    assert page.locator("#list").inner_text().count("\n") >= len([*moments_of(record)]) - 1
    height, whole = page.evaluate(
        "(list => [list.clientHeight, list.scrollHeight])(document.getElementById('list'))"
    )
    assert height == whole


def test_each_game_of_the_arena_has_a_drawing():
    for name in GAMES:
        assert (CHECKOUT / "arena" / "games" / name / f"{name}.js").is_file()
