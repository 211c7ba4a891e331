// Runs billow-stranger, a separate program because it needs libtorch, and adds what it finds to a judgement.
#pragma once

#include <string>

#include "evaluate/judge.h"

namespace billow::tool {

struct StrangerTest {
  std::string file, data, learn, device = "auto";  // learn: a data set for training clips; empty: `data`
  double rate = 60;
  size_t threads = 0;
  size_t seed = 1;
};

// Throws std::runtime_error where the program was not built.
void check_stranger();
void add_stranger_figures(const StrangerTest& test, evaluate::Judgement& to);

}  // namespace billow::tool
