// What research/ adds to `billow` where it is built in (BILLOW_BUILD_RESEARCH). main.cpp takes it up; nothing else of the
// program knows where it comes from.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "bench_peers.h"
#include "evaluate/report.h"

namespace billow::tool {

struct ResearchParts {
  void (*add_figures)(CLI::App& app) = nullptr;  // `billow figures`
  evaluate::Compare compare;                     // the tables of `billow evaluate` after the product's
  std::vector<BenchPeer> peers;                  // of `billow bench`
};

}  // namespace billow::tool
