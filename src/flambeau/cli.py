"""The ``flambeau`` command.

``run`` executes a script with ``import torch`` meaning flambeau. The script sees what it would see
under plain ``python``: its own ``__main__``, ``sys.argv``, ``sys.path[0]``, and tracebacks that
begin in it.
"""

from __future__ import annotations

import sys
from types import CodeType, ModuleType
from typing import Any

_USAGE = """\
usage: flambeau run script.py [arguments]     run a PyTorch script on flambeau
       flambeau run -m module [arguments]     run a module
       flambeau run -c command [arguments]    run a line of Python
       flambeau parity [--steps N] ...         prove the bits against a run of PyTorch
       flambeau env                           describe this machine and build
       flambeau --version"""


def main() -> None:
    arguments = sys.argv[1:]
    command = arguments[0] if arguments else "--help"
    if command == "run" and len(arguments) > 1:
        _run(arguments[1:])
    elif command == "env" and len(arguments) == 1:
        _print_environment()
    elif command == "parity":
        from flambeau.parity import main as parity

        sys.exit(parity(arguments[1:]))
    elif command in ("-V", "--version"):
        from flambeau import version

        print(f"flambeau {version.flambeau} (PyTorch {version.__version__} interface)")
    elif command in ("-h", "--help"):
        print(_USAGE)
    else:
        print(_USAGE, file=sys.stderr)
        sys.exit(2)


def _run(arguments: list[str]) -> None:
    from flambeau._child_main import redirect
    from flambeau._install import install

    install()
    redirect()
    module = ModuleType("__main__")
    module.__builtins__ = __builtins__  # type: ignore[attr-defined]
    try:
        code = _prepare(module, arguments)
        sys.modules["__main__"] = module
        exec(code, vars(module))
    except SystemExit:
        raise
    except BaseException as error:
        _report(error)


def _prepare(module: ModuleType, arguments: list[str]) -> CodeType:
    """Sets up argv, path and the module's attributes as ``python`` does."""
    kind = arguments[0]
    if kind == "-m":
        return _prepare_module(module, arguments[1:])
    if kind == "-c":
        if len(arguments) < 2:
            _fail("argument expected for the -c option")
        sys.argv = ["-c", *arguments[2:]]
        _set_first_path("")
        return compile(arguments[1], "<string>", "exec")
    return _prepare_script(module, arguments)


def _prepare_script(module: ModuleType, arguments: list[str]) -> CodeType:
    import os
    from importlib.machinery import SourceFileLoader

    path = arguments[0]
    if os.path.isdir(path):
        _fail(f"can't find '__main__' module in {path!r}: give the script itself")
    try:
        with open(path, "rb") as file:
            source = file.read()
    except OSError as error:
        _fail(f"can't open file {os.path.abspath(path)!r}: [Errno {error.errno}] {error.strerror}")
    sys.argv = arguments
    _set_first_path(os.path.dirname(os.path.realpath(path)))
    # python makes __file__ absolute without tidying it up.
    module.__file__ = os.path.join(os.getcwd(), path)
    os.environ["FLAMBEAU_MAIN"] = f"script:{module.__file__}"
    module.__loader__ = SourceFileLoader("__main__", path)
    return compile(source, module.__file__, "exec")


def _prepare_module(module: ModuleType, arguments: list[str]) -> CodeType:
    import os
    from importlib.util import find_spec

    if not arguments:
        _fail("argument expected for the -m option")
    name = arguments[0]
    _set_first_path(os.getcwd())
    spec = _find(find_spec, name)
    if spec is not None and spec.submodule_search_locations is not None:
        spec = _find(find_spec, f"{name}.__main__")
    if spec is None or spec.loader is None:
        _fail(f"No module named {name}")
    code = spec.loader.get_code(spec.name)
    if code is None:
        _fail(f"No code object available for {name}")
    sys.argv = [spec.origin, *arguments[1:]]
    os.environ["FLAMBEAU_MAIN"] = f"module:{spec.name}"
    module.__spec__ = spec
    module.__file__ = spec.origin
    module.__loader__ = spec.loader
    module.__package__ = spec.parent
    return code


def _find(find_spec: Any, name: str) -> Any:
    try:
        return find_spec(name)
    except ModuleNotFoundError as error:
        _fail(f"Error while finding module specification for {name!r} ({error})")


def _set_first_path(folder: str) -> None:
    # With -P or PYTHONSAFEPATH python itself adds nothing.
    if getattr(sys.flags, "safe_path", False):
        return
    sys.path[0] = folder


def _report(error: BaseException) -> None:
    """Ends the process as an uncaught exception of the script does, without our own frames."""
    import os
    import signal

    traceback = error.__traceback__
    while traceback is not None and traceback.tb_frame.f_code.co_filename == __file__:
        traceback = traceback.tb_next
    sys.excepthook(type(error), error.with_traceback(traceback), traceback)
    if isinstance(error, KeyboardInterrupt):
        # A shell stops a loop only when the process dies of the signal.
        sys.stdout.flush()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    sys.exit(1)


def _fail(message: str) -> Any:
    print(f"{sys.executable}: {message}", file=sys.stderr)
    sys.exit(2)


def _print_environment() -> None:
    for name, value in _environment():
        print(f"{name + ':':<12}{value}")


def _environment() -> list[tuple[str, str]]:
    import os
    import platform

    import flambeau
    from flambeau import version

    facts = [
        ("flambeau", f"{version.flambeau}, PyTorch {version.__version__} interface"),
        ("python", f"{platform.python_version()} ({platform.python_implementation()})"),
        ("system", platform.platform()),
        ("processor", _processor()),
        ("cores", f"{os.cpu_count()}, {flambeau.get_num_threads()} threads in use"),
        ("numerics", _numerics()),
        ("build", _build()),
    ]
    names = ("FLAMBEAU_NUMERICS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    facts += [(name, os.environ[name]) for name in names if name in os.environ]
    return facts


def _processor() -> str:
    import platform

    try:
        with open("/proc/cpuinfo") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _numerics() -> str:
    """The order of operations in use, field by field."""
    from flambeau import _C

    fields = {name: value for name, value in _C._profile().items() if value is not False}
    return ", ".join(f"{name}={value}" for name, value in fields.items())


def _build() -> str:
    from flambeau import _C

    return f"{_C._isa()} kernels, {_C.__file__}"
