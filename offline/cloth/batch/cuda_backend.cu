// The CUDA back-end: one thread block simulates one clip for a whole frame, with the positions in shared
// memory. Barriers within a block cost little, so that the many small loops of a sub-step need no launches.
#include <cuda_runtime.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "cloth/batch/backend.h"
#include "cloth/batch/block_team.cuh"
#include "cloth/batch/frame.h"

namespace billow::cloth {
namespace {

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string("cuda: ") + what + ": " + cudaGetErrorString(status));
}

// Positions come last in shared memory, because their number varies most.
size_t collider_bytes(uint32_t colliders) {
  return (colliders * (sizeof(PlacedCollider) + sizeof(ColliderMotion)) + 15) / 16 * 16;
}

template <bool kPositionsInShared>
__global__ void __launch_bounds__(kTeamThreads, 1) advance_clips(const __grid_constant__ BatchArguments a) {
  extern __shared__ __align__(16) char shared[];
  __shared__ ClipState state;
  const uint32_t clip = blockIdx.x, n = a.sheet.vertices;
  if (!a.frame.clips[clip].active) return;
  const BlockTeam team;
  team.each(1, [&](uint32_t) { state = a.states[clip]; });
  PlacedCollider* placed = reinterpret_cast<PlacedCollider*>(shared);
  ColliderMotion* motion = reinterpret_cast<ColliderMotion*>(placed + a.body.count);
  if constexpr (kPositionsInShared) {
    const size_t before = a.body.count * (sizeof(PlacedCollider) + sizeof(ColliderMotion));
    V3* x = reinterpret_cast<V3*>(shared + (before + 15) / 16 * 16);
    // Copy as single floats, which neighbouring threads do faster than vectors.
    float* flat = &x->x;
    float* stored = &state.x->x;
    team.each(3 * n, [&](uint32_t i) { flat[i] = stored[i]; });
    FrameOfClip<BlockTeam>(team, a, clip, state, x, placed, motion).advance();
    team.each(3 * n, [&](uint32_t i) { stored[i] = flat[i]; });
  } else {
    FrameOfClip<BlockTeam>(team, a, clip, state, state.x, placed, motion).advance();
  }
}

class CudaBackend : public Backend {
 public:
  CudaBackend() {
    int device = 0;
    check(cudaGetDevice(&device), "choosing a device");
    check(cudaGetDeviceProperties(&properties_, device), "reading the device's properties");
    check(cudaStreamCreate(&stream_), "creating a stream");
  }
  ~CudaBackend() override {
    cudaStreamSynchronize(stream_);
    for (void* p : chunks_) cudaFree(p);
    for (void* p : on_host_) cudaFreeHost(p);
    cudaStreamDestroy(stream_);
  }

  // Takes from large chunks: thousands of allocations would each stop the device.
  void* allocate(size_t bytes) override {
    constexpr size_t kAlignment = 256, kChunk = size_t{64} << 20;
    bytes = std::max(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
    if (bytes > left_) {
      left_ = std::max(bytes, kChunk);
      void* chunk = nullptr;
      check(cudaMalloc(&chunk, left_), "allocating memory");
      chunks_.push_back(chunk);
      check(cudaMemsetAsync(chunk, 0, left_, stream_), "clearing memory");
      next_ = static_cast<char*>(chunk);
    }
    left_ -= bytes;
    return std::exchange(next_, next_ + bytes);
  }

  void* allocate_on_host(size_t bytes) override {
    void* block = nullptr;
    check(cudaMallocHost(&block, std::max<size_t>(bytes, 1)), "allocating memory of the host");
    on_host_.push_back(block);
    std::fill_n(static_cast<char*>(block), bytes, 0);
    return block;
  }

  void upload(void* to, const void* from, size_t bytes) override {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_), "copying to the device");
  }
  void download(void* to, const void* from, size_t bytes) override {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_), "copying from the device");
  }
  void wait() override { check(cudaStreamSynchronize(stream_), "simulating"); }
  size_t clips_at_once() const override { return static_cast<size_t>(properties_.multiProcessorCount); }

  void run(const BatchArguments& a) override {
    const size_t colliders = collider_bytes(a.body.count), positions = a.sheet.vertices * sizeof(V3);
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, advance_clips<true>), "loading the kernel");
    if (attributes.sharedSizeBytes + colliders + positions <= properties_.sharedMemPerBlockOptin)
      launch(advance_clips<true>, a, colliders + positions);
    else
      launch(advance_clips<false>, a, colliders);
  }

 private:
  void launch(void (*kernel)(BatchArguments), const BatchArguments& a, size_t shared) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
          "reserving shared memory");
    kernel<<<a.clips, kTeamThreads, shared, stream_>>>(a);
    check(cudaGetLastError(), "starting the kernel");
  }

  cudaDeviceProp properties_{};
  cudaStream_t stream_ = nullptr;
  std::vector<void*> chunks_, on_host_;
  char* next_ = nullptr;
  size_t left_ = 0;
};

}  // namespace

std::string why_no_cuda() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) return std::string("no device was found: ") + cudaGetErrorString(status);
  return count > 0 ? "" : "no device was found";
}

std::unique_ptr<Backend> make_cuda_backend() {
  if (const std::string why = why_no_cuda(); !why.empty()) throw std::runtime_error("cuda: " + why);
  return std::make_unique<CudaBackend>();
}

}  // namespace billow::cloth
