# What every target of this repository is compiled with.

if(MSVC)
  message(FATAL_ERROR "Billow needs GCC or Clang: same bits everywhere rests on their -ffp-contract=off.")
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_EXTENSIONS OFF)

# Keep every floating-point operation as written: docs/determinism.md. The first option undoes a
# -ffast-math from outside and has to stand before the second. nvcc has options of its own
# (offline/cloth/CMakeLists.txt).
add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-fno-fast-math;-ffp-contract=off>")

# Sanitizers double what code takes to build, so that less is built with them: tests/CMakeLists.txt says what.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  set(BILLOW_SANITIZED ON)
endif()
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=[a-z,]*address")
  set(BILLOW_SANITIZED_ADDRESSES ON)
endif()

# Compiles the sources of a target a folder at a time, where BILLOW_UNITY is on: they include mostly the same headers. Sources
# with options of their own stay alone.
function(billow_compile_by_folder target)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${folder}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${BILLOW_UNITY} UNITY_BUILD_MODE GROUP)
endfunction()

# Leave the rest to the project that includes this one.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion>")
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-Wno-sign-conversion>)  # GCC's -Wconversion leaves it out in C++, Clang's does not
else()
  add_compile_options($<$<COMPILE_LANGUAGE:C>:-Wno-sign-conversion>)
endif()

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

find_program(CCACHE ccache)
if(CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
