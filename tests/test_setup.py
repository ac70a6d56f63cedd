"""The build of a wheel that is not compiled: as Python, and complete. The compiled one: .ci/wheel."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from samples import CHECKOUT

from arena.programs.house import HOUSE_BOTS


def _build(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Build a wheel in a folder, with the packages of this environment."""
    source = folder / "source"
    source.mkdir()
    for name in ("LICENSE", "README.md", "pyproject.toml", "setup.py"):
        shutil.copy(CHECKOUT / name, source)
    for name in ("arena", "bots", "tournaments"):
        shutil.copytree(CHECKOUT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "build"))
    build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-w", folder, source]
    variables = {key: value for key, value in os.environ.items() if key != "ARENA_COMPILE"} | environment
    return subprocess.run(build, env=variables, capture_output=True, text=True, timeout=900)


@pytest.mark.slow
def test_a_wheel_that_cannot_be_compiled_as_asked_is_not_built(tmp_path):
    done = _build(tmp_path, ARENA_COMPILE="1", CC="no-such-compiler")
    assert done.returncode != 0 and not [*tmp_path.glob("*.whl")]
    assert (
        "arena: ARENA_COMPILE=1 was asked for, but the C compiler 'no-such-compiler' is not found"
        in done.stdout + done.stderr
    )


@pytest.mark.slow
def test_a_wheel_is_not_compiled_if_that_is_not_asked_and_has_the_same_modules_as_python(tmp_path):
    done = _build(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in done.stderr.lower()
    (wheel,) = tmp_path.glob("bot_arena-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path / "installed")
    assert not any(name.endswith((".so", ".pyd")) for name in names)
    code = "import arena.rules.match as m; print(m.__file__)"
    found = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path / 'installed')!r}); {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.startswith(str(tmp_path)) and found.stdout.strip().endswith(".py")
    copy = tmp_path / "installed" / "arena" / "programs" / "kits" / "checkout"
    for name in ("quickstart.yaml", "quickstart.jsonl.gz"):
        assert (copy / "tournaments" / name).is_file()
    assert {each.name for each in (copy / "bots" / "pools").iterdir()} == {
        "house-2026.zip",
        "house-2026.sha256",
    }
    assert (copy.parent / "go" / "bot.go").is_file()
    names = [f"house:{name}" for name in HOUSE_BOTS]
    code = "from pathlib import Path; from arena.programs.reading import read_bot; "
    code += f"[read_bot(Path(name)) for name in {names}]"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path / "installed", check=True)
