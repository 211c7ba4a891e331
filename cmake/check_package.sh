#!/usr/bin/env bash
# Builds the Debian packages, unpacks them into a folder of its own, and builds examples against what is there, as users do: with CMake and
# with pkg-config.
#
#     check_package.sh BUILD_FOLDER
set -euo pipefail

build=$(cd -- "$1" && pwd)
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT

cpack --config "$build/CPackConfig.cmake" -B "$scratch/packages" >"$scratch/log" 2>&1 || {
  cat "$scratch/log"
  exit 1
}
for package in "$scratch"/packages/*.deb; do
  dpkg-deb --info "$package" | grep -E '^ (Package|Version|Depends|Installed-Size):'
  dpkg-deb --extract "$package" "$scratch/root"
done

# With CMake: find_package, in a project of C++ and in one of C alone.
build_with_cmake() {
  local language=$1 source=$2
  mkdir "$scratch/$language"
  cat >"$scratch/$language/CMakeLists.txt" <<TEXT
cmake_minimum_required(VERSION 3.22)
project(user LANGUAGES $language)
find_package(billow 0.1 REQUIRED)
add_executable(user $root/examples/$source)
target_link_libraries(user PRIVATE billow::billow)
TEXT
  cmake -S "$scratch/$language" -B "$scratch/$language/build" -DCMAKE_PREFIX_PATH="$scratch/root/usr" >/dev/null
  cmake --build "$scratch/$language/build" >/dev/null
  "$scratch/$language/build/user" | tail -n 1
}
build_with_cmake CXX skirt.cpp
build_with_cmake C hang_a_chain.c

# With pkg-config, in C.
pc=$(dirname -- "$(find "$scratch/root" -name billow.pc)")
# shellcheck disable=SC2046  # options are words
cc -std=c11 "$root/examples/hang_a_chain.c" -o "$scratch/hang_a_chain" \
  $(PKG_CONFIG_PATH=$pc PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 pkg-config --cflags --libs billow) -lm
"$scratch/hang_a_chain" | tail -n 1

# The program, its garments and its manual.
if [[ -x $scratch/root/usr/bin/billow ]]; then
  "$scratch/root/usr/bin/billow" play cape --seconds 0.2 >/dev/null
  test -s "$scratch/root/usr/share/man/man1/billow.1"
fi
