// Messages put together from words and numbers.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace billow::cache {

template <class... Parts> std::string words(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

template <class... Parts> [[noreturn]] void fail(const Parts&... parts) {
  throw std::runtime_error(words(parts...));
}

}  // namespace billow::cache
