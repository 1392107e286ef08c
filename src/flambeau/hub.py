"""``torch.hub``: nothing is downloaded. Its folder is where PyTorch keeps it."""

from __future__ import annotations

from typing import Any, NoReturn

_folder: str | None = None


def get_dir() -> str:
    import os

    if _folder is not None:
        return _folder
    cache = os.environ.get("XDG_CACHE_HOME", os.path.join("~", ".cache"))
    home = os.environ.get("TORCH_HOME", os.path.join(cache, "torch"))
    return os.path.join(os.path.expanduser(home), "hub")


def set_dir(d: str) -> None:
    import os

    global _folder
    _folder = os.path.expanduser(d)


def _unsupported(name: str, instead: str) -> NoReturn:
    raise RuntimeError(f"torch.hub.{name} is not supported by flambeau: {instead}")


def load(repo_or_dir: Any, model: str, *args: Any, **kwargs: Any) -> NoReturn:
    _unsupported("load", "install the package the model comes from")


def load_state_dict_from_url(url: str, *args: Any, **kwargs: Any) -> NoReturn:
    _unsupported("load_state_dict_from_url", "download the file and use torch.load")


def download_url_to_file(url: str, dst: str, *args: Any, **kwargs: Any) -> NoReturn:
    _unsupported("download_url_to_file", "use urllib.request.urlretrieve")
