// `./run bench --benchmark_...`: prints the report of the chains, then runs Google Benchmark with its own
// options. Whole garment frames are measured by `billow bench`.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>

#include "chains.h"

int main(int argc, char** argv) {
  const std::string self = argv[0];
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  billow::bench::report_chains(self.substr(0, self.find_last_of('/') + 1) + "billow_count_operations");
  std::printf("\n");
  std::fflush(stdout);
  benchmark::RunSpecifiedBenchmarks();
}
