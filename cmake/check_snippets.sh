#!/usr/bin/env bash
# Checks that the code that documents and public headers show is that of the examples, which are built and run. Every paragraph of a
# ```cpp or ```c block, and every statement in the opening comment of a public header, has to stand in one of them, indentation aside.
#
#     check_snippets.sh
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

shopt -s nullglob
unindented() { sed -E 's/^[[:space:]]+//; s/[[:space:]]+$//' "$@"; }

examples=()
for example in examples/*.c examples/*.cpp; do examples+=("$(unindented "$example")"); done

failed=0 paragraphs=0
# Looks for a paragraph of a file in the examples.
expect() {
  local file=$1 paragraph=$2 example
  if [[ -z $paragraph ]]; then return; fi
  paragraphs=$((paragraphs + 1))
  for example in "${examples[@]}"; do
    if [[ $'\n'$example$'\n' == *$'\n'"$paragraph"$'\n'* ]]; then return; fi
  done
  printf '%s: expected this code in one of the examples, found it in none:\n%s\n\n' "$file" "$paragraph"
  failed=1
}

for document in README.md docs/*.md; do
  inside=no paragraph=''
  while IFS= read -r line; do
    case $inside:$line in
      no:'```cpp' | no:'```c') inside=yes ;;
      yes:'```')
        expect "$document" "$paragraph"
        inside=no paragraph=''
        ;;
      yes:)
        expect "$document" "$paragraph"
        paragraph=''
        ;;
      yes:*) paragraph+=${paragraph:+$'\n'}$line ;;
    esac
  done < <(unindented "$document")
done

for header in include/billow/*; do
  while IFS= read -r statement; do
    expect "$header" "$(unindented <<<"$statement")"
  done < <(sed -nE '/#ifndef|#pragma/q; s/^( \*|\/\/) {5}([^ ].*;.*)$/\2/p' "$header")
done

if ((paragraphs < 10)); then
  echo "expected blocks of code in README.md, docs/ and include/, found $paragraphs paragraphs"
  exit 1
fi
exit "$failed"
