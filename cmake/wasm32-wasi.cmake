# Builds for WebAssembly with Debian's Clang: cmake --toolchain cmake/wasm32-wasi.cmake -S viewer/wasm -B build/wasm

set(CMAKE_SYSTEM_NAME Generic)  # older CMakes do not know WASI, and need nothing from it
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_CXX_FLAGS_INIT "-msimd128 -fno-exceptions -fno-rtti")
