"""Switching the recording of operations on and off, per thread; follows torch/autograd/grad_mode.py."""

from __future__ import annotations

from functools import wraps

from flambeau import _C


class _Mode:
    """A context manager that also decorates functions and generators."""

    def __call__(self, function):
        if isinstance(function, type):
            raise TypeError(f"{type(self).__name__} can not decorate a class; decorate its methods")
        from inspect import isgeneratorfunction

        if isgeneratorfunction(function):
            return self._wrap_generator(function)

        @wraps(function)
        def decorated(*args, **kwargs):
            with self.clone():
                return function(*args, **kwargs)

        return decorated

    def _wrap_generator(self, function):
        @wraps(function)
        def decorated(*args, **kwargs):
            generator = function(*args, **kwargs)
            with self.clone():
                try:
                    value = next(generator)
                except StopIteration as stop:
                    return stop.value
            while True:
                try:
                    sent = yield value
                except GeneratorExit:
                    with self.clone():
                        generator.close()
                    raise
                except BaseException as error:
                    with self.clone():
                        value = generator.throw(error)
                else:
                    with self.clone():
                        try:
                            value = generator.send(sent)
                        except StopIteration as stop:
                            return stop.value

        return decorated

    def clone(self):
        return type(self)()


class no_grad(_Mode):
    """Operations inside are not recorded."""

    def __new__(cls, orig_func=None):
        self = object.__new__(cls)
        return self if orig_func is None else self(orig_func)

    def __init__(self, orig_func=None) -> None:
        self.prev = False

    def __enter__(self) -> None:
        self.prev = _C.is_grad_enabled()
        _C._set_grad_enabled(False)

    def __exit__(self, *exc) -> None:
        _C._set_grad_enabled(self.prev)


class enable_grad(_Mode):
    """Operations inside are recorded, also within no_grad."""

    def __new__(cls, orig_func=None):
        self = object.__new__(cls)
        return self if orig_func is None else self(orig_func)

    def __init__(self, orig_func=None) -> None:
        self.prev = False

    def __enter__(self) -> None:
        self.prev = _C.is_grad_enabled()
        _C._set_grad_enabled(True)

    def __exit__(self, *exc) -> None:
        _C._set_grad_enabled(self.prev)


class set_grad_enabled(_Mode):
    """Recording on or off at once; as a context manager, until the block ends."""

    def __init__(self, mode: bool) -> None:
        self.prev = _C.is_grad_enabled()
        self.mode = mode
        _C._set_grad_enabled(mode)

    def __call__(self, function):
        _C._set_grad_enabled(self.prev)
        return super().__call__(function)

    def __enter__(self) -> None:
        _C._set_grad_enabled(self.mode)

    def __exit__(self, *exc) -> None:
        _C._set_grad_enabled(self.prev)

    def clone(self):
        return set_grad_enabled(self.mode)


class inference_mode(_Mode):
    """Like no_grad; what is made inside can never take part in recording later."""

    def __new__(cls, mode=True):
        if isinstance(mode, bool):
            return object.__new__(cls)
        return cls()(mode)

    def __init__(self, mode=True) -> None:
        self.mode = mode if isinstance(mode, bool) else True

    def __enter__(self) -> None:
        self.prev = _C.is_inference_mode_enabled(), _C.is_grad_enabled()
        _C._set_inference_mode(self.mode)
        _C._set_grad_enabled(not self.mode)

    def __exit__(self, *exc) -> None:
        _C._set_inference_mode(self.prev[0])
        _C._set_grad_enabled(self.prev[1])

    def clone(self):
        return inference_mode(self.mode)
