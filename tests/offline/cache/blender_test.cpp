// Exchange with Blender, if it is installed: reads what its cloth solver and exporters write, and plays our
// caches with its Mesh Cache modifier. Set BILLOW_KEEP_BLENDER to a folder to keep the rendered picture.
#include "offline/cache/blender.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace billow::cache {
namespace {

constexpr size_t kFrames = 40, kSide = 21;

// Checks that the sheet falls and keeps its edge lengths as cloth does.
void expect_cloth(const Frames& cloth) {
  ASSERT_EQ(cloth.topology.vertices, kSide * kSide);
  ASSERT_EQ(cloth.topology.triangles.size(), 2 * (kSide - 1) * (kSide - 1));
  ASSERT_EQ(cloth.positions.size(), kFrames);
  const auto mean_height = [&](size_t frame) {
    float sum = 0;
    for (const V3& p : cloth.positions[frame]) sum += p.y;
    return sum / static_cast<float>(cloth.topology.vertices);
  };
  EXPECT_NEAR(mean_height(0), 0, 1e-5);
  EXPECT_LT(mean_height(10), -0.15f);
  EXPECT_LT(mean_height(kFrames - 1), -0.4f);
  // Measure the strain of edges along rows and columns.
  double sum = 0, max_strain = 0, count = 0;
  for (const std::vector<V3>& p : cloth.positions)
    for (size_t v = 0; v + kSide < p.size(); ++v)
      for (const size_t w : {v + 1, v + kSide}) {
        if (w == v + 1 && v % kSide == kSide - 1) continue;
        const double strain = static_cast<double>(length(p[w] - p[v])) * (kSide - 1) - 1;
        sum += std::abs(strain), max_strain = std::max(max_strain, std::abs(strain)), ++count;
      }
  EXPECT_LT(sum / count, 0.01);
  EXPECT_LT(max_strain, 0.05);
  std::printf(
      "  Blender's cloth: mean height at the end %.3f m, strain %.3f %% in the mean, %.2f %% at most\n",
      static_cast<double>(mean_height(kFrames - 1)), 100 * sum / count, 100 * max_strain);
}

TEST(BlenderSlow, ItsClothIsRead) {
  if (!there_is_blender()) GTEST_SKIP() << "there is no blender on the PATH";
  const Folder folder;
  run_blender("cache/blender_simulate.py", folder, kFrames);
  const auto truth = read_raw(folder / "truth.raw", kSide * kSide);
  // Blender writes OBJ y up with six digits, the other formats z up without conversion.
  const Frames pc2 = read_cache(folder / "sheet.pc2", {.z_up = true});
  const Frames mdd = read_cache(folder / "sheet.mdd", {.z_up = true});
  const Frames obj = read_cache(folder / "obj");
  expect_same(pc2.positions, truth, 0);
  expect_same(mdd.positions, truth, 0);
  expect_same(read_cache(folder / "y_up.pc2").positions, truth, 1e-6f);
  expect_same(obj.positions, truth, 2e-6f);
  EXPECT_EQ(mdd.fps, 24);
  EXPECT_EQ(obj.topology.uv_triangles.size(), obj.topology.triangles.size());
  expect_cloth(obj);
}

TEST(BlenderSlow, ItPlaysOurCaches) {
  if (!there_is_blender()) GTEST_SKIP() << "there is no blender on the PATH";
  const Folder folder;
  // A sheet in the xy plane that waves along z, so that a swap of any two axes shows.
  Frames sheet;
  sheet.fps = 24;
  sheet.topology.vertices = kSide * kSide;
  for (uint32_t row = 0; row + 1 < kSide; ++row)
    for (uint32_t column = 0; column + 1 < kSide; ++column) {
      const uint32_t a = static_cast<uint32_t>(kSide) * row + column, b = a + static_cast<uint32_t>(kSide);
      sheet.topology.triangles.push_back({a, a + 1, b + 1});
      sheet.topology.triangles.push_back({a, b + 1, b});
    }
  for (size_t f = 0; f < kFrames; ++f) {
    sheet.positions.emplace_back();
    for (size_t v = 0; v < kSide * kSide; ++v) {
      const float x = static_cast<float>(v % kSide) / (kSide - 1),
                  y = static_cast<float>(v / kSide) / (kSide - 1);
      sheet.positions.back().push_back(
          {x - 0.3f, y - 0.9f, 0.2f * (1 - y) * std::sin(7 * y + 3 * x + 0.3f * static_cast<float>(f))});
    }
  }
  for (const char* name : {"sheet.pc2", "sheet.mdd", "sheet.glb"}) write_cache(folder / name, sheet);
  Frames first = sheet;
  first.positions.resize(1);
  write_cache(folder / "sheet.obj", first);
  run_blender("cache/blender_play.py", folder, kFrames);
  for (const char* name : {"pc2.raw", "mdd.raw"})
    expect_same(read_raw(folder / name, kSide * kSide), sheet.positions, 1e-6f);
  if (std::filesystem::exists(folder / "glb.raw"))
    expect_same(read_raw(folder / "glb.raw", kSide * kSide), sheet.positions, 1e-6f);
  EXPECT_GT(std::filesystem::file_size(folder / "render.png"), 10000u);
  if (const char* keep = std::getenv("BILLOW_KEEP_BLENDER"))
    std::filesystem::copy_file(folder / "render.png", std::filesystem::path(keep) / "render.png",
                               std::filesystem::copy_options::overwrite_existing);
}

}  // namespace
}  // namespace billow::cache
