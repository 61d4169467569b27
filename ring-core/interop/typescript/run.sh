#!/usr/bin/env bash
# Builds the TypeScript port into dist/ and runs its tests over the golden vectors, and over further files in the
# format of testdata/cases.json. With --build, builds only, and runs no test.
# The compiler comes from npm by the lock file, into node_modules/ beside this script.
# Exit codes: 0 all passed, 1 a test failed or did not build, 2 usage, 3 no Node.js, npm or compiler.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
for tool in node npm; do
  if ! command -v "$tool" >/dev/null 2>&1; then
    echo "typescript: no Node.js: $tool is not installed (16 or newer; Debian's packages are nodejs and npm)" >&2
    exit 3
  fi
done
case ${1:-} in
  --build) ;;
  -*) echo "usage: run.sh [--build | CASES.json...]" >&2; exit 2 ;;
esac
lock=$here/package-lock.json
installed=$here/node_modules/.package-lock.json # npm writes it last
if [ ! "$installed" -nt "$lock" ]; then
  (cd "$here" && npm ci --silent --no-audit --no-fund) || {
    echo "typescript: npm ci could not install the TypeScript compiler" >&2
    exit 3
  }
  touch "$installed"
fi
(cd "$here" && npm run --silent build) || exit 1
if [ "${1:-}" != --build ]; then
  exec node "$here/dist/test.js" "$here/../../testdata" "$@"
fi
