"""Bots with libraries, as docs/environments.md has them. The libraries are made here, without a network."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from samples import CHECKOUT

pytestmark = pytest.mark.slow

PAGE = (CHECKOUT / "docs" / "environments.md").read_text()
FIRST = CHECKOUT / "bots" / "shell" / "first.sh"
PYTHON = """
import sys
{path}
import pick
for line in sys.stdin:
    words = line.split()
    if words[0] == "ask":
        print(words[1], pick.one(words[words.index(":") + 1 :]), flush=True)
"""
SPY = """
for name in ("plan.yaml", "lib/note"):
    try:
        open("{folder}/" + name)
    except OSError:
        continue
    sys.exit("it reads " + name)
"""
PICK = "def one(options):\n    return options[0]\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
JAVASCRIPT = """
const pick = require("pick");
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  if (line.startsWith("ask ")) console.log(line.split(" ")[1], pick(line.split(" : ")[1].split(" ")));
});
"""
JAVA = """
import java.io.*;
import pick.Pick;
public class MyBot {
    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) {
            if (!line.startsWith("ask ")) continue;
            String[] options = line.substring(line.indexOf(" : ") + 3).split(" ");
            System.out.println(line.split(" ")[1] + " " + Pick.one(options));
            System.out.flush();
        }
    }
}
"""


def on_page(heading: str, number: int = 0) -> str:
    """A block of YAML below a heading of the page."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"```yaml\n(.*?)```", section, re.DOTALL)[number]


def entry(folder: Path, manifest: str, **files: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "bot.yaml").write_text(manifest)
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    return folder


def environment(folder: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "pick.py").write_text(PICK)


def wheel(folder: Path) -> None:
    folder.mkdir()
    with zipfile.ZipFile(folder / "pick-1.0-py3-none-any.whl", "w") as made:
        made.writestr("pick.py", PICK)
        made.writestr("pick-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: pick\nVersion: 1.0\n")
        made.writestr("pick-1.0.dist-info/WHEEL", WHEEL)
        made.writestr("pick-1.0.dist-info/RECORD", "")


def jar(folder: Path) -> None:
    folder.mkdir()
    (folder / "Pick.java").write_text(
        "package pick; public class Pick { public static String one(String[] all) { return all[0]; } }"
    )
    subprocess.run(["javac", "-d", "classes", "Pick.java"], cwd=folder, check=True)
    subprocess.run(["jar", "cf", "pick.jar", "-C", "classes", "."], cwd=folder, check=True)


def write_plan(folder: Path, bots: str, more: str = "") -> Path:
    path = folder / "plan.yaml"
    path.write_text(f"game: complots\nseats: 2\ngroups: 1\n{more}bots: {bots}\n")
    return path


def plays(arena, bot: Path, *more: object) -> None:
    done = arena("play", "complots", bot, FIRST, "--seed", "1", "--format", "json", *more)
    assert done.returncode == 0, done.stderr
    assert '"faults":[]' in done.stdout.replace(" ", ""), done.stdout


def test_a_virtual_environment_in_the_folder_of_the_bot(arena, tmp_path):
    bot = entry(tmp_path / "bot", on_page("Python: a virtual environment"), bot_py=PYTHON.format(path=""))
    environment(bot / "venv")
    plays(arena, bot)


def test_wheels_that_a_build_installs(arena, tmp_path):
    manifest = on_page("Python: a virtual environment", 1).replace("numpy", "pick")
    code = PYTHON.format(path='sys.path.insert(0, "build/lib")')
    bot = entry(tmp_path / "bot", manifest, bot_py=code)
    wheel(bot / "wheels")
    plays(arena, bot)


def test_a_virtual_environment_that_the_first_line_names(arena, tmp_path):
    environment(tmp_path / "venv")
    bot = tmp_path / "bot.py"
    bot.write_text(f"#!{tmp_path}/venv/bin/python\n{PYTHON.format(path='')}")
    plays(arena, bot, "--files", tmp_path / "venv")


def test_one_environment_for_all_entries(arena, tmp_path):
    environment(tmp_path / "environment")
    manifest = on_page("One environment for all entries", 1)
    bot = entry(tmp_path / "entries" / "one", manifest, bot_py=PYTHON.format(path=""))
    plays(arena, bot, "--files", tmp_path / "environment")
    shared = on_page("One environment for all entries")
    done = arena("run", write_plan(tmp_path, f"[entries/one, {FIRST}]", shared))
    assert done.returncode == 0 and " 0 faults" in done.stdout, done.stderr


def test_an_environment_on_the_path_of_the_arena(arena, tmp_path):
    environment(tmp_path / "environment")
    bot = entry(tmp_path / "bot", "run: [python3, bot.py]\n", bot_py=PYTHON.format(path=""))
    path = f"{tmp_path / 'environment' / 'bin'}:{os.environ['PATH']}"
    done = arena("run", write_plan(tmp_path, f"[{bot}, {FIRST}]"), env=os.environ | {"PATH": path})
    assert done.returncode == 0 and " 0 faults" in done.stdout, done.stderr


@pytest.mark.parametrize("sandbox", ["limits", pytest.param("bubblewrap", marks=pytest.mark.sandbox)])
def test_an_environment_that_a_plan_names_in_a_command(arena, tmp_path, sandbox):
    """A plan is the organiser's; its bot sees the environment, and no other files of the organiser."""
    environment(tmp_path / "environment")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "note").write_text("")
    (tmp_path / "entries").mkdir()
    (tmp_path / "entries" / "ann.py").write_text(PYTHON.format(path=SPY.format(folder=tmp_path)))
    bots = on_page("One environment for all entries", 2).removeprefix("bots:")
    plan = write_plan(tmp_path, f"{bots.rstrip()}\n  first: {FIRST}", f"sandbox: {sandbox}\n")
    done = arena("run", plan)
    assert done.returncode == 0 and " 0 faults" in done.stdout, done.stderr + done.stdout


@pytest.mark.skipif(not shutil.which("node"), reason="there is no node")
def test_node_modules(arena, tmp_path):
    bot = entry(tmp_path / "bot", on_page("JavaScript: node_modules"), bot_js=JAVASCRIPT)
    (bot / "node_modules" / "pick").mkdir(parents=True)
    (bot / "node_modules" / "pick" / "index.js").write_text("module.exports = (options) => options[0];\n")
    plays(arena, bot)


@pytest.mark.skipif(not shutil.which("jar"), reason="there is no JDK")
def test_jars(arena, tmp_path):
    bot = entry(tmp_path / "bot", on_page("Java: jars"), MyBot_java=JAVA)
    jar(bot / "lib")
    plays(arena, bot)


def test_a_library_that_the_bot_does_not_see_is_named(arena, tmp_path):
    bot = entry(tmp_path / "bot", "run: [python3, bot.py]\n", bot_py=PYTHON.format(path=""))
    done = arena("check", bot)
    assert done.returncode != 0
    assert "No module named 'pick'" in done.stdout + done.stderr
