#!/usr/bin/env bash
# Builds the C++ port and runs its tests over the golden vectors, and over further files in the format of
# testdata/cases.json. CXX names the compiler (g++), INTEROP_BUILD the folder to build in.
# Exit codes: 0 all passed, 1 a test failed or did not build, 3 no compiler. With --sanitize, under
# AddressSanitizer and UndefinedBehaviorSanitizer. With --build, builds the command `route` only, and no test.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cxx=${CXX:-g++}
if ! command -v "$cxx" >/dev/null 2>&1; then
  echo "cpp: no C++ compiler: $cxx is not installed (Debian's package is g++; CXX names another)" >&2
  exit 3
fi
flags=(-std=c++17 -O3 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror)
case ${1:-} in
  --sanitize) flags+=(-g -fsanitize=address,undefined -fno-sanitize-recover=all) ;;
  -*)
    if [ "$1" != --build ]; then echo "usage: run.sh [--build | [--sanitize] CASES.json...]" >&2; exit 2; fi ;;
esac
if [ -n "${INTEROP_BUILD:-}" ]; then
  build=$INTEROP_BUILD/cpp
  mkdir -p "$build"
elif [ "${1:-}" = --build ]; then
  echo "cpp: --build needs INTEROP_BUILD, the folder to build in" >&2
  exit 2
else
  build=$(mktemp -d)
  trap 'rm -rf "$build"' EXIT
fi
"$cxx" "${flags[@]}" "$here/route.cpp" -o "$build/route" || exit 1
if [ "${1:-}" != --build ]; then
  "$cxx" "${flags[@]}" "$here/test.cpp" -o "$build/test" || exit 1
  if [ "${1:-}" = --sanitize ]; then shift; fi
  "$build/test" "$here/../../testdata" "$@"
fi
