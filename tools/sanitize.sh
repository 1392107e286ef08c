#!/usr/bin/env bash
# Builds the core with AddressSanitizer and UndefinedBehaviorSanitizer and runs the tests on it.
# Leaks are not looked for: the interpreter keeps objects to the end. tests/test_memory.py measures growth instead, and
# is left out here, where freed blocks are kept on purpose.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=${VENV:-.venv}
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
python="$PWD/$venv/bin/python"
"$python" -m pip install -q cmake ninja nanobind 'pytest>=8' pytest-timeout 'hypothesis>=6' 'numpy>=1.26' safetensors
tree=build/sanitize
rm -rf "$tree/package"
"$venv/bin/cmake" -S . -B "$tree" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DFLAMBEAU_SANITIZE=ON "-DFLAMBEAU_ISAS=v3" \
  "-DCMAKE_MAKE_PROGRAM=$PWD/$venv/bin/ninja" "-DPython_EXECUTABLE=$python" >/dev/null
"$venv/bin/cmake" --build "$tree" -j "$(nproc)"
mkdir -p "$tree/package"
cp -r src/flambeau "$tree/package/"
rm -f "$tree"/package/flambeau/_C*.so
cp "$tree"/_C*.so "$tree/package/flambeau/"
compiler=${CXX:-g++}
preload="$("$compiler" -print-file-name=libasan.so) $("$compiler" -print-file-name=libubsan.so) $("$compiler" -print-file-name=libstdc++.so)"
# Without the interpreter's own pools every object is a block that the sanitizer sees.
LD_PRELOAD="$preload" PYTHONMALLOC=malloc PYTHONPATH="$tree/package" \
  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
  "$python" -m pytest tests --ignore=tests/live --ignore=tests/test_memory.py -q -p no:cacheprovider "$@"
