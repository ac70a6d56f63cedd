"""The build of a wheel that cannot be compiled: as Python, and complete. The compiled one: .ci/wheel."""

import os
import shutil
import subprocess
import sys
import zipfile

import pytest
from samples import CHECKOUT

from arena.programs.house import HOUSE_BOTS


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize(
    "environment",
    [{"ARENA_COMPILE": "0"}, {"CC": "no-such-compiler"}, {"CC": "false"}],
    ids=["turned off", "no compiler", "a compiler that fails"],
)
def test_a_wheel_that_cannot_be_compiled_has_the_same_modules_as_python(environment, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    for name in ("LICENSE", "README.md", "pyproject.toml", "setup.py"):
        shutil.copy(CHECKOUT / name, source)
    for name in ("arena", "bots", "tournaments"):
        shutil.copytree(CHECKOUT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "build"))
    build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-w", tmp_path]
    done = subprocess.run(
        [*build, source], env=os.environ | environment, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in done.stderr.lower()
    (wheel,) = tmp_path.glob("arena-*.whl")
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
    assert (copy / "tournaments" / "quickstart.yaml").is_file()
    assert (copy.parent / "go" / "bot.go").is_file()
    names = [f"house:{name}" for name in HOUSE_BOTS]
    code = "from pathlib import Path; from arena.programs.house import find_bot; "
    code += f"[find_bot(None, Path(name)) for name in {names}]"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path / "installed", check=True)
