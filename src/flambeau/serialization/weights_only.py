"""Unpickling that builds tensors and plain containers and can do nothing else.

Follows PyTorch's torch/_weights_only_unpickler.py: a pickle machine of our own that knows the
instructions such files need. A name in the file is looked up in a table, never imported. Only
entries of the table that build data may be called.

PyTorch lets the exceptions of a damaged pickle through as they come (KeyError, IndexError, ...);
here they are all UnpicklingError. Tuples nested so deeply that hashing them would exhaust the
stack are refused, and so is everything that makes large objects from a small file.
"""

from __future__ import annotations

import pickle
import struct
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable
from pickle import UnpicklingError
from typing import Any

from flambeau import _utils, storage

from . import names

# Never allowed, even when a user lists a function from them.
_BLOCKED_MODULES = {"sys", "os", "posix", "nt"}
# Limits on a tuple used as a key: hashing walks it recursively in C.
_MAX_KEY_DEPTH, _MAX_KEY_PARTS = 50, 10_000

_user_globals: dict[Any, None] = {}


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Lets files name these functions and classes (or pairs of one and its full name)."""
    _user_globals.update(dict.fromkeys(safe_globals))


def get_safe_globals() -> list[Any]:
    return list(_user_globals)


def clear_safe_globals() -> None:
    _user_globals.clear()


class safe_globals:
    """``with safe_globals([MyClass]): load(...)``"""

    def __init__(self, safe_globals: list[Any]) -> None:
        self._added = [item for item in safe_globals if item not in _user_globals]

    def __enter__(self) -> None:
        add_safe_globals(self._added)

    def __exit__(self, *exception: object) -> None:
        for item in self._added:
            _user_globals.pop(item, None)


def _user_table() -> dict[str, Any]:
    table = {}
    for item in _user_globals:
        if isinstance(item, tuple):
            if len(item) != 2:
                raise ValueError(
                    "Expected tuple of length 2 (global, str of callable full path), but got "
                    f"tuple of length: {len(item)}"
                )
            item, path = item
            if type(path) is not str:
                raise TypeError(f"Expected second item in tuple to be str of callable full path, but got: {type(path)}")
        else:
            path = f"{names.to_torch(item.__module__)}.{item.__qualname__}"
        table[path] = item
    return table


def _latin1(text: str, encoding: str) -> bytes:
    """How protocol 2 spells bytes. Other encodings would run codecs of the file's choice."""
    if encoding not in ("latin1", "latin-1"):
        raise UnpicklingError(f"bytes in the encoding {encoding!r} are not supported")
    return text.encode("latin-1")


def _bytearray(data: Any = b"", encoding: str = "latin-1") -> bytearray:
    """Not ``bytearray(10**12)``."""
    return bytearray(_latin1(data, encoding) if isinstance(data, str) else memoryview(data))


def _set(items: Iterable[Any] = ()) -> set[Any]:
    return set(map(_check_key, items))


def _counter(items: Any = ()) -> Counter[Any]:
    return Counter(items if isinstance(items, dict) else map(_check_key, items))


def _ordered_dict(items: Any = ()) -> OrderedDict[Any, Any]:
    result: OrderedDict[Any, Any] = OrderedDict()
    for key, value in items.items() if isinstance(items, dict) else items:
        result[_check_key(key)] = value
    return result


def _get_layout(name: str) -> Any:
    """``torch.strided`` and its like are pickled by name."""
    import flambeau

    layout = getattr(flambeau, name.removeprefix("torch."), None)
    if not isinstance(layout, flambeau.layout):
        raise UnpicklingError(f"{name!r} is not a layout")
    return layout


_get_layout.__module__ = "flambeau.serialization"


def _builders() -> dict[str, Callable[..., Any]]:
    """What a file may call, by the name it has there."""
    import flambeau

    table: dict[str, Callable[..., Any]] = {
        "collections.OrderedDict": _ordered_dict,
        "collections.Counter": _counter,
        "torch.serialization._get_layout": _get_layout,
        "torch.Size": flambeau.Size,
        "torch.device": flambeau.device,
        "_codecs.encode": _latin1,
        "builtins.bytearray": _bytearray,
        "builtins.set": _set,
        "builtins.complex": complex,
        "torch._tensor._rebuild_from_type_v2": _utils._rebuild_from_type_v2,
    }
    for function in (
        _utils._rebuild_parameter,
        _utils._rebuild_parameter_with_state,
        _utils._rebuild_tensor,
        _utils._rebuild_tensor_v2,
        _utils._rebuild_tensor_v3,
    ):
        table[f"torch._utils.{function.__name__}"] = function
    return table


def _values() -> dict[str, Any]:
    """What a file may mention: dtypes, storage classes, and the two classes of tensors."""
    import flambeau
    from flambeau.nn.parameter import Parameter

    table: dict[str, Any] = {
        f"torch.{name}": value for name, value in vars(flambeau).items() if isinstance(value, flambeau.dtype)
    }
    for name in storage._DTYPE_NAMES:
        table[f"torch.{name}"] = storage.class_named(name)
    for module in ("torch", "torch.storage"):
        for name in ("TypedStorage", "UntypedStorage"):
            table[f"{module}.{name}"] = storage.class_named(name)
    table["torch.Tensor"] = table["torch._tensor.Tensor"] = flambeau.Tensor
    table["torch.nn.parameter.Parameter"] = Parameter
    return table


def _check_key(key: Any) -> Any:
    """`key`, unless hashing it could exhaust the stack or never end."""
    if type(key) not in (tuple, frozenset):
        return key
    parts = 0
    waiting = [(key, 1)]
    while waiting:
        item, depth = waiting.pop()
        parts += 1
        if depth > _MAX_KEY_DEPTH or parts > _MAX_KEY_PARTS:
            raise UnpicklingError("a key is nested too deeply")
        waiting.extend((part, depth + 1) for part in item if type(part) in (tuple, frozenset))
    return key


class Unpickler:
    """Reads one pickle from `file`; set `persistent_load` to resolve storages."""

    def __init__(self, file: Any, *, encoding: str = "bytes") -> None:
        self._file = file
        self._encoding = encoding
        self._builders = _builders()
        self._user = _user_table()
        self._globals = {**_values(), **self._user, **self._builders}
        self._callable = {id(item) for item in (*self._builders.values(), *self._user.values())}

    def persistent_load(self, pid: Any) -> Any:
        raise UnpicklingError("unsupported persistent id encountered")

    def load(self) -> Any:
        self._stack: list[Any] = []
        self._marks: list[list[Any]] = []
        self._memo: dict[int, Any] = {}
        code = self._file.read(1)
        if not code:
            raise EOFError("Ran out of input")
        try:
            while code != pickle.STOP:
                instruction = _INSTRUCTIONS.get(code)
                if instruction is None:
                    # PyTorch has no counterpart for most of them either.
                    raise UnpicklingError(f"Unsupported operand {code[0]}")
                instruction(self)
                code = self._read(1)
            return self._stack.pop()
        except (UnpicklingError, RuntimeError, OSError, MemoryError):
            raise
        except Exception as error:
            # Whatever a damaged pickle makes go wrong: an empty stack, a missing memo, ...
            message = f"the pickle is malformed ({type(error).__name__}: {error})"
            raise UnpicklingError(message) from error

    def _read(self, size: int) -> bytes:
        data = self._file.read(size)
        if len(data) != size:
            raise UnpicklingError("pickle data was truncated")
        return data

    def _line(self) -> str:
        line = self._file.readline()
        if not line.endswith(b"\n"):
            raise UnpicklingError("pickle data was truncated")
        return line[:-1].decode("utf-8")

    def _number(self, layout: str) -> Any:
        return struct.unpack(layout, self._read(struct.calcsize(layout)))[0]

    def _push(self, value: Any) -> None:
        self._stack.append(value)

    def _pop_mark(self) -> list[Any]:
        items = self._stack
        self._stack = self._marks.pop()
        return items

    # Names and calls

    def _find(self, module: str, name: str) -> Any:
        from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING

        # Protocol 2 has Python 2's names.
        module, name = NAME_MAPPING.get((module, name), (IMPORT_MAPPING.get(module, module), name))
        path = f"{names.to_torch(module)}.{name}"
        if module in _BLOCKED_MODULES:
            raise UnpicklingError(f"Trying to load unsupported GLOBAL {path} whose module {module} is blocked.")
        try:
            return self._globals[path]
        except KeyError:
            path = path.removeprefix("builtins.")
            raise UnpicklingError(
                f"Unsupported global: GLOBAL {path} was not an allowed global by default. Please "
                f"use `torch.serialization.add_safe_globals([{path}])` or the "
                f"`torch.serialization.safe_globals([{path}])` context manager to allowlist this "
                "global if you trust this class/function."
            ) from None

    def _global(self) -> None:
        self._push(self._find(self._line(), self._line()))

    def _stack_global(self) -> None:
        name, module = self._stack.pop(), self._stack.pop()
        if type(name) is not str or type(module) is not str:
            raise UnpicklingError("STACK_GLOBAL requires str")
        self._push(self._find(module, name))

    def _reduce(self) -> None:
        arguments = self._stack.pop()
        function = self._stack[-1]
        if id(function) not in self._callable:
            raise UnpicklingError(f"Trying to call reduce for unrecognized function {function}")
        self._stack[-1] = function(*arguments)

    def _new_object(self) -> None:
        from flambeau.nn.parameter import Parameter

        arguments, cls = self._stack.pop(), self._stack.pop()
        if cls is Parameter or cls is _ordered_dict or cls is _counter:
            self._push(cls(*arguments))
        elif any(cls is item for item in self._user.values()):
            self._push(cls.__new__(cls, *arguments))
        else:
            raise UnpicklingError(
                "Can only create new object for nn.Parameter or classes allowlisted via "
                f"`add_safe_globals` but got {cls}"
            )

    def _build(self) -> None:
        state, target = self._stack.pop(), self._stack[-1]
        if type(target) is OrderedDict:
            vars(target).update(state)
        elif any(type(target) is item for item in self._user.values()):
            _set_state(target, state)
        else:
            raise UnpicklingError(
                "Can only build Tensor, Parameter, OrderedDict or types allowlisted via "
                f"`add_safe_globals`, but got {type(target)}"
            )

    def _persistent(self) -> None:
        pid = self._stack.pop()
        if type(pid) not in (tuple, int):
            raise UnpicklingError(f"persistent_load id must be tuple or int, but got {type(pid)}")
        if type(pid) is tuple and pid[:1] not in (("storage",), (b"storage",)):
            raise UnpicklingError(f"Only persistent_load of storage is allowed, but got {type(pid[0])}")
        self._push(self.persistent_load(pid))

    # Containers

    def _mark(self) -> None:
        self._marks.append(self._stack)
        self._stack = []

    def _append(self) -> None:
        item = self._stack.pop()
        self._list().append(item)

    def _appends(self) -> None:
        items = self._pop_mark()
        self._list().extend(items)

    def _list(self) -> list[Any]:
        target = self._stack[-1]
        if type(target) is not list:
            raise UnpicklingError(f"Can only append to lists, but got {type(target)}")
        return target

    def _set_item(self) -> None:
        value, key = self._stack.pop(), self._stack.pop()
        self._dict("SETITEM")[_check_key(key)] = value

    def _set_items(self) -> None:
        items = self._pop_mark()
        target = self._dict("SETITEMS")
        for key, value in zip(items[::2], items[1::2]):
            target[_check_key(key)] = value

    def _dict(self, instruction: str) -> Any:
        target = self._stack[-1]
        if type(target) not in (dict, OrderedDict, Counter):
            raise UnpicklingError(
                f"Can only {instruction} for dict, collections.OrderedDict, collections.Counter, but got {type(target)}"
            )
        return target

    def _tuple_of(self, count: int) -> None:
        if len(self._stack) < count:
            raise UnpicklingError("pickle stack underflow")
        self._stack[-count:] = [tuple(self._stack[-count:])]

    # The memo

    def _get(self, index: int) -> None:
        self._push(self._memo[index])

    def _put(self, index: int) -> None:
        self._memo[index] = self._stack[-1]

    # Data

    def _text(self, size: int) -> None:
        self._push(self._read(size).decode("utf-8", "surrogatepass"))

    def _old_text(self, size: int) -> None:
        data = self._read(size)
        self._push(data if self._encoding == "bytes" else data.decode(self._encoding))

    def _bytes(self, size: int) -> None:
        self._push(self._read(size))

    def _long(self, size: int) -> None:
        self._push(int.from_bytes(self._read(size), "little", signed=True))

    def _skip(self, size: int) -> None:
        self._read(size)


def _set_state(target: Any, state: Any) -> None:
    """What pickle does with the state of an object."""
    if hasattr(target, "__setstate__"):
        target.__setstate__(state)
        return
    slots = None
    if isinstance(state, tuple) and len(state) == 2:
        state, slots = state
    if state:
        vars(target).update(state)
    for name, value in (slots or {}).items():
        setattr(target, name, value)


_INSTRUCTIONS: dict[bytes, Callable[[Unpickler], None]] = {
    pickle.PROTO: lambda self: self._skip(1),
    pickle.FRAME: lambda self: self._skip(8),
    pickle.GLOBAL: Unpickler._global,
    pickle.STACK_GLOBAL: Unpickler._stack_global,
    pickle.REDUCE: Unpickler._reduce,
    pickle.NEWOBJ: Unpickler._new_object,
    pickle.BUILD: Unpickler._build,
    pickle.BINPERSID: Unpickler._persistent,
    pickle.MARK: Unpickler._mark,
    pickle.APPEND: Unpickler._append,
    pickle.APPENDS: Unpickler._appends,
    pickle.SETITEM: Unpickler._set_item,
    pickle.SETITEMS: Unpickler._set_items,
    pickle.TUPLE: lambda self: self._push(tuple(self._pop_mark())),
    pickle.TUPLE1: lambda self: self._tuple_of(1),
    pickle.TUPLE2: lambda self: self._tuple_of(2),
    pickle.TUPLE3: lambda self: self._tuple_of(3),
    pickle.EMPTY_TUPLE: lambda self: self._push(()),
    pickle.EMPTY_LIST: lambda self: self._push([]),
    pickle.EMPTY_DICT: lambda self: self._push({}),
    pickle.EMPTY_SET: lambda self: self._push(set()),
    pickle.NONE: lambda self: self._push(None),
    pickle.NEWFALSE: lambda self: self._push(False),
    pickle.NEWTRUE: lambda self: self._push(True),
    pickle.BININT: lambda self: self._push(self._number("<i")),
    pickle.BININT1: lambda self: self._push(self._number("<B")),
    pickle.BININT2: lambda self: self._push(self._number("<H")),
    pickle.LONG1: lambda self: self._long(self._number("<B")),
    pickle.BINFLOAT: lambda self: self._push(self._number(">d")),
    pickle.BINUNICODE: lambda self: self._text(self._number("<I")),
    pickle.SHORT_BINUNICODE: lambda self: self._text(self._number("<B")),
    pickle.SHORT_BINSTRING: lambda self: self._old_text(self._number("<B")),
    pickle.BINBYTES: lambda self: self._bytes(self._number("<I")),
    pickle.SHORT_BINBYTES: lambda self: self._bytes(self._number("<B")),
    pickle.BINGET: lambda self: self._get(self._number("<B")),
    pickle.LONG_BINGET: lambda self: self._get(self._number("<I")),
    pickle.BINPUT: lambda self: self._put(self._number("<B")),
    pickle.LONG_BINPUT: lambda self: self._put(self._number("<I")),
    pickle.MEMOIZE: lambda self: self._put(len(self._memo)),
}


def load(file: Any, *, encoding: str = "ASCII") -> Any:
    return Unpickler(file, encoding=encoding).load()


def globals_in(data: bytes) -> list[str]:
    """Every name a pickle mentions, without building anything."""
    import pickletools
    from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING

    found: dict[str, None] = {}
    strings: list[str] = []
    try:
        for instruction, argument, _ in pickletools.genops(data):
            if isinstance(argument, str) and "UNICODE" in instruction.name:
                strings.append(argument)
                continue
            if instruction.name == "GLOBAL":
                module, _, name = str(argument).partition(" ")
            elif instruction.name == "STACK_GLOBAL":
                module, name = strings[-2:]
            else:
                continue
            module, name = NAME_MAPPING.get((module, name), (IMPORT_MAPPING.get(module, module), name))
            found[f"{names.to_torch(module)}.{name}"] = None
    except Exception as error:
        raise UnpicklingError(f"the pickle is malformed ({error})") from error
    return list(found)


def unsafe_globals_in(data: bytes) -> list[str]:
    allowed = {**_builders(), **_values(), **_user_table()}
    return [name for name in globals_in(data) if name not in allowed]
