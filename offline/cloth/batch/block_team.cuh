// A team that is one CUDA thread block of kTeamThreads threads: see team.h.
#pragma once

#include "cloth/batch/team.h"

namespace billow::cloth {

__device__ inline float from_lane(float a, uint32_t apart) { return __shfl_down_sync(~0u, a, apart); }
__device__ inline V3 from_lane(V3 a, uint32_t apart) {
  return {from_lane(a.x, apart), from_lane(a.y, apart), from_lane(a.z, apart)};
}

class BlockTeam {
 public:
  template <int kUnroll = 1, class F> __device__ __forceinline__ void each(uint32_t count, F f) const {
#pragma unroll kUnroll
    for (uint32_t i = threadIdx.x; i < count; i += kTeamThreads) f(i);
    __syncthreads();
  }

  template <class T, class Value, class Join>
  __device__ T reduce(uint32_t count, T start, Value value, Join join) const {
    __shared__ T warps[kWarp];
    T own = start;
    for (uint32_t i = threadIdx.x; i < count; i += kTeamThreads) own = join(own, value(i));
    own = join_warp(own, join);
    if (threadIdx.x % kWarp == 0) warps[threadIdx.x / kWarp] = own;
    __syncthreads();
    // Every warp joins the values of all, so that every thread has the result without another round.
    own = join_warp(warps[threadIdx.x % kWarp], join);
    own = broadcast(own);
    __syncthreads();
    return own;
  }

  __device__ void scan(uint32_t* numbers, uint32_t count) const {
    __shared__ uint32_t warps[kWarp];
    const uint32_t each = count / kTeamThreads, begin = each * threadIdx.x, lane = threadIdx.x % kWarp;
    uint32_t own = 0;
    for (uint32_t i = 0; i < each; ++i) own += numbers[begin + i];
    uint32_t before = scan_warp(own);
    if (lane == kWarp - 1) warps[threadIdx.x / kWarp] = before;
    __syncthreads();
    if (threadIdx.x < kWarp) warps[lane] = scan_warp(warps[lane]);
    __syncthreads();
    before -= own;
    if (threadIdx.x >= kWarp) before += warps[threadIdx.x / kWarp - 1];
    for (uint32_t i = 0; i < each; ++i) {
      const uint32_t number = numbers[begin + i];
      numbers[begin + i] = before;
      before += number;
    }
    if (threadIdx.x == kTeamThreads - 1) numbers[count] = before;
    __syncthreads();
  }

  __device__ static uint32_t increment(uint32_t* number) { return atomicAdd(number, 1u); }

 private:
  __device__ static float broadcast(float a) { return __shfl_sync(~0u, a, 0); }
  __device__ static V3 broadcast(V3 a) { return {broadcast(a.x), broadcast(a.y), broadcast(a.z)}; }
  template <class T, class Join> __device__ static T join_warp(T own, Join join) {
    for (uint32_t apart = kWarp / 2; apart > 0; apart /= 2) own = join(own, from_lane(own, apart));
    return own;
  }
  // Inclusive prefix sum.
  __device__ static uint32_t scan_warp(uint32_t own) {
    for (uint32_t apart = 1; apart < kWarp; apart *= 2) {
      const uint32_t other = __shfl_up_sync(~0u, own, apart);
      if (threadIdx.x % kWarp >= apart) own += other;
    }
    return own;
  }
};

}  // namespace billow::cloth
