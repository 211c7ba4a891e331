// `billow cache` as a user meets it.
#include <gtest/gtest.h>

#include "offline/cache/caches.h"
#include "tools/program.h"

namespace billow::cache {
namespace {

class CacheCli : public ::testing::Test {
 protected:
  void expect(const std::string& arguments, int code, const std::string& part) {
    const auto [found, output] = run(arguments);
    EXPECT_EQ(found, code) << output;
    EXPECT_NE(output.find(part), std::string::npos) << output;
  }
  testing::Outcome run(const std::string& arguments) {
    return testing::run_program("cache " + arguments, folder_ / "");
  }
  Folder folder_;
};

TEST_F(CacheCli, SaysWhatIsInACache) {
  write_cache(folder_ / "a.mdd", waving_sheet());
  expect("info a.mdd", 0,
         "frames              5 at 30 a second\nvertices            9\ntriangles           none\n");
  expect("info a.mdd --json", 0,
         "{\"file\":\"a.mdd\",\"name\":\"a\",\"format\":\"MDD\",\"frames\":5,\"frames_per_second\":30.0,"
         "\"vertices\":9,"
         "\"triangles\":0,\"uvs\":0,\"low\":[0.0,");
  write_cache(folder_ / "a.pc2", waving_sheet());
  expect("info a.pc2 --json", 0, "\"frames_per_second\":null,");
  expect("info b.pc2", 1, "billow: b.pc2: there is no such file\n");
  expect("info", 2, "file is required");
  expect("info --help", 0, "billow cache info cape.pc2");
}

TEST_F(CacheCli, ConvertsThroughAllFormatsAndBack) {
  const Frames sheet = waving_sheet();
  write_cache(folder_ / "a_####.obj", sheet);
  Frames first = sheet;
  first.positions.resize(1);
  write_cache(folder_ / "mesh.obj", first);
  expect("convert a_####.obj a.pc2", 0, "a.pc2: 5 frames of 9 vertices\n");
  expect("convert a.pc2 a.mdd --fps 25", 0, "a.mdd: 5 frames");
  expect("convert a.mdd a.glb --topology mesh.obj --scale 2", 0, "a.glb: 5 frames");
  expect("convert a.glb a.usda", 0, "a.usda: 5 frames");
  expect("convert a.glb b --scale 0.5 --z-up", 0, "b: 5 frames");
  const Frames back = read_cache(folder_ / "b");
  for (size_t f = 0; f < 5; ++f)
    for (size_t v = 0; v < 9; ++v) {
      const V3 p = sheet.positions[f][v];
      EXPECT_LT(length(back.positions[f][v] - V3{p.x, p.z, -p.y}), 1e-6f);
    }
  EXPECT_EQ(back.topology.triangles, sheet.topology.triangles);
  EXPECT_EQ(read_cache(folder_ / "a.glb").fps, 25);
}

TEST_F(CacheCli, SaysWhichOptionIsMissing) {
  write_cache(folder_ / "a.pc2", waving_sheet());
  expect("convert a.pc2 a.glb --fps 30", 1, "expected triangles, which its source does not have");
  expect("convert a.pc2 a.glb --fps 30", 1, "(--topology mesh.obj)");
  expect("convert a.pc2 a.mdd", 1, "(--fps 30)");
  folder_.put("mesh.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n");
  expect("convert a.pc2 a.glb --fps 30 --topology mesh.obj", 1,
         "billow: mesh.obj: expected 9 vertices as a.pc2 has, found 3\n");
  expect("convert a.pc2 a.mdd --scale -1", 2, "--scale");
  EXPECT_EQ(folder_.entries(), 2u);
}

TEST_F(CacheCli, LeavesNothingWhenAFrameIsBad) {
  write_cache(folder_ / "a.pc2", waving_sheet());
  std::string bytes = bytes_of(folder_ / "a.pc2");
  bytes.replace(bytes.size() - 4, 4, "\xff\xff\xff\x7f");
  folder_.put("a.pc2", bytes);
  expect("convert a.pc2 b.mdd --fps 30", 1, "a.pc2: frame 4, vertex 8: expected finite numbers, found ");
  EXPECT_EQ(folder_.entries(), 1u);
}

}  // namespace
}  // namespace billow::cache
