#include "cloth/threads.h"

namespace billow::cloth {
namespace {

// Ranges are short and follow each other at once, so that waiting awake for a little while pays.
constexpr int kSpins = 2000;
constexpr size_t kWorthSharing = 256;  // items

template <class Done> void wait_awake(const std::atomic<uint32_t>& value, uint32_t old, Done done) {
  for (int i = 0; i < kSpins; ++i)
    if (done(value.load(std::memory_order_acquire))) return;
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

Threads::Threads(int count) {
  for (int i = 1; i < count; ++i) workers_.emplace_back([this, i] { serve(static_cast<size_t>(i)); });
}

Threads::~Threads() {
  stop_ = true;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& t : workers_) t.join();
}

void Threads::run(size_t count, Call call, const void* work) {
  if (workers_.empty() || count < kWorthSharing) {
    if (count > 0) call(work, 0, count);
    return;
  }
  call_ = call, work_ = work, size_ = count;
  busy_.store(static_cast<uint32_t>(workers_.size()), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  do_part(0);
  for (uint32_t left = busy_.load(std::memory_order_acquire); left;
       left = busy_.load(std::memory_order_acquire))
    wait_awake(busy_, left, [&](uint32_t now) { return now != left; });
}

void Threads::do_part(size_t number) const {
  const size_t parts = workers_.size() + 1;
  const size_t begin = size_ * number / parts, end = size_ * (number + 1) / parts;
  if (begin < end) call_(work_, begin, end);
}

void Threads::serve(size_t number) {
  for (uint32_t seen = 0;;) {
    const uint32_t old = seen;
    while ((seen = round_.load(std::memory_order_acquire)) == old)
      wait_awake(round_, old, [&](uint32_t now) { return now != old; });
    if (stop_) return;
    do_part(number);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_all();
  }
}

}  // namespace billow::cloth
