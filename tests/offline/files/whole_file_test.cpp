#include "files/whole_file.h"

#include <gtest/gtest.h>

#include <cmath>

#include "offline/cache/caches.h"

namespace billow::files {
namespace {

template <class F> std::string message_of(const F& f) {
  try {
    f();
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "(done)";
}

TEST(WholeFile, IsReplacedOrLeftAsItWas) {
  const cache::Folder folder;
  const std::string bytes("one\0two", 7);
  write_whole_file(folder / "a", "before");
  write_whole_file(folder / "a", bytes);
  EXPECT_EQ(read_whole_file(folder / "a"), bytes);
  EXPECT_EQ(folder.entries(), 1u);
  EXPECT_NE(message_of([&] { write_whole_file(folder / "none/a", bytes); }).find("cannot write"),
            std::string::npos);
  std::filesystem::create_directory(folder / "b");
  EXPECT_NE(message_of([&] { write_whole_file(folder / "b", bytes); }).find("a folder of that name"),
            std::string::npos);
  // Without commit() the old file stays.
  {
    AtomicFile unfinished(folder / "a");
    unfinished.write("half of");
  }
  EXPECT_EQ(read_whole_file(folder / "a"), bytes);
  EXPECT_EQ(folder.entries(), 2u);
}

TEST(WholeFile, SaysWhyItIsNotRead) {
  const cache::Folder folder;
  write_whole_file(folder / "a", "12345");
  EXPECT_NE(message_of([&] { read_whole_file(folder / "a", 4); }).find("expected at most 4 bytes, found 5"),
            std::string::npos);
  EXPECT_NE(message_of([&] { read_whole_file(folder / "none"); }).find("cannot read"), std::string::npos);
}

TEST(Shortest, ReadsBackToTheLastBit) {
  EXPECT_EQ(shortest(0.1f), "0.1");
  EXPECT_EQ(shortest(-0.0f), "-0.0");
  EXPECT_EQ(shortest(3), "3");
  for (const float v : {1.0f / 3, 1e-40f, -6.02e23f, std::nextafter(1.0f, 2.0f)})
    EXPECT_EQ(std::strtof(shortest(v).c_str(), nullptr), v);
}

}  // namespace
}  // namespace billow::files
