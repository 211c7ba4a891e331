// A progress line on stderr, shown on terminals only, for work that takes longer than 2 s.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

namespace billow::tool {

class Progress {
 public:
  explicit Progress(std::string what) : what_(std::move(what)) {}
  ~Progress() {
    if (written_) std::fprintf(stderr, "\r%78s\r", "");
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void operator()(double share) {
    const double elapsed = seconds();
    if (!shows_ || elapsed < 2 || elapsed - last_ < 0.2 || !(share > 0)) return;
    last_ = elapsed;
    std::fprintf(stderr, "\r%s: %3.0f %%, about %.0f s left ", what_.c_str(), 100 * share,
                 elapsed * (1 - share) / share);
    written_ = true;
  }
  // Prints a line above the progress line.
  void note(const std::string& text) { std::fprintf(stderr, written_ ? "\r%-78s\n" : "%s\n", text.c_str()); }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  Clock::time_point began_ = Clock::now();
  double last_ = 0;
  bool shows_ = isatty(2) != 0, written_ = false;
};

}  // namespace billow::tool
