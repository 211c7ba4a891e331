#include "core/processor.h"

#include <cstdlib>
#include <cstring>

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace {

#if defined(__wasm__)
// A web page has no environment: a module that imports getenv could not be instantiated.
bool requested(const char*) { return false; }
#else
bool requested(const char* level) {
  const char* const value = std::getenv("BILLOW_PROCESSOR");
  return value && std::strcmp(value, level) == 0;
}
#endif

billow_processor find_processor() {
  billow_processor p{};
  if (requested("any")) return p;
#if defined(__aarch64__) && defined(__APPLE__)
  p.dot_product = true;
#if defined(__ARM_FEATURE_MATMUL_INT8)
  p.matrix_product = true;
#endif
#elif defined(__aarch64__) && defined(__linux__)
  constexpr unsigned long kAsimdDp = 1ul << 20, kI8mm = 1ul << 13;
  p.dot_product = (getauxval(AT_HWCAP) & kAsimdDp) != 0;
  p.matrix_product = (getauxval(AT_HWCAP2) & kI8mm) != 0;
#elif defined(__x86_64__)
  p.avx2 = __builtin_cpu_supports("avx2");
  p.vnni = p.avx2 && !requested("avx2") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
#endif
  return p;
}

}  // namespace

const billow_processor billow_this_processor = find_processor();
