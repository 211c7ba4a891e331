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

# With CMake: find_package.
mkdir "$scratch/cmake"
cat >"$scratch/cmake/CMakeLists.txt" <<'TEXT'
cmake_minimum_required(VERSION 3.22)
project(user LANGUAGES C CXX)
find_package(billow 0.1 REQUIRED)
add_executable(skirt ${EXAMPLES}/skirt.cpp)
target_compile_features(skirt PRIVATE cxx_std_20)
target_link_libraries(skirt PRIVATE billow::billow)
TEXT
cmake -S "$scratch/cmake" -B "$scratch/cmake/build" -DEXAMPLES="$root/examples" -DCMAKE_PREFIX_PATH="$scratch/root/usr" >/dev/null
cmake --build "$scratch/cmake/build" >/dev/null
"$scratch/cmake/build/skirt" | tail -n 1

# With pkg-config, in C.
pc=$(dirname -- "$(find "$scratch/root" -name billow.pc)")
# shellcheck disable=SC2046  # options are words
cc -std=c11 "$root/examples/hang_a_chain.c" -o "$scratch/hang_a_chain" \
  $(PKG_CONFIG_PATH=$pc PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 pkg-config --cflags --libs billow) -lm
"$scratch/hang_a_chain" | tail -n 1

# The program, its garments and its manual.
if [[ -x $scratch/root/usr/bin/billow ]]; then
  "$scratch/root/usr/bin/billow" wear cape --seconds 0.2 >/dev/null
  test -s "$scratch/root/usr/share/man/man1/billow.1"
fi
