#!/usr/bin/env bash
# Holds Rust and every port to the golden vectors and to the same random histories, those of testdata/histories.json:
# run_all.sh [--require]. With --seed S or --count N (how many histories) to those of another seed as well.
# A language whose tools are not installed is skipped by name; with --require that is a failure.
# Exit codes: 0 all passed, 1 a language failed or, with --require, is missing, 2 usage.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
languages=(rust python typescript cpp java)
require=0
more_asked=()
while [ $# -gt 0 ]; do
  case $1 in
    --require) require=1 ;;
    --seed | --count)
      if ! [[ ${2:-} =~ ^[0-9]+$ ]]; then echo "run_all.sh: $1 needs a number" >&2; exit 2; fi
      more_asked+=("$1" "$2")
      shift ;;
    *) echo "usage: run_all.sh [--require] [--seed S] [--count N]" >&2; exit 2 ;;
  esac
  shift
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
summary=()
status=0
histories=("$here/../testdata/histories.json")
if command -v "${PYTHON:-python3}" >/dev/null 2>&1; then
  # That the committed histories are what the generator makes, with answers from its own naive ring.
  echo "== histories"
  if "${PYTHON:-python3}" -B "$here/histories.py" --check; then
    summary+=("histories: as their generator makes them")
  else
    summary+=("histories: FAILED, testdata/histories.json is not what histories.py makes")
    status=1
  fi
  if [ ${#more_asked[@]} -gt 0 ]; then
    "${PYTHON:-python3}" -B "$here/histories.py" "${more_asked[@]}" --out "$scratch/histories.json" || exit 1
    histories+=("$scratch/histories.json")
    export RING_HISTORIES=$scratch/histories.json # for Rust
  fi
else
  summary+=("histories: SKIPPED, nothing was generated or checked, for Python 3 is not installed")
  if [ $require = 1 ] || [ ${#more_asked[@]} -gt 0 ]; then status=1; fi
fi

for language in "${languages[@]}"; do
  echo "== $language"
  "$here/$language/run.sh" "${histories[@]}"
  code=$?
  case $code in
    0) summary+=("$language: passed") ;;
    3)
      summary+=("$language: SKIPPED, its tools are not installed")
      if [ $require = 1 ]; then status=1; fi ;;
    *)
      summary+=("$language: FAILED, exit code $code")
      status=1 ;;
  esac
done
echo "== summary"
printf '%s\n' "${summary[@]}"
exit $status
