// `./run bench`: the reports of chains and of dressed frames, then Google Benchmark's rows (its own options apply to those).
#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>

#include "chains.h"
#include "frame.h"

int main(int argc, char** argv) {
  const std::string self = argv[0];
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  billow::bench::report_chains(self.substr(0, self.find_last_of('/') + 1) + "billow_count_operations");
  billow::bench::report_frames();
  std::printf("\n");
  std::fflush(stdout);
  benchmark::RunSpecifiedBenchmarks();
}
