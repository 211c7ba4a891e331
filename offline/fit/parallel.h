// Work that does not depend on its order, on all cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace billow::fit {

// Calls f(0) to f(count - 1), several at a time. The first of them that throws, by number, throws here.
template <class F> void for_each_in_parallel(size_t count, F f) {
  std::atomic<size_t> next{0};
  std::vector<std::exception_ptr> thrown(count);
  const auto work = [&] {
    for (size_t i; (i = next.fetch_add(1)) < count;) try {
        f(i);
      } catch (...) {
        thrown[i] = std::current_exception();
      }
  };
  std::vector<std::thread> helpers;
  for (size_t k = 1; k < std::min<size_t>(count, std::thread::hardware_concurrency()); ++k)
    helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
  for (const std::exception_ptr& e : thrown)
    if (e) std::rethrow_exception(e);
}

}  // namespace billow::fit
