// Work that does not depend on its order, on all cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace billow {

// Calls f(0) to f(count - 1), several at a time. The first of them that throws, by number, throws here. `threads`: 0
// takes all cores.
template <class F> void for_each_in_parallel(size_t count, F f, size_t threads = 0) {
  std::atomic<size_t> next{0};
  std::vector<std::exception_ptr> thrown(count);
  const auto work = [&] {
    for (size_t i; (i = next.fetch_add(1)) < count;) try {
        f(i);
      } catch (...) {
        thrown[i] = std::current_exception();
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
