// `billow bench` as a program reads it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "files/whole_file.h"
#include "pack/sample_garment.h"
#include "tools/program.h"

namespace billow {
namespace {

namespace fs = std::filesystem;

TEST(BenchCli, PrintsWhatItPromises) {
  const fs::path folder = fs::temp_directory_path() / ("billow_bench_cli_" + std::to_string(getpid()));
  fs::create_directories(folder);
  files::write_whole_file(folder / "cape.billow",
                          pack::pack_garment(pack::sample_garment(body::make_person(), {})));
  const testing::Outcome done = testing::run_program(
      "bench --json --no-peers --seconds 0.5 --characters 2 --cape cape.billow --skirt cape.billow", folder);
  ASSERT_EQ(done.code, 0) << done.output;
  const auto all = nlohmann::json::parse(done.output);
  for (const char* garment : {"cape", "skirt"}) {
    const auto& g = all[garment];
    EXPECT_GT(g["frame_ms"]["p50"], 0);
    EXPECT_GE(g["frame_ms"]["p99"], g["frame_ms"]["p50"]);
    EXPECT_GT(g["stages_ms"]["expand"], 0);
    // Strain stands beside milliseconds, and is of the same frames at each setting of lengths.
    for (const auto& f : {g, g["dancing"], g["lengths"]["off"], g["lengths"]["low"], g["lengths"]["high"]}) {
      EXPECT_GT(f["frame_ms"]["p50"], 0);
      EXPECT_GT(f["strain_mean"], 0);
      EXPECT_GT(f["strain_p99"], f["strain_mean"]);
    }
    EXPECT_EQ(g["lengths"]["high"]["strain_mean"], g["strain_mean"]);
    EXPECT_LT(g["lengths"]["high"]["strain_mean"], g["lengths"]["off"]["strain_mean"]);
    EXPECT_GT(g["ratio_to_stream"], 0);
    // The file is copied, and a little is found out about it; an instance has its own numbers only.
    EXPECT_GE(g["garment_bytes"], g["file_bytes"]);
    EXPECT_GT(g["instance_bytes"], 12 * 192);
  }
  EXPECT_EQ(all["crowd"]["characters"], 2);
  EXPECT_GT(all["crowd"]["ms_per_character"], 0);
  for (const char* peer : {"bullet", "reference", "libtorch", "onnxruntime"})
    for (const char* key : {"frame_ms", "times_slower", "strain_mean", "strain_p99"})
      EXPECT_TRUE(all["peers"][peer][key].is_null()) << peer << key;
  EXPECT_EQ(testing::run_program("bench --cape none.billow", folder).code, 1);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace billow
