// Films that do not come to their end leave nothing behind: neither a file nor the program that writes it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "files/whole_file.h"
#include "pack/sample_garment.h"
#include "tools/program.h"

namespace billow {
namespace {

namespace fs = std::filesystem;

// Instead of ffmpeg a program that writes its file at once, says who it is, and then does as it is told.
class StoppedFilm : public ::testing::TestWithParam<int> {
 protected:
  StoppedFilm()
      : folder_(fs::temp_directory_path() / ("billow_film_" + std::to_string(getpid()))),
        environment_("PATH=bin:$PATH") {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "bin");
    files::write_whole_file(folder_ / "cape.billow",
                            pack::pack_garment(pack::sample_garment(body::make_person(), {})));
    // Deaf to what ends most programs.
    stand_in("trap '' INT TERM HUP; exec cat >/dev/null");
  }
  ~StoppedFilm() override { fs::remove_all(folder_); }

  void stand_in(const std::string& does) const {
    std::ofstream(folder_ / "bin/ffmpeg") << "#!/bin/sh\nfor file; do :; done\necho part >\"$file\"\n"
                                          << "echo $$ >pid.part; mv pid.part pid\n"
                                          << does << "\n";
    fs::permissions(folder_ / "bin/ffmpeg", fs::perms::owner_all);
  }
  // Whether a program ended by the signal that it was sent, with nothing left of its film.
  void expect_clean_end(const std::string& command, const fs::path& part) const {
    testing::StartedProgram program(command, folder_, environment_);
    for (int k = 0; k < 6000 && !fs::exists(folder_ / "pid") && program.runs(); ++k)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ASSERT_TRUE(fs::exists(folder_ / "pid")) << command;
    ASSERT_TRUE(fs::exists(folder_ / part)) << command;
    EXPECT_EQ(program.stop(GetParam()), GetParam()) << "a shell is told why it ended";
    EXPECT_FALSE(fs::exists(folder_ / part)) << command;
    EXPECT_NE(kill(std::stoi(files::read_whole_file(folder_ / "pid")), 0), 0) << "the stand-in still runs";
  }
  testing::Outcome run(const std::string& arguments) const {
    return testing::run_program(arguments, folder_, environment_);
  }
  size_t entries() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_;
  std::string environment_;
};

const std::string kSmallFilm = "render cape.billow --rays 0 --size 16x16 -o film.mp4 --seconds ";

INSTANTIATE_TEST_SUITE_P(Signals, StoppedFilm, ::testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST_P(StoppedFilm, LeavesNeitherFileNorProgramWhereTwoAreCompared) {
  expect_clean_end("compare cape.billow --size 64x32 -o film.mp4 --seconds 90", ".film.part.mp4");
  EXPECT_FALSE(fs::exists(folder_ / "film.mp4"));
}

TEST_P(StoppedFilm, LeavesNeitherFileNorProgram) {
  expect_clean_end(kSmallFilm + "600", ".film.part.mp4");
  EXPECT_FALSE(fs::exists(folder_ / "film.mp4"));
}

using FilmErrors = StoppedFilm;
INSTANTIATE_TEST_SUITE_P(All, FilmErrors, ::testing::Values(0));

TEST_P(FilmErrors, LeaveNothing) {
  stand_in("exit 3");
  EXPECT_EQ(run(kSmallFilm + "60").code, 1);
  EXPECT_EQ(entries(), 3u) << "the garment, bin and pid";
  // A folder stands where the film should be.
  stand_in("cat >/dev/null");
  fs::create_directories(folder_ / "film.mp4");
  EXPECT_EQ(run(kSmallFilm + "0.1").code, 1);
  EXPECT_EQ(entries(), 4u) << "and that folder";
  // What is ignored stays ignored: nohup.
  fs::remove(folder_ / "film.mp4");
  stand_in("kill -HUP $PPID; cat >/dev/null");
  environment_ = "trap '' HUP; PATH=bin:$PATH";
  EXPECT_EQ(run(kSmallFilm + "0.1").code, 0);
  EXPECT_TRUE(fs::is_regular_file(folder_ / "film.mp4"));
}

using StoppedDemoSlow = StoppedFilm;
INSTANTIATE_TEST_SUITE_P(Signals, StoppedDemoSlow, ::testing::Values(SIGINT));

TEST_P(StoppedDemoSlow, LeavesNeitherFileNorProgram) {
  expect_clean_end("demo -o . --seconds 60", ".cape_run.part.mp4");
  EXPECT_FALSE(fs::exists(folder_ / "cape_run.mp4"));
}

}  // namespace
}  // namespace billow
