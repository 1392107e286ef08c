"""Finding the operation whose backward failed or made a NaN; follows torch/autograd/anomaly_mode.py."""

from __future__ import annotations

import warnings

from flambeau import _C

__all__ = ["detect_anomaly", "set_detect_anomaly"]


class detect_anomaly:
    """Inside, backward raises at the first gradient with a NaN and names its operation. Slow."""

    def __init__(self, check_nan: bool = True) -> None:
        self.prev = _C.is_anomaly_enabled()
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
            stacklevel=2,
        )

    def __enter__(self) -> None:
        _C._set_anomaly(True)

    def __exit__(self, *exc) -> None:
        _C._set_anomaly(self.prev)


class set_detect_anomaly:
    """Anomaly detection on or off; as a context manager, until the block ends."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.prev = _C.is_anomaly_enabled()
        _C._set_anomaly(mode)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc) -> None:
        _C._set_anomaly(self.prev)
