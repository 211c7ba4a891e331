// How the stages of a clip are executed: by a team of threads that meet at a barrier after each loop.
//
// A stage is a template over the team. On a CUDA device the team is one thread block (block_team.cuh); here it
// is a plain loop, which gives the same bits and is what tests compare with cloth::Simulator. Code between
// loops runs on every thread of the team and must not write to memory that the team shares.
#pragma once

#include <cstdint>

#include "core/vec.h"

#if defined(__CUDACC__)
#define BILLOW_DEVICE __device__ __forceinline__
#define BILLOW_DEVICE_CALL __device__ __noinline__
#else
#define BILLOW_DEVICE inline
#define BILLOW_DEVICE_CALL inline
#endif

namespace billow::cloth {

inline constexpr uint32_t kTeamThreads = 1024;
inline constexpr uint32_t kWarp = 32;  // threads whose values are joined first
static_assert(kTeamThreads == kWarp * kWarp);

#if !defined(__CUDACC__)
class LoopTeam {
 public:
  // Calls f(0) to f(count - 1), in any order. A device unrolls the loop `kUnroll` times, so that it loads the
  // data of several calls at once.
  template <int kUnroll = 1, class F> void each(uint32_t count, F f) const {
    for (uint32_t i = 0; i < count; ++i) f(i);
  }

  // Joins the values of 0 to count - 1, in the order of a block: thread t takes t, t + kTeamThreads, ...,
  // then values are joined pairwise within warps, then those of the warps.
  template <class T, class Value, class Join>
  T reduce(uint32_t count, T start, Value value, Join join) const {
    T warps[kWarp];
    for (uint32_t w = 0; w < kWarp; ++w) {
      T threads[kWarp];
      for (uint32_t t = 0; t < kWarp; ++t) {
        threads[t] = start;
        for (uint32_t i = kWarp * w + t; i < count; i += kTeamThreads)
          threads[t] = join(threads[t], value(i));
      }
      warps[w] = join_warp(threads, join);
    }
    return join_warp(warps, join);
  }

  // Exclusive prefix sum of `count` numbers, a multiple of kTeamThreads. The total goes behind the last.
  void scan(uint32_t* numbers, uint32_t count) const {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t number = numbers[i];
      numbers[i] = sum;
      sum += number;
    }
    numbers[count] = sum;
  }

  // Adds 1 while others may do so too; returns the value before.
  static uint32_t increment(uint32_t* number) { return (*number)++; }

 private:
  template <class T, class Join> static T join_warp(T* values, Join join) {
    for (uint32_t apart = kWarp / 2; apart > 0; apart /= 2)
      for (uint32_t t = 0; t < apart; ++t) values[t] = join(values[t], values[t + apart]);
    return values[0];
  }
};
#endif

}  // namespace billow::cloth
