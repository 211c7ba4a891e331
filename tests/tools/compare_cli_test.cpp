// `billow compare` as a user meets it. evaluate_cli_test.cpp has its data sets.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "files/whole_file.h"
#include "pack/sample_garment.h"
#include "tools/program.h"

namespace billow {
namespace {

namespace fs = std::filesystem;

class CompareCli : public ::testing::Test {
 protected:
  CompareCli()
      : folder_(fs::temp_directory_path() /
                ("billow_compare_" + std::to_string(getpid()) + "_" +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::create_directories(folder_ / "bin");
    files::write_whole_file(folder_ / "cape.billow",
                            pack::pack_garment(pack::sample_garment(body::make_person(), {})));
    // Instead of ffmpeg a program that keeps the pictures as they come.
    std::ofstream(folder_ / "bin/ffmpeg") << "#!/bin/sh\nfor file; do :; done\nexec cat >\"$file\"\n";
    fs::permissions(folder_ / "bin/ffmpeg", fs::perms::owner_all);
  }
  ~CompareCli() override { fs::remove_all(folder_); }
  testing::Outcome run(const std::string& arguments) const {
    return testing::run_program("compare cape.billow " + arguments, folder_, "PATH=bin:$PATH");
  }
  fs::path folder_;
};

TEST_F(CompareCli, MakesAFilmAndAStrip) {
  const testing::Outcome out =
      run("--motion walk --seconds 0.2 --size 64x32 --strip 2 -o new/both.mp4 --json");
  ASSERT_EQ(out.code, 0) << out.output;
  const auto json = nlohmann::json::parse(out.output);
  EXPECT_EQ(json["frames"], 7) << "0.2 s at 30 frames per second, with both ends";
  EXPECT_EQ(json["files"].size(), 2u);
  EXPECT_EQ(fs::file_size(folder_ / "new/both.mp4"), 7u * 64 * 32 * 3);
  EXPECT_TRUE(fs::exists(folder_ / "new/both.png"));
  // Both halves are drawn, and they differ: the garment's networks are random.
  const std::string bytes = files::read_whole_file(folder_ / "new/both.mp4");
  bool differs = false;
  for (size_t y = 0; y < 32; ++y) differs |= bytes.compare(y * 192, 96, bytes, y * 192 + 96, 96) != 0;
  EXPECT_TRUE(differs);
}

TEST_F(CompareCli, SaysWhatIsWrongAndLeavesNothing) {
  const struct {
    const char *arguments, *part;
    int code;
  } cases[] = {
      {"-o film.avi", "expected a file that ends in .mp4, .gif or .png", 1},
      {"-o film.mp4 --motion sleep", "sleep", 1},
      {"-o film.mp4 --dataset nowhere", "nowhere", 1},
      {"-o film.mp4 --dataset nowhere --motion run", "found both", 2},
      {"-o film.mp4 --clip 3", "expected a data set", 2},
      {"-o film.mp4 --size 63x32", "the width a multiple of 4", 2},
      {"-o film.mp4 --size large", "expected WIDTHxHEIGHT", 2},
      {"-o film.mp4 --strip 0", "--strip", 2},
  };
  for (const auto& [arguments, part, code] : cases) {
    const testing::Outcome out = run(arguments);
    EXPECT_EQ(out.code, code) << arguments << ": " << out.output;
    EXPECT_NE(out.output.find(part), std::string::npos) << arguments << ": " << out.output;
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2) << "garment and bin";
}

}  // namespace
}  // namespace billow
