// Clips at a time.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace billow::dataset {

// Calls each(i) for 0..count on a few threads; passes on the first exception.
template <class Each> void in_parallel(size_t count, int threads, const Each& each) {
  std::mutex mutex;
  std::atomic<size_t> next{0};
  std::exception_ptr failure;
  const auto work = [&] {
    for (size_t i; (i = next.fetch_add(1)) < count;) try {
        each(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(work);
  work();
  for (std::thread& t : others) t.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace billow::dataset
