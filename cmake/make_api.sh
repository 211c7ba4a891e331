#!/usr/bin/env bash
# Writes include/billow/billow_api.h, the table of all functions of billow.h for hosts that load the library at run time.
#
#     make_api.sh           after a change of billow.h
#     make_api.sh --check   is it that of billow.h, and do the C++ headers call every function of it?
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
header=include/billow/billow.h table=include/billow/billow_api.h wrapper=(include/billow/*.hpp)

# The header's code on one line, without comments.
code() { tr '\n' '\f' <"$header" | sed -E 's:/\*([^*]|\*+[^*/])*\*+/::g' | tr '\f' '\n'; }
# One declaration a line. The way to the table is not in the table.
declarations() {
  code | grep -v '^#' | tr -s '[:space:]' ' ' | grep -oE 'BILLOW_API [^;]*;' | grep -v ' billow_get_api('
}
names() { declarations | sed -E 's/.* \*?\**billow_([a-z0-9_]+)\(.*/\1/'; }

write_table() {
  cat <<'TEXT'
/* All functions of billow.h by name, for hosts that load the library at run time and look one symbol up. Made by
 * cmake/make_api.sh from billow.h.
 *
 *     const billow_api* billow = get_api(BILLOW_API_VERSION);
 */
#ifndef BILLOW_BILLOW_API_H
#define BILLOW_BILLOW_API_H

#include <billow/billow.h>

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */

/* Of billow.h: another one with every change of its declarations. */
TEXT
  printf '#define BILLOW_API_VERSION %su\n\ntypedef struct billow_api {\n' \
    "$(code | tr -d '[:space:]' | cksum | cut -d ' ' -f 1)"
  declarations | sed -E 's/^BILLOW_API (.*[ *])billow_([a-z0-9_]+)(\(.*)$/  \1(*\2)\3/'
  printf '} billow_api;\n\n/* F(name) for each of them. */\n#define BILLOW_FUNCTIONS(F)'
  names | while read -r name; do printf ' \\\n  F(%s)' "$name"; done
  cat <<'TEXT'


/* clang-format on */

#ifdef __cplusplus
}
#endif

#endif /* BILLOW_BILLOW_API_H */
TEXT
}

if [[ ${1:-} != --check ]]; then
  write_table >"$table"
  exit
fi

failed=0
if (($(names | wc -l) < 50)); then
  echo "$header: expected functions after BILLOW_API, found $(names | wc -l)"
  failed=1
fi
if ! diff "$table" <(write_table); then
  echo "$table: expected the functions of $header, found others; run cmake/make_api.sh"
  failed=1
fi
for name in $(names); do
  if ! grep -qE "\bbillow_$name\(" "${wrapper[@]}"; then
    echo "${wrapper[*]}: expected a call of billow_$name, found none"
    failed=1
  fi
done
exit "$failed"
