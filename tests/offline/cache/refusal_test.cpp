// Files as other tools write them, and damaged ones: each error message names the file and the frame.
#include <gtest/gtest.h>

#include <bit>

#include "offline/cache/caches.h"
#include "offline/import/gltf_writer.h"
#include "support/random.h"

namespace billow::cache {
namespace {

void expect_refusal(const std::filesystem::path& path, const std::string& expected,
                    const OpenOptions& options = {}) {
  const std::string message = message_of([&] { read_cache(path, options); });
  EXPECT_NE(message.find(expected), std::string::npos) << message;
  const std::string stem = path.filename().string().substr(0, path.filename().string().find('#'));
  EXPECT_NE(message.find(stem), std::string::npos) << message;
}

std::string little(std::initializer_list<uint32_t> words) {
  std::string out;
  for (const uint32_t word : words)
    for (int k = 0; k < 32; k += 8) out += static_cast<char>(word >> k);
  return out;
}
std::string big(std::initializer_list<uint32_t> words) {
  std::string out;
  for (const uint32_t word : words)
    for (int k = 24; k >= 0; k -= 8) out += static_cast<char>(word >> k);
  return out;
}
constexpr uint32_t k1 = 0x3f800000, k2 = 0x40000000, kMinus2 = 0xc0000000, kHalf = 0x3f000000,
                   kNan = 0x7fc00000, kInfinity = 0x7f800000;
const std::string kMagic("POINTCACHE2", 12);

TEST(Pc2, ReadsBytesAsTheFormatHasThem) {
  const Folder folder;
  const auto path = folder.put("cape.pc2", kMagic + little({1, 2, 0, k1, 2}) +
                                               little({k1, k2, kMinus2, 0, 0, 0, kHalf, k1, k2, k1, k1, k1}));
  const Frames frames = read_cache(path);
  EXPECT_EQ(open_cache(path)->info().name, "cape");
  EXPECT_EQ(open_cache(path)->info().format, "PC2");
  EXPECT_EQ(frames.fps, 0);
  ASSERT_EQ(frames.positions.size(), 2u);
  EXPECT_EQ(length(frames.positions[0][0] - V3{1, 2, -2}), 0);
  EXPECT_EQ(length(frames.positions[1][0] - V3{0.5f, 1, 2}), 0);
  // The magic bytes decide, whatever the extension.
  std::filesystem::rename(path, folder / "cape.mdd");
  EXPECT_EQ(open_cache(folder / "cape.mdd")->info().format, "PC2");
  // Writing gives the same bytes.
  write_cache(folder / "again.pc2", frames);
  EXPECT_EQ(bytes_of(folder / "again.pc2"), bytes_of(folder / "cape.mdd"));
}

TEST(Pc2, RefusesBadFiles) {
  const Folder folder;
  const std::string frame = little({k1, k2, kMinus2}), head = kMagic + little({1, 1, 0, k1});
  expect_refusal(folder.put("a.pc2", "POINTCACHE2"),
                 "expected a header of 32 bytes, found the end of the file after 11");
  expect_refusal(folder.put("a.pc2", "hello, this is not a cache"), "expected 'POINTCACHE2'");
  expect_refusal(folder.put("a.pc2", kMagic + big({1, 1, 0, k1, 1}) + frame),
                 "expected little-endian numbers, found big-endian ones");
  expect_refusal(folder.put("a.pc2", kMagic + little({2, 1, 0, k1, 1}) + frame),
                 "expected version 1, found 2");
  expect_refusal(folder.put("a.pc2", kMagic + little({1, 1, kNan, k1, 1}) + frame),
                 "expected a finite start frame");
  expect_refusal(folder.put("a.pc2", head + little({0})), "found 0 frames of 1 vertices");
  expect_refusal(folder.put("a.pc2", head + little({3}) + frame + frame + "abc"),
                 "expected 3 frames of 1 vertices as its header says, found 2 in its 59 bytes");
  expect_refusal(folder.put("a.pc2", head + little({1}) + frame + "x"), "found more in its 45 bytes");
  expect_refusal(folder.put("a.pc2", kMagic + little({1, 0x7fffffff, 0, k1, 0x7fffffff}) + frame),
                 "as its header says, found 0 in its");
  expect_refusal(folder.put("a.pc2", kMagic + little({1, 0x80000000, 0, k1, 2}) + frame),
                 "2147483648 vertices");
  expect_refusal(folder.put("a.pc2", head + little({2}) + frame + little({k1, kNan, k1})),
                 "frame 1, vertex 0: expected finite numbers, found 1 nan 1");
  expect_refusal(folder.put("a.pc2", head + little({1}) + little({kInfinity, k1, k1})),
                 "frame 0, vertex 0: ");
}

TEST(Mdd, ReadsBytesAsTheFormatHasThem) {
  const Folder folder;
  const std::string bytes = big({2, 1, 0, kHalf, k1, k2, kMinus2, kHalf, k1, k2});
  const auto path = folder.put("cape.MDD", bytes);
  const Frames frames = read_cache(path);
  EXPECT_EQ(open_cache(path)->info().format, "MDD");
  EXPECT_EQ(frames.fps, 2);
  ASSERT_EQ(frames.positions.size(), 2u);
  EXPECT_EQ(length(frames.positions[0][0] - V3{1, 2, -2}), 0);
  EXPECT_EQ(length(frames.positions[1][0] - V3{0.5f, 1, 2}), 0);
  write_cache(folder / "again.mdd", frames);
  EXPECT_EQ(bytes_of(folder / "again.mdd"), bytes);
  // Some tools write 0 for all times.
  EXPECT_EQ(read_cache(folder.put("b.mdd", big({2, 1, 0, 0, k1, k2, kMinus2, kHalf, k1, k2}))).fps, 0);
}

TEST(Mdd, RefusesBadFiles) {
  const Folder folder;
  expect_refusal(folder.put("a.mdd", big({2})),
                 "expected a header of 8 bytes, found the end of the file after 4");
  expect_refusal(folder.put("a.mdd", little({2, 1, 0, kHalf, k1, k2, kMinus2, kHalf, k1, k2})),
                 "expected big-endian numbers, found little-endian ones");
  expect_refusal(folder.put("a.mdd", big({2, 1, 0, kHalf, k1, k2, kMinus2})), "found 1 in its 28 bytes");
  expect_refusal(folder.put("a.mdd", big({0, 1})), "found 0 frames of 1 vertices");
  expect_refusal(folder.put("a.mdd", big({0x7fffffff, 0x7fffffff, 0})), "as its header says, found 0 in its");
  expect_refusal(folder.put("a.mdd", big({2, 1, k1, kHalf, k1, k2, kMinus2, kHalf, k1, k2})),
                 "frame 1: expected a time of at least 1 s, found 0.5");
  expect_refusal(folder.put("a.mdd", big({2, 1, 0, kHalf, k1, k2, kMinus2, kHalf, kNan, k2})),
                 "frame 1, vertex 0: ");
}

const std::string kQuad = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

TEST(Obj, TriangulatesPolygonsAndKeepsUvsOfCorners) {
  const Folder folder;
  const auto path = folder.put(
      "a.obj", "# by hand\r\nmtllib x.mtl\no sheet\n" + kQuad +
                   "v 2 0.5 1e-60 1.0\nvt 0 0\nvt 1 0 0\nvt 1 1\nvt .5\nvn 0 0 1\ng one\nusemtl red\ns off\n"
                   "f 1/1/1 2/2/1 3/3/1 \\\n 4/-1\nl 1 2\nf -4//1 -1//1 -3//1\n");
  const Topology t = read_cache(path).topology;
  EXPECT_EQ(t.vertices, 5u);
  EXPECT_EQ(t.triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}, {1, 4, 2}}));
  // The face without UVs gets 0 0.
  EXPECT_EQ(t.uv_triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}, {4, 4, 4}}));
  EXPECT_EQ(t.uvs[3], (Uv{0.5f, 0}));
  EXPECT_EQ(t.uvs[4], (Uv{0, 0}));
}

TEST(Obj, FindsSequencesByPatternAndFolder) {
  const Folder folder;
  for (const char* name : {"cape.9.obj", "cape.10.obj", "cape.11.obj", "notes.txt"})
    folder.put(name, kQuad + "f 1 2 3 4\n");
  EXPECT_EQ(read_cache(folder / "cape.#.obj").positions.size(), 3u);
  EXPECT_EQ(read_cache(folder / "cape.%d.obj").positions.size(), 3u);
  EXPECT_EQ(read_cache(folder / "cape.##.obj").positions.size(), 2u);
  EXPECT_EQ(read_cache(folder / ".").positions.size(), 3u);
  EXPECT_EQ(open_cache(folder / "cape.#.obj")->info().name, "cape");
  EXPECT_EQ(read_cache(folder / "cape.9.obj").positions.size(), 1u);
}

TEST(Obj, RefusesBadSequences) {
  const Folder folder;
  const std::string good = kQuad + "f 1 2 3 4\n";
  folder.put("a_1.obj", good);
  const auto second = [&](const std::string& text, const std::string& expected) {
    folder.put("a_2.obj", text);
    expect_refusal(folder / "a_#.obj", expected);
    const std::string message = message_of([&] { read_cache(folder / "a_#.obj"); });
    EXPECT_NE(message.find("a_2.obj: "), std::string::npos) << message;
  };
  second(good + "v 0 0 0\n", "frame 1: expected 4 vertices as in a_1.obj, found 5");
  second(kQuad + "f 1 2 3\n", "frame 1: expected 2 triangles as in a_1.obj, found 1");
  second(kQuad + "f 2 3 4 1\n", "frame 1: expected the same triangles as in a_1.obj, found others");
  second("v 0 0 nan\n" + good, "line 1: expected a finite number, found 'nan'");
  second("v 0 0 1e39\n" + good, "line 1: expected a finite number, found '1e39'");
  second(good.substr(0, 22), "line 3: expected a finite number, found the end of the line");
  second(kQuad + "f 1 2 5\n", "line 5: expected an index of one of 4 vertices so far, found '5'");
  second(kQuad + "f 1 2 0\n", "found '0'");
  second(kQuad + "f 1 2 -5\n", "found '-5'");
  second(kQuad + "f 1/1 2/1 3/1\n", "one of 0 UVs so far, found '1'");
  second(kQuad + "f 1 2\n", "expected at least 3 corners of a face");
  second("", "expected vertices ('v x y z'), found none");

  folder.put("a_2.obj", good);
  folder.put("a_4.obj", good);
  expect_refusal(folder / "a_#.obj", "frame 2: expected the file a_3.obj, found a_4.obj next");
  expect_refusal(folder / "b_#.obj", "expected files of that pattern, found none");
  folder.put("a_003.obj", good);
  EXPECT_NE(message_of([&] { read_cache(folder / "."); }).find("a_003.obj: expected a number with 1 digits"),
            std::string::npos);
  folder.put("b_1.obj", good);
  EXPECT_NE(
      message_of([&] { read_cache(folder / "."); }).find("expected one sequence, found a_4.obj and b_1.obj"),
      std::string::npos);
  folder.put("aa.obj", good);
  EXPECT_NE(message_of([&] { read_cache(folder / "."); }).find("aa.obj: expected a frame number"),
            std::string::npos);
  EXPECT_NE(message_of([&] { read_cache(Folder() / "."); }).find("expected .obj files, found none"),
            std::string::npos);
}

TEST(Cache, SaysWhatItCannotOpen) {
  const Folder folder;
  expect_refusal(folder / "gone.pc2", "gone.pc2: there is no such file");
  expect_refusal(folder.put("a.txt", "hello"), "a.txt: expected .pc2, .mdd, .glb");
  expect_refusal(folder.put("a.abc", "Ogawa"), "a.abc: .abc is not read");
}

// Truncates and changes bytes at random; the result is read as finite positions or rejected.
void mutate(const std::string& name, int rounds) {
  const Folder folder;
  write_cache(folder / ("good_" + name), waving_sheet(3));
  const std::string good = bytes_of(folder / ("good_" + name));
  testing::Random random(7);
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string bytes = good;
    if (round % 2 == 0)
      bytes.resize(random.bits() % bytes.size());
    else
      for (uint32_t k = 0, n = 1 + random.bits() % 4; k < n; ++k)
        bytes[random.bits() % (round % 4 == 1 ? std::min<size_t>(bytes.size(), 64) : bytes.size())] =
            static_cast<char>(random.bits());
    const auto path = folder.put(name, bytes);
    try {
      for (const auto& frame : read_cache(path).positions)
        for (const V3& p : frame)
          ASSERT_TRUE(std::isfinite(p.x + p.y + p.z) || std::abs(p.x) > 1e30f || std::abs(p.y) > 1e30f ||
                      std::abs(p.z) > 1e30f);
    } catch (const std::runtime_error& e) {
      ++refused;
      EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
    }
  }
  EXPECT_GT(refused, rounds / 4) << name;
}

TEST(Cache, ReadsOrRefusesDamagedFiles) {
  mutate("a.pc2", 1000);
  mutate("a.mdd", 1000);
  mutate("a.glb", 1000);
  mutate("a.gltf", 1000);
}

TEST(Cache, ReadsOrRefusesDamagedObjFiles) {
  const Folder folder;
  write_cache(folder / "good.obj", waving_sheet(1));
  const std::string good = bytes_of(folder / "good.obj");
  for (size_t k = 0; k < good.size(); ++k) {
    std::string bytes = good;
    bytes[k] = "0/-9\n\\f\xff"[k % 8];
    for (const std::string& text : {bytes, good.substr(0, k)}) {
      const std::string message = message_of([&] { read_cache(folder.put("a.obj", text)); });
      EXPECT_TRUE(message == "(nothing was thrown)" || message.find("a.obj: ") != std::string::npos)
          << message;
    }
  }
}

TEST(Cache, ReadsOrRefusesChangedGltf) {
  const Folder folder;
  write_cache(folder / "good.glb", waving_sheet(3));
  const GltfWriter good(bytes_of(folder / "good.glb"));
  for (uint32_t seed = 0; seed < 1500; ++seed) {
    const auto path = folder.put("a.glb", changed(good, seed));
    const std::string message = message_of([&] { read_cache(path); });
    EXPECT_TRUE(message == "(nothing was thrown)" || message.find("a.glb") != std::string::npos) << message;
  }
}

}  // namespace
}  // namespace billow::cache
