"""`flambeau run` and `install`: a script must not notice where its torch comes from."""

import os
import signal
import subprocess
import sys

import pytest

import flambeau

SOURCE = os.path.dirname(flambeau.__path__[0])
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join([SOURCE, os.environ.get("PYTHONPATH", "")]),
}


def python(*arguments, cwd=None):
    return subprocess.run([sys.executable, *arguments], cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True)


def flambeau_run(*arguments, cwd=None):
    return python("-m", "flambeau", "run", *arguments, cwd=cwd)


@pytest.fixture
def script(tmp_path):
    def write(text, name="script.py"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_torch_is_flambeau(script):
    path = script(
        """
import sys
import importlib.metadata
import torch, torch.nn as nn, torch.nn.functional as F
from torch import Tensor
from torch.utils.data import DataLoader
import flambeau
assert torch is flambeau and nn is flambeau.nn and F is flambeau.nn.functional
assert Tensor is flambeau.Tensor
assert sys.modules["torch.nn"] is flambeau.nn
assert importlib.metadata.version("torch") == "2.13.0"
assert flambeau.__spec__.name == "flambeau"
print("fine")
"""
    )
    done = flambeau_run(path)
    assert (done.stdout, done.stderr, done.returncode) == ("fine\n", "", 0)


FACTS = """
import sys, os
import helper
print(__name__, __file__, sys.argv, sys.path[0], __package__, __doc__)
print(__spec__ and __spec__.name, type(__loader__).__name__)
print(sys.modules["__main__"].__dict__ is globals())
"""


@pytest.mark.parametrize("form", ["absolute", "relative", "link", "module", "package", "command"])
def test_script_sees_what_python_shows_it(script, tmp_path, form):
    script("", "helper.py")
    path = script(FACTS)
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    arguments, cwd = [str(path)], folder
    if form == "relative":
        arguments = ["../script.py"]
    elif form == "link":
        (folder / "link.py").symlink_to(path)
        arguments = ["link.py"]
    elif form == "module":
        arguments, cwd = ["-m", "script"], tmp_path
    elif form == "package":
        (tmp_path / "package").mkdir()
        script("", "package/__init__.py")
        script(FACTS, "package/__main__.py")
        arguments, cwd = ["-m", "package"], tmp_path
    elif form == "command":
        arguments, cwd = ["-c", "import sys; print(sys.argv, sys.path[0], __name__)"], tmp_path
    arguments += ["a", "--run", "-m", "x y"]
    ours, theirs = flambeau_run(*arguments, cwd=cwd), python(*arguments, cwd=cwd)
    assert theirs.returncode == 0
    assert (ours.stdout, ours.stderr) == (theirs.stdout, theirs.stderr)


@pytest.mark.parametrize(
    "text",
    [
        "def f(): 1/0\ntry:\n    f()\nexcept ArithmeticError:\n    raise KeyError(1)",
        "def f(:\n",
        "import no_such_module",
        "raise SystemExit(3)",
        "import sys; sys.exit('message')",
        "import sys; sys.exit()",
        "assert 1 == 2, 'no'",
        "import atexit; atexit.register(print, 'bye'); 1/0",
        "import sys; sys.excepthook = lambda *e: print('hook', e[0]); 1/0",
        "raise ExceptionGroup('g', [ValueError(1)])" if sys.version_info >= (3, 11) else "1/0",
        "import threading; t = threading.Thread(target=print, args=('in thread',)); t.start(); 1/0",
    ],
)
def test_errors_look_as_under_python(script, text):
    path = script(text + "\n")
    ours, theirs = flambeau_run(path), python(path)
    assert ours.stderr == theirs.stderr
    assert (ours.stdout, ours.returncode) == (theirs.stdout, theirs.returncode)


def test_keyboard_interrupt_dies_of_the_signal(script):
    path = script("print('begun', flush=True)\nraise KeyboardInterrupt\n")
    done = flambeau_run(path)
    assert done.returncode == -signal.SIGINT and done.stdout == "begun\n"
    assert done.stderr.splitlines()[-1] == "KeyboardInterrupt"


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
@pytest.mark.parametrize("form", ["script", "module"])
def test_child_processes_find_torch_too(script, tmp_path, method, form):
    path = script(
        f"""
import multiprocessing
import torch

class Config:
    pass

def work(config):
    return torch.__name__, type(config).__module__

if __name__ == "__main__":
    with multiprocessing.get_context({method!r}).Pool(1) as pool:
        print(*pool.apply(work, (Config(),)))
"""
    )
    arguments = [path] if form == "script" else ["-m", "script"]
    done = flambeau_run(*arguments, cwd=tmp_path)
    main = "__main__" if method == "fork" else "__mp_main__"
    assert (done.stdout, done.stderr) == (f"flambeau {main}\n", "")


def test_the_safetensors_package(script, tmp_path):
    pytest.importorskip("safetensors")
    path = script(
        """
import torch
from safetensors.torch import load, load_file, save, save_file
tensors = {"a": torch.arange(6.0).reshape(2, 3), "b": torch.ones(2, dtype=torch.bfloat16), "e": torch.empty(0)}
save_file(tensors, "x.safetensors")
for result in (load_file("x.safetensors"), load(save(tensors)), torch.load("x.safetensors")):
    for name, tensor in tensors.items():
        assert result[name].dtype == tensor.dtype and result[name].tolist() == tensor.tolist()
"""
    )
    done = flambeau_run(path, cwd=tmp_path)
    assert (done.stderr, done.returncode) == ("", 0)


def test_no_such_script(tmp_path):
    for arguments in (["no.py"], ["-m", "no_such_module"]):
        ours, theirs = flambeau_run(*arguments, cwd=tmp_path), python(*arguments, cwd=tmp_path)
        assert ours.stderr.partition(": ")[2] == theirs.stderr.partition(": ")[2]
        assert ours.returncode != 0


def test_missing_names_are_named(script):
    path = script(
        """
import importlib.util
import torch, torch.cuda, torch.jit
for line in ["import torch.nope", "from torch import nope", "from torch.nope import x",
             "torch.nope", "torch.cuda.nope", "torch.jit.nope"]:
    try:
        exec(line)
    except (ImportError, AttributeError) as error:
        print(type(error).__name__, error)
assert importlib.util.find_spec("torch.nope") is None
assert importlib.util.find_spec("torch") is not None
assert importlib.util.find_spec("torch.cuda.amp") is not None
assert not hasattr(torch, "nope")
"""
    )
    done = flambeau_run(path)
    assert done.stderr == ""
    has_no = "flambeau has no 'torch.{}' (yet); docs/coverage.md lists what it has"
    assert done.stdout.splitlines() == [
        *["ModuleNotFoundError " + has_no.format("nope")] * 3,
        "AttributeError " + has_no.format("nope"),
        "AttributeError " + has_no.format("cuda.nope"),
        "AttributeError " + has_no.format("jit.nope"),
    ]


def test_install_refuses_when_torch_is_there(script, tmp_path):
    script("", "torch.py")
    path = script("import torch, flambeau\nflambeau.install()\n")
    done = python(path)
    assert "RuntimeError: flambeau.install: torch is already imported" in done.stderr


def test_install_twice():
    code = "import flambeau; flambeau.install(); flambeau.install(); import torch.cuda"
    done = python("-c", code + "; print(torch.cuda.__name__)")
    assert done.stdout == "flambeau.cuda\n", done.stderr


def test_version_and_usage():
    done = python("-m", "flambeau", "--version")
    assert done.stdout.startswith("flambeau ") and "2.13.0" in done.stdout
    done = python("-m", "flambeau", "nonsense")
    assert done.returncode == 2 and done.stderr.startswith("usage: flambeau run")


def test_env_describes_the_machine():
    done = python("-m", "flambeau", "env")
    assert done.returncode == 0, done.stderr
    names = [line.partition(":")[0] for line in done.stdout.splitlines()]
    assert names[:6] == ["flambeau", "python", "system", "processor", "cores", "numerics"]


def test_import_is_light():
    heavy = "pickle zipfile inspect platform dataclasses typing numpy importlib.metadata"
    code = f"import sys, flambeau; print(*[m for m in {heavy.split()!r} if m in sys.modules])"
    # -S keeps out what the installation itself imports at start.
    done = python("-S", "-c", code)
    assert (done.stdout, done.stderr) == ("\n", "")
