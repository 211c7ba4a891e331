// A bump allocator over one block of memory. With a null base it only measures how much it would use.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace billow {

class Arena {
 public:
  static constexpr size_t kAlignment = 64;

  Arena() = default;
  explicit Arena(void* base) : base_(static_cast<std::byte*>(base)) {}

  // Memory for `count` objects of type T, aligned to kAlignment; null while measuring.
  template <class T> T* take(size_t count) {
    size_t at = used_;
    used_ += (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    return base_ ? reinterpret_cast<T*>(base_ + at) : nullptr;
  }
  // A copy of `count` objects; null while measuring.
  template <class T> T* copied(const T* from, size_t count) {
    T* to = take<T>(count);
    if (to) std::copy_n(from, count, to);
    return to;
  }
  size_t used() const { return used_; }

 private:
  std::byte* base_ = nullptr;
  size_t used_ = 0;
};

}  // namespace billow
