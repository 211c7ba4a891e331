// A team of spinning threads for short parallel loops. Results must not depend on how a range is divided.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace billow::cloth {

class ThreadTeam {
 public:
  // A count of 1 runs everything on the calling thread.
  explicit ThreadTeam(int count);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int count() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls work(begin, end) for one part of 0..count per thread and waits for all. `work` must not throw.
  template <class Work> void for_range(size_t count, const Work& work) {
    run(
        count, [](const void* w, size_t begin, size_t end) { (*static_cast<const Work*>(w))(begin, end); },
        &work);
  }

 private:
  using Call = void (*)(const void* work, size_t begin, size_t end);
  void run(size_t count, Call call, const void* work);
  void worker_loop(size_t index);
  void run_part(size_t index) const;

  std::vector<std::thread> workers_;
  std::atomic<uint32_t> round_{0}, busy_{0};
  bool stop_ = false;
  Call call_ = nullptr;
  const void* work_ = nullptr;
  size_t size_ = 0;
};

}  // namespace billow::cloth
