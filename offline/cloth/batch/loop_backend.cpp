#include <cstring>
#include <stdexcept>
#include <vector>

#include "cloth/batch/backend.h"
#include "cloth/batch/frame.h"
#include "parallel.h"

namespace billow::cloth {
namespace {

class LoopBackend : public Backend {
 public:
  explicit LoopBackend(size_t threads) : threads_(threads) {}

  void* allocate(size_t bytes) override {
    return blocks_.emplace_back(std::make_unique<Unit[]>(bytes / sizeof(Unit) + 1)).get();
  }
  void* allocate_on_host(size_t bytes) override { return allocate(bytes); }
  void upload(void* to, const void* from, size_t bytes) override { std::memcpy(to, from, bytes); }
  void download(void* to, const void* from, size_t bytes) override { std::memcpy(to, from, bytes); }

  void run(const BatchArguments& a) override {
    for_each_in_parallel(
        a.clips,
        [&](size_t clip) {
          if (!a.frame.clips[clip].active) return;
          PlacedCollider placed[kMaxBatchColliders];
          ColliderMotion motion[kMaxBatchColliders];
          const ClipState& state = a.states[clip];
          FrameOfClip<LoopTeam>({}, a, static_cast<uint32_t>(clip), state, state.x, placed, motion).advance();
        },
        threads_);
  }
  void wait() override {}
  size_t clips_at_once() const override { return threads_; }

 private:
  struct alignas(16) Unit {
    char bytes[16];
  };
  std::vector<std::unique_ptr<Unit[]>> blocks_;
  size_t threads_;
};

}  // namespace

std::unique_ptr<Backend> make_loop_backend(size_t threads) { return std::make_unique<LoopBackend>(threads); }

#if !defined(BILLOW_CUDA)
std::string why_no_cuda() { return "this build has no CUDA; configure it with -DBILLOW_CUDA=ON"; }
std::unique_ptr<Backend> make_cuda_backend() { throw std::runtime_error("cuda: " + why_no_cuda()); }
#endif

}  // namespace billow::cloth
