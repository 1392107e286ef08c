"""Named results, such as the values and indices of ``max``: tuples with names, as torch.return_types."""

from __future__ import annotations

from operator import itemgetter


def _repr(self) -> str:
    rows = ",\n".join(f"{name}={value!r}" for name, value in zip(self._fields, self))
    return f"torch.return_types.{type(self).__name__}(\n{rows})"


def _make(name: str, fields: list[str]) -> type:
    """The result type of one operator; made when it is first called."""
    namespace: dict[str, object] = {field: property(itemgetter(index)) for index, field in enumerate(fields)}
    namespace.update(__slots__=(), __repr__=_repr, _fields=tuple(fields), n_fields=len(fields), __module__=__name__)
    made = type(name, (tuple,), namespace)
    globals()[name] = made
    return made
