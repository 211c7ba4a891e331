#include "files/npy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace billow::files {
namespace {

namespace fs = std::filesystem;

class Npy : public ::testing::Test {
 protected:
  Npy()
      : folder_(fs::temp_directory_path() /
                ("billow_npy_" + std::to_string(getpid()) + "_" +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::create_directories(folder_);
  }
  ~Npy() override { fs::remove_all(folder_); }
  std::string message_of(const fs::path& path) const {
    try {
      const NpyMap map(path);
    } catch (const std::runtime_error& e) {
      return e.what();
    }
    return "(read)";
  }
  void change(const std::string& from, const std::string& to) const {
    std::ifstream in(file(), std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), {});
    const size_t at = bytes.find(from);
    ASSERT_NE(at, std::string::npos);
    bytes.replace(at, from.size(), to);
    std::ofstream(file(), std::ios::binary) << bytes;
  }
  fs::path file() const { return folder_ / "a.npy"; }
  void write() const {
    NpyWriter writer(file(), {2, 3, 1});
    const float a[] = {1, -2, 0.5f}, b[] = {1e-30f, 3, 4};
    writer.write(a);
    writer.write(b);
    writer.finish();
  }
  fs::path folder_;
};

TEST_F(Npy, ReadsBackWhatIsWritten) {
  write();
  const NpyMap map(file());
  EXPECT_EQ(map.shape(), (std::vector<size_t>{2, 3, 1}));
  ASSERT_EQ(map.row(1).size(), 3u);
  EXPECT_EQ(map.row(0)[1], -2);
  EXPECT_EQ(map.row(1)[0], 1e-30f);
  // NumPy's format: magic string, then a header padded so that values start at a multiple of 64 bytes.
  std::ifstream in(file(), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(bytes.substr(1, 5), "NUMPY");
  EXPECT_EQ((bytes.size() - 24) % 64, 0u);
  EXPECT_NE(bytes.find("'shape': (2, 3, 1, )"), std::string::npos);
}

TEST_F(Npy, ChecksumsTellFilesApart) {
  NpyWriter one(file(), {1});
  const float v[] = {1};
  one.write(v);
  one.finish();
  EXPECT_EQ(NpyMap(file()).checksum(), one.checksum());
  const uint64_t before = one.checksum();
  write();
  EXPECT_NE(NpyMap(file()).checksum(), before);
}

TEST_F(Npy, RefusesWhatIsNotFilled) {
  NpyWriter writer(file(), {2, 2});
  const float v[] = {1, 2, 3};
  writer.write(v);
  EXPECT_THROW(writer.finish(), std::runtime_error);
  EXPECT_THROW(writer.write(v), std::runtime_error);
}

TEST_F(Npy, SaysWhatIsWrongWithAFile) {
  EXPECT_NE(message_of(folder_ / "none.npy").find("cannot read"), std::string::npos);
  std::ofstream(folder_ / "empty.npy");
  EXPECT_NE(message_of(folder_ / "empty.npy").find("found 0 bytes"), std::string::npos);
  const struct {
    const char *from, *to, *message;
  } cases[] = {{"NUMPY", "NUMPI", ".npy file of version 1.0"},
               {"<f4", "<f8", "float32"},
               {"False", "True ", "C order"},
               {"(2, 3, 1", "(2, 3, 2", "expected (2, 3, 2, ) values of 4 bytes, found 24 bytes"},
               {"(2, 3, 1", "(9999999999999999, 99999999999999", "too large"}};
  for (const auto& c : cases) {
    write();
    change(c.from, c.to);
    EXPECT_NE(message_of(file()).find(c.message), std::string::npos) << c.to << ": " << message_of(file());
  }
}

TEST_F(Npy, EndsWithAMessageWhereverItIsCut) {
  write();
  const auto size = fs::file_size(file());
  for (size_t n = 0; n < size; ++n) {
    write();
    fs::resize_file(file(), n);
    EXPECT_NE(message_of(file()), "(read)") << n;
  }
}

}  // namespace
}  // namespace billow::files
