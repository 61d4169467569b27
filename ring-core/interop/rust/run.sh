#!/usr/bin/env bash
# Runs what holds the Rust rings (both backends, and the reference ring of the tests) to the golden vectors and to
# testdata/histories.json. RING_HISTORIES names a further file of histories; arguments are not read, so that this
# script is called as its siblings are. Exit codes: 0 all passed, 1 a test failed or did not build, 3 no cargo.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v cargo >/dev/null 2>&1; then
  echo "rust: cargo is not installed (rustup installs it)" >&2
  exit 3
fi
cd "$here/../.." || exit 1
packages=(-p ring-core -p ring-sortedvec -p ring-btree)
output=$(cargo test "${packages[@]}" --test conformance --test golden -- golden:: _json 2>&1) || {
  echo "$output"
  exit 1
}
# What ran is counted, so that a filter that meets no test cannot pass.
counts=$(sed -n 's/^test result: ok\. \([0-9]*\) passed.*/\1/p' <<<"$output")
passed=$(awk '{ sum += $1 } END { print sum + 0 }' <<<"$counts")
readers=$(grep -c '^test golden::histories_json \.\.\. ok$' <<<"$output")
if [ "$readers" != 3 ]; then
  echo "$output"
  echo "rust: the histories were read by $readers rings, not by the three there are" >&2
  exit 1
fi
echo "rust: $passed passed, 0 failed: files of vectors and histories, for each of three rings"
