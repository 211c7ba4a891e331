// FNV-1a, 64 bits: a fast hash to compare files and requests, not a cryptographic one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace billow::files {

inline constexpr uint64_t kChecksumStart = 0xcbf29ce484222325ull;

inline uint64_t add_to_checksum(uint64_t sum, const void* bytes, size_t count) {
  const auto* b = static_cast<const uint8_t*>(bytes);
  for (size_t i = 0; i < count; ++i) sum = (sum ^ b[i]) * 0x100000001b3ull;
  return sum;
}

}  // namespace billow::files
