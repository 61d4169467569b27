#!/usr/bin/env bash
# Builds the Java port and runs its tests over the golden vectors, and over further files in the format of
# testdata/cases.json. INTEROP_BUILD names the folder to build in (the classes go to its java/).
# Exit codes: 0 all passed, 1 a test failed or did not build, 3 no JDK. With --build, builds only, and runs no test.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
for tool in javac java; do
  if ! command -v "$tool" >/dev/null 2>&1; then
    echo "java: no JDK: $tool is not installed (Java 11 or newer; Debian's package is default-jdk-headless)" >&2
    exit 3
  fi
done
case ${1:-} in
  --build) ;;
  -*) echo "usage: run.sh [--build | CASES.json...]" >&2; exit 2 ;;
esac
if [ -n "${INTEROP_BUILD:-}" ]; then
  build=$INTEROP_BUILD/java
  mkdir -p "$build"
elif [ "${1:-}" = --build ]; then
  echo "java: --build needs INTEROP_BUILD, the folder to build in" >&2
  exit 2
else
  build=$(mktemp -d)
  trap 'rm -rf "$build"' EXIT
fi
javac --release 11 -encoding UTF-8 -Xlint:all -Werror -d "$build" "$here"/*.java || exit 1
if [ "${1:-}" != --build ]; then
  java -cp "$build" HashRingTest "$here/../../testdata" "$@"
fi
