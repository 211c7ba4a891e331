// A few threads that work on ranges together. Results must not depend on how a range is cut.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace billow::cloth {

class Threads {
 public:
  // With one thread everything happens on the caller's.
  explicit Threads(int count);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  int count() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls work(begin, end) for parts of 0..count, one a thread, and returns when all are done. An exception must
  // not leave it.
  template <class Work> void for_range(size_t count, const Work& work) {
    run(
        count, [](const void* w, size_t begin, size_t end) { (*static_cast<const Work*>(w))(begin, end); },
        &work);
  }

 private:
  using Call = void (*)(const void* work, size_t begin, size_t end);
  void run(size_t count, Call call, const void* work);
  void serve(size_t number);
  void do_part(size_t number) const;

  std::vector<std::thread> workers_;
  std::atomic<uint32_t> round_{0}, busy_{0};
  bool stop_ = false;
  Call call_ = nullptr;
  const void* work_ = nullptr;
  size_t size_ = 0;
};

}  // namespace billow::cloth
