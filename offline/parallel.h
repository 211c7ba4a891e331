// A parallel loop over independent tasks.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace billow {

// Calls f(0) to f(count - 1) on several threads; 0 threads means one per core. After an exception no further
// task is started, and the exception of the lowest index is rethrown. Tasks start in order, so it is the same
// for any number of threads.
template <class F> void for_each_in_parallel(size_t count, F f, size_t threads = 0) {
  std::atomic<size_t> next{0};
  std::vector<std::exception_ptr> thrown(count);
  const auto work = [&] {
    for (size_t i; (i = next.fetch_add(1)) < count;) try {
        f(i);
      } catch (...) {
        thrown[i] = std::current_exception();
        next = count;
      }
  };
  if (threads == 0) threads = std::thread::hardware_concurrency();
  std::vector<std::thread> helpers;
  for (size_t k = 1; k < std::min(count, threads); ++k) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
  for (const std::exception_ptr& e : thrown)
    if (e) std::rethrow_exception(e);
}

}  // namespace billow
