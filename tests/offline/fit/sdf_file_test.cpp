// SDF files of grids and networks: round trips, and rejection of damaged files.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "fit/sdf_body.h"
#include "support/fields.h"

namespace billow::fit {
namespace {

using Bytes = std::vector<unsigned char>;

SdfBody small_body() {
  SdfBody body;
  const testing::TestGrid sphere = testing::sphere_grid(0.05, 0.02, 0.03);
  GridSdf grid;
  grid.values = sphere.values;
  for (size_t k = 0; k < 3; ++k) grid.size[k] = sphere.grid.size[k];
  grid.spacing = sphere.grid.spacing;
  grid.unit = sphere.grid.unit;
  body.parts.push_back({"head", 3, {{0, 1.5f, 0}, {0, 0.6f, 0, 0.8f}}, grid});
  const testing::TestNetwork wavy = testing::wavy_network(8, 0.1, 0.1, 4);
  body.parts.push_back(
      {"forearm", 7, {{0.4f, 1, 0}, {0, 0, 0, 1}}, NeuralSdf{wavy.weights, 8, {0.3f, 0.4f, 0.5f}, 0.05f}});
  return body;
}

// Updates the header's size and checksum after a change of the payload, so that only the change itself is
// wrong.
Bytes with_checksum(Bytes bytes) {
  uint64_t hash = 14695981039346656037ull;
  for (size_t i = 32; i < bytes.size(); ++i) hash = (hash ^ bytes[i]) * 1099511628211ull;
  const uint64_t size = bytes.size() - 32;
  std::memcpy(&bytes[16], &size, 8);
  std::memcpy(&bytes[24], &hash, 8);
  return bytes;
}
Bytes with_number(Bytes bytes, size_t at, uint32_t value) {
  std::memcpy(&bytes[at], &value, 4);
  return with_checksum(bytes);
}

void expect_refused(const Bytes& bytes, const char* message) {
  try {
    sdf_from_bytes(bytes);
    ADD_FAILURE() << "expected an error: " << message;
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find(message), std::string::npos) << e.what();
  }
}

TEST(SdfFile, IsReadBackToTheLastBit) {
  const SdfBody body = small_body();
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("billow_" + std::to_string(getpid()) + ".sdf");
  write_sdf_file(body, path);
  const SdfBody back = read_sdf_file(path);
  std::filesystem::remove(path);
  EXPECT_FALSE(std::filesystem::exists(path.string() + ".part"));
  ASSERT_EQ(back.parts.size(), 2u);
  EXPECT_EQ(back.parts[0].name, "head");
  EXPECT_EQ(back.parts[1].joint, 7u);
  EXPECT_EQ(back.parts[0].frame.rotation.y, 0.6f);
  EXPECT_TRUE(std::get<GridSdf>(back.parts[0].field).values == std::get<GridSdf>(body.parts[0].field).values);
  EXPECT_TRUE(std::get<NeuralSdf>(back.parts[1].field).weights ==
              std::get<NeuralSdf>(body.parts[1].field).weights);
  EXPECT_TRUE(sdf_to_bytes(back) == sdf_to_bytes(body));
  EXPECT_EQ(body.bytes(), 9u * 9 * 9 * 2 + BILLOW_NEURAL_SDF_WEIGHTS(8u) * 4);
}

TEST(SdfFile, AnyChangedOrMissingByteIsNoticed) {
  const Bytes good = sdf_to_bytes(small_body());
  for (size_t i = 0; i < good.size(); i += i < 200 ? 1 : 61) {
    Bytes bad = good;
    bad[i] ^= 0x10;
    EXPECT_THROW(sdf_from_bytes(bad), std::runtime_error) << i;
  }
  for (size_t size = 0; size < good.size(); size += size < 200 ? 1 : 61)
    EXPECT_THROW(sdf_from_bytes(std::span(good).first(size)), std::runtime_error) << size;
  Bytes longer = good;
  longer.push_back(0);
  EXPECT_THROW(sdf_from_bytes(longer), std::runtime_error);
}

// Malicious files with a valid checksum.
TEST(SdfFile, NumbersThatMakeNoSenseAreRefused) {
  const Bytes good = sdf_to_bytes(small_body());
  // Offsets in the first part: length of the name at 32, name, kind at 40, joint, frame, size at 76, spacing
  // at 88.
  EXPECT_NO_THROW(sdf_from_bytes(with_number(good, 44, 5)));
  expect_refused(with_number(good, 8, 2), "version");
  expect_refused(with_number(good, 12, 3), "expected");
  expect_refused(with_number(good, 12, 1), "nothing after the last part");
  expect_refused(with_number(good, 12, 0xffffffffu), "at most 128 parts");
  expect_refused(with_number(good, 32, 0xffffffffu), "name");
  expect_refused(with_number(good, 40, 9), "kind");
  expect_refused(with_number(good, 44, 0xffffffffu), "joint");
  expect_refused(with_number(good, 48, 0x7fc00000u), "position");
  expect_refused(with_number(good, 76, 0), "grid size");
  expect_refused(with_number(good, 76, 1024), "grid values");
  expect_refused(with_number(good, 76, 0x80000001u), "grid size");
  expect_refused(with_number(good, 88, 0xff800000u), "spacing");
  expect_refused(with_number(good, 96, 0x80008000u), "outermost");
}

TEST(SdfFile, SaysWhichFile) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("billow_bad_" + std::to_string(getpid()) + ".sdf");
  std::ofstream(path) << "this is no such file, though it has more bytes than a header";
  try {
    read_sdf_file(path);
    ADD_FAILURE();
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find(path.string()), std::string::npos) << e.what();
  }
  std::filesystem::remove(path);
  EXPECT_THROW(read_sdf_file(path), std::runtime_error);
  EXPECT_THROW(write_sdf_file(small_body(), path / "nowhere" / "x.sdf"), std::runtime_error);
}

}  // namespace
}  // namespace billow::fit
