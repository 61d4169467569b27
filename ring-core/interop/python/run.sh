#!/usr/bin/env bash
# Runs the Python port's tests over the golden vectors, and over further files in the format of testdata/cases.json.
# PYTHON names the interpreter (python3, 3.9 or newer). With --build no test is run: there is nothing to build.
# Exit codes: 0 all passed, 1 a test failed, 2 usage, 3 no interpreter.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' >/dev/null 2>&1; then
  echo "python: no Python 3.9 or newer: $python is not installed or too old (Debian's package is python3; PYTHON names another)" >&2
  exit 3
fi
case ${1:-} in
  --build) ;;
  -*) echo "usage: run.sh [--build | CASES.json...]" >&2; exit 2 ;;
  *) exec "$python" -B "$here/test_hash_ring.py" "$here/../../testdata" "$@" ;;
esac
