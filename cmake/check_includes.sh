#!/usr/bin/env bash
# Checks that dependencies point one way.
#
#     check_includes.sh [ROOT]        check the tree at ROOT (default: this repository)
#     check_includes.sh --self-test   check the checker on small good and bad trees
#
# Prints one FILE:LINE: REASON for each include that breaks a rule, and exits 1 if there is any.
#
#   1. A file in src/X includes X itself and the folders before X in `order`.
#   2. The public headers are known to src/runtime and src/api only.
#   3. src never includes what is built on top of it: `above`.
#   4. A public header includes the standard library and other public headers, nothing else.
#   5. Paths start at src/, at include/ or beside the file; never with "..".
#   6. Outside src and include: only research/ itself, tests/ and the main.cpp of a program include research/.
set -euo pipefail

order=(core sdf rope net decode asset runtime api)
public_from=(runtime api)
above=(offline tools research scenes tests bench examples viewer fuzz)
product=(offline tools scenes bench examples viewer fuzz)
registration=(tools/billow/main.cpp tools/train/main.cpp)

standard_headers='
assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h locale.h math.h setjmp.h
signal.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h string.h
tgmath.h threads.h time.h uchar.h wchar.h wctype.h
cassert cctype cerrno cfenv cfloat cinttypes climits clocale cmath csetjmp csignal cstdarg cstddef cstdint
cstdio cstdlib cstring ctime cuchar cwchar cwctype
algorithm any array atomic barrier bit bitset charconv chrono codecvt compare complex concepts
condition_variable coroutine deque exception execution filesystem format forward_list fstream functional
future initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map memory
memory_resource mutex new numbers numeric optional ostream queue random ranges ratio regex scoped_allocator
semaphore set shared_mutex source_location span sstream stack stdexcept stop_token streambuf string
string_view syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set
utility valarray variant vector version
'

# True if WORD is one of the words after it.
is_one_of() {
  local word=$1 other
  shift
  for other in "$@"; do
    if [[ $word == "$other" ]]; then return 0; fi
  done
  return 1
}

# The place of FOLDER in `order`; fails when it has none.
rank() {
  local i
  for i in "${!order[@]}"; do
    if [[ ${order[i]} == "$1" ]]; then echo "$i" && return 0; fi
  done
  return 1
}

# Each judge_* prints why FILE may not include PATH, or nothing. STYLE is the opening < or ".

judge_public_header() {
  local file=$1 style=$2 path=$3
  if [[ $path == billow/* && -f include/$path ]]; then return; fi
  if [[ $style == '"' && -f $(dirname "$file")/$path ]]; then return; fi
  # shellcheck disable=SC2086  # a list of words
  if [[ $style == '<' ]] && is_one_of "$path" $standard_headers; then return; fi
  echo "a public header includes only the standard library and other public headers, not $path"
}

judge_source() {
  local file=$1 style=$2 path=$3
  local folder=${file#src/} target=${path%%/*}
  folder=${folder%%/*}

  # Name the folder the path leads to: beside the file, or the first part of the path.
  if [[ $style == '"' && -f $(dirname "$file")/$path ]]; then target=$folder; fi

  if [[ $target == billow ]]; then
    if ! is_one_of "$folder" "${public_from[@]}"; then
      echo "src/$folder does not know the public headers ($path)"
    fi
  elif is_one_of "$target" "${above[@]}" && [[ $path == */* ]]; then
    echo "src is below $target and does not include $path"
  elif rank "$target" >/dev/null && [[ $target != "$folder" && ($path == */* || $style == '"') ]]; then
    if (($(rank "$target") > $(rank "$folder"))); then
      echo "src/$folder comes before src/$target and does not include $path"
    fi
  elif [[ $style == '"' && $target != "$folder" ]]; then
    echo "$path is neither beside this file nor in a folder of src"
  fi
}

judge() {
  local file=$1 style=$2 path=$3
  if [[ "/$path/" == */../* ]]; then
    echo "$path goes up with \"..\"; start at src/ or include/"
  elif [[ $file == include/* ]]; then
    judge_public_header "$file" "$style" "$path"
  else
    judge_source "$file" "$style" "$path"
  fi
}

# Checks that the product outside of src and include, which are checked in full, does not know of research.
check_research() {
  local failed=0 folder file number line folders=()
  for folder in "${product[@]}"; do
    if [[ -d $folder ]]; then folders+=("$folder"); fi
  done
  if ((${#folders[@]} == 0)); then return; fi
  while IFS=: read -r file number line; do
    if is_one_of "$file" "${registration[@]}"; then continue; fi
    echo "$file:$number: only tests and the main.cpp of a program know of research"
    failed=1
  done < <(grep -rnE --exclude-dir=node_modules --include=*.{h,hpp,inl,c,cpp,cu,cuh} \
    '^[[:space:]]*#[[:space:]]*include.*[<"/]research/' "${folders[@]}" | LC_ALL=C sort)
  return "$failed"
}

# Checks the tree in the working directory.
check_tree() {
  local failed=0 file folder number line reason
  check_research || failed=1
  local include='^[[:space:]]*#[[:space:]]*include[[:space:]]*([<"])([^">]+)[">]'

  while IFS= read -r file; do
    # Find the file's folder in the order.
    if [[ $file == src/* ]]; then
      folder=${file#src/}
      folder=${folder%%/*}
      if ! rank "$folder" >/dev/null; then
        echo "$file:1: src/$folder has no place in the order of cmake/check_includes.sh: ${order[*]}"
        failed=1
        continue
      fi
    fi

    # Judge each of its includes.
    while IFS=: read -r number line; do
      if [[ $line =~ $include ]]; then
        reason=$(judge "$file" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}")
      else
        reason="write the path of an include out, so that it can be checked"
      fi
      if [[ -n $reason ]]; then
        echo "$file:$number: $reason"
        failed=1
      fi
    done < <(grep -nE '^[[:space:]]*#[[:space:]]*include([^_[:alnum:]]|$)' "$file" || true)
  done < <(find src include -type f | grep -E '\.(h|hpp|inl|c|cpp)$' | LC_ALL=C sort)
  return "$failed"
}

# Lays out a tree that keeps every rule, in the working directory.
make_good_tree() {
  mkdir -p include/billow src/core/detail src/sdf src/rope src/runtime src/api offline/learn research/gru tests tools/billow
  printf '#include <stdint.h>\n' >include/billow/billow.h
  printf '#include <span>\n#include "billow/billow.h"\n#include <billow/billow.h>\n' >include/billow/billow.hpp
  printf '#include <arm_neon.h>\n#include "detail/lanes.h"\n' >src/core/simd.h
  printf '#pragma once\n' >src/core/detail/lanes.h
  printf '#include "core/simd.h"\n' >src/sdf/shapes.h
  printf '#include <cmath>\n#include "core/simd.h"\n#include "sdf/shapes.h"\n' >src/rope/move.cpp
  printf '#include "billow/billow.h"\n#include "sdf/shapes.h"\n' >src/runtime/step.h
  printf '#include <billow/billow.h>\n#include "runtime/step.h"\n' >src/api/chains.cpp
  printf '#include <Eigen/Core>\n#include "core/simd.h"\n' >offline/learn/frames.h
  printf '#include "learn/frames.h"\n' >research/gru/gru.h
  printf '#include "research/gru/gru.h"\n' >tools/billow/main.cpp
  printf '#include "research/gru/gru.h"\n' >tests/gru_test.cpp
}

# Puts each bad line, one at a time, into an otherwise good tree and expects it to be the one report.
self_test() {
  local tree found case file line failed=0
  tree=$(mktemp -d)
  # shellcheck disable=SC2064  # expand now: the variable is gone at exit
  trap "rm -rf -- '$tree'" EXIT
  cd "$tree"

  make_good_tree
  if ! found=$(check_tree); then
    printf 'a good tree was refused:\n%s\n' "$found"
    failed=1
  fi

  local bad=(
    'src/core/a.h|#include "sdf/shapes.h"'
    'src/sdf/a.h|#include "rope/move.h"'
    'src/rope/a.cpp|#include "runtime/step.h"'
    'src/runtime/a.cpp|  #  include "api/chains.h"'
    'src/rope/a.cpp|#include <runtime/step.h>'
    'src/core/a.h|#include "billow/billow.h"'
    'src/rope/a.h|#include <billow/billow.h>'
    'src/api/a.cpp|#include "tests/helper.h"'
    'src/api/a.cpp|#include <scenes/cape.h>'
    'src/runtime/a.cpp|#include "offline/cloth.h"'
    'src/runtime/a.cpp|#include "tools/billow/demo.h"'
    'src/core/a.h|#include "../rope/move.h"'
    'src/core/a.h|#include "nowhere.h"'
    'src/core/a.h|#include SOME_MACRO'
    'src/other/a.h|#include "core/simd.h"'
    'src/a.cpp|#include "core/simd.h"'
    'include/billow/a.h|#include <Eigen/Core>'
    'include/billow/a.h|#include <arm_neon.h>'
    'include/billow/a.h|#include "core/simd.h"'
    'include/billow/a.h|#include "stdint.h"'
    'include/billow/a.h|#include <billow/missing.h>'
    'src/api/a.cpp|#include "research/gru/gru.h"'
    'offline/a.cpp|#include "research/gru/gru.h"'
    'tools/billow/a.h|#  include <research/gru/gru.h>'
    'tools/train/main.h|#include "../../research/gru/gru.h"'
    'bench/a.cpp|#include "research/peers/peers.h"'
  )
  for case in "${bad[@]}"; do
    file=${case%%|*}
    line=${case#*|}
    mkdir -p "$(dirname "$file")"
    printf '%s\n' "$line" >"$file"
    if found=$(check_tree); then
      echo "not refused: $line in $file"
      failed=1
    elif [[ $found != "$file:1: "* || $found == *$'\n'* ]]; then
      printf 'refused in the wrong place: %s in %s:\n%s\n' "$line" "$file" "$found"
      failed=1
    fi
    rm "$file"
  done
  if ((failed == 0)); then echo "check_includes: ${#bad[@]} bad trees refused, the good one accepted"; fi
  return "$failed"
}

if [[ ${1:-} == --self-test ]]; then
  self_test
else
  cd "${1:-$(dirname "${BASH_SOURCE[0]}")/..}"
  if ! check_tree; then
    echo "check_includes: dependencies point one way, $(IFS='<' && echo "${order[*]}"); see CONTRIBUTING.md" >&2
    exit 1
  fi
fi
