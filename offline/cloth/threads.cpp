#include "cloth/threads.h"

namespace billow::cloth {
namespace {

// Loops are short and follow each other closely, so spinning for a while is cheaper than sleeping.
constexpr int kSpins = 2000;
constexpr size_t kMinParallel = 256;  // items; shorter loops run on the calling thread

template <class Done> void spin_then_wait(const std::atomic<uint32_t>& value, uint32_t old, Done done) {
  for (int i = 0; i < kSpins; ++i)
    if (done(value.load(std::memory_order_acquire))) return;
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

ThreadTeam::ThreadTeam(int count) {
  for (int i = 1; i < count; ++i) workers_.emplace_back([this, i] { worker_loop(static_cast<size_t>(i)); });
}

ThreadTeam::~ThreadTeam() {
  stop_ = true;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& t : workers_) t.join();
}

void ThreadTeam::run(size_t count, Call call, const void* work) {
  if (workers_.empty() || count < kMinParallel) {
    if (count > 0) call(work, 0, count);
    return;
  }
  call_ = call, work_ = work, size_ = count;
  busy_.store(static_cast<uint32_t>(workers_.size()), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  run_part(0);
  for (uint32_t left = busy_.load(std::memory_order_acquire); left;
       left = busy_.load(std::memory_order_acquire))
    spin_then_wait(busy_, left, [&](uint32_t now) { return now != left; });
}

void ThreadTeam::run_part(size_t index) const {
  const size_t parts = workers_.size() + 1;
  const size_t begin = size_ * index / parts, end = size_ * (index + 1) / parts;
  if (begin < end) call_(work_, begin, end);
}

void ThreadTeam::worker_loop(size_t index) {
  for (uint32_t seen = 0;;) {
    const uint32_t old = seen;
    while ((seen = round_.load(std::memory_order_acquire)) == old)
      spin_then_wait(round_, old, [&](uint32_t now) { return now != old; });
    if (stop_) return;
    run_part(index);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_all();
  }
}

}  // namespace billow::cloth
