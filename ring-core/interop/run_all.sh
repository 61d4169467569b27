#!/usr/bin/env bash
# Holds every port to the golden vectors and to one set of random histories: run_all.sh [--require] [--seed S]
# [--count N] (how many histories). A language whose tools are not installed is skipped by name; with --require that
# is a failure. Exit codes: 0 all passed, 1 a language failed or, with --require, is missing, 2 usage.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
languages=(python typescript cpp java)
require=0
seed=1
count=60
while [ $# -gt 0 ]; do
  case $1 in
    --require) require=1 ;;
    --seed | --count)
      if ! [[ ${2:-} =~ ^[0-9]+$ ]]; then echo "run_all.sh: $1 needs a number" >&2; exit 2; fi
      if [ "$1" = --seed ]; then seed=$2; else count=$2; fi
      shift ;;
    *) echo "usage: run_all.sh [--require] [--seed S] [--count N]" >&2; exit 2 ;;
  esac
  shift
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
more=()
if command -v "${PYTHON:-python3}" >/dev/null 2>&1; then
  "${PYTHON:-python3}" -B "$here/histories.py" --seed "$seed" --count "$count" --out "$scratch/histories.json" || exit 1
  more=("$scratch/histories.json")
else
  echo "SKIPPED histories: they are made by Python 3, which is not installed"
fi

summary=()
status=0
for language in "${languages[@]}"; do
  echo "== $language"
  "$here/$language/run.sh" ${more[@]+"${more[@]}"}
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
if [ ${#more[@]} = 0 ]; then
  summary+=("histories: SKIPPED")
  if [ $require = 1 ]; then status=1; fi
fi
echo "== summary"
printf '%s\n' "${summary[@]}"
exit $status
