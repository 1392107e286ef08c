"""Fails when the wheel is larger than its budget: python tools/check_wheel.py dist"""

import sys
import zipfile
from pathlib import Path

BUDGET = 2_000_000


def main() -> int:
    wheels = sorted(Path(sys.argv[1]).glob("flambeau-*.whl"), key=lambda path: path.stat().st_mtime)
    if not wheels:
        print("no wheel found")
        return 1
    wheel = wheels[-1]
    size = wheel.stat().st_size
    with zipfile.ZipFile(wheel) as archive:
        largest = sorted(archive.infolist(), key=lambda info: -info.compress_size)[:5]
        for info in largest:
            print(f"{info.compress_size:>9,}  {info.file_size:>9,}  {info.filename}")
    print(f"{wheel.name}: {size:,} bytes of {BUDGET:,}")
    return int(size > BUDGET)


if __name__ == "__main__":
    sys.exit(main())
