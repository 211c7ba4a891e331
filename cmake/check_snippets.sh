#!/usr/bin/env bash
# Checks that every block of C++ in docs/embedding.md stands, line by line, in one of the examples, which are built and run.
#
#     check_snippets.sh
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

document=docs/embedding.md
failed=0 blocks=0 block='' inside=no
while IFS= read -r line; do
  if [[ $inside == no && $line == '```cpp' ]]; then
    inside=yes block=''
  elif [[ $inside == yes && $line == '```' ]]; then
    inside=no blocks=$((blocks + 1)) found=no
    for example in examples/*.c examples/*.cpp; do
      if [[ $(<"$example") == *"$block"* ]]; then found=yes; fi
    done
    if [[ $found == no ]]; then
      printf '%s: expected this block in one of the examples, found it in none:\n%s\n' "$document" "$block"
      failed=1
    fi
  elif [[ $inside == yes ]]; then
    block+=$line$'\n'
  fi
done <"$document"
if ((blocks == 0)); then
  echo "$document: expected blocks of C++, found none"
  exit 1
fi
exit "$failed"
