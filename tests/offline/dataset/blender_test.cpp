// Data sets to and from Blender, if installed: cloth simulated by Blender on a walking body is imported as a
// data set, and its exported clip is played by Blender's Mesh Cache modifier.
#include <gtest/gtest.h>

#ifdef BILLOW_PROGRAM
#include "body/person.h"
#include "body/skin.h"
#include "dataset/reader/dataset_file.h"
#include "garment/garment_file.h"
#include "hanging_sheet.h"
#include "motion/motions.h"
#include "offline/cache/blender.h"
#include "tools/program.h"

namespace billow::dataset {
namespace {

using cache::Frames;

constexpr size_t kStandingFrames = 12, kFrames = 36;  // frames of standing, then of walking

V3 to_blender(V3 p) { return {p.x, -p.z, p.y}; }

// Writes name.obj and name.pc2 in Blender's axes.
template <class SetPositions>
void write_moving(const cache::Folder& folder, const std::string& name, size_t vertices,
                  const std::vector<body::Triangle>& triangles,
                  const std::vector<std::vector<Transform>>& joints, const SetPositions& set_positions) {
  Frames out{{vertices, triangles, {}, {}}, 24, {}};
  for (const auto& pose : joints) {
    out.positions.emplace_back(vertices);
    set_positions(pose, out.positions.back());
    for (V3& p : out.positions.back()) p = to_blender(p);
  }
  write_cache(folder / (name + ".pc2"), out);
  out.positions.resize(1);
  write_cache(folder / (name + ".obj"), out);
}

TEST(BlenderSlow, ImportsAndExportsItsCloth) {
  if (!cache::there_is_blender()) GTEST_SKIP() << "there is no blender on the PATH";
  const cache::Folder folder;
  const body::Person person = body::make_person();
  const auto chest = static_cast<uint32_t>(person.skeleton.at("chest"));
  // A sheet that hangs close to the back.
  const garment::Garment g = testing::hanging_sheet(person.skeleton, chest, {0, 1.35f, -0.24f},
                                                    {.columns = 11, .rows = 19, .spacing = 0.05f});
  garment::write_garment_file(g, person.skeleton, folder / "sheet.json");
  std::string attachment_points;
  for (const garment::Attachment& a : g.attachments) attachment_points += std::to_string(a.vertex) + " ";
  folder.put("pins", attachment_points);

  const motion::Clip clip = motion::make_motion(person, {"walk", 3, kFrames / 24.0, 24, 0});
  std::vector<std::vector<Transform>> joints;
  for (const body::Pose& pose : clip.frames) joints.push_back(joint_transforms(person.skeleton, pose));
  joints.insert(joints.begin(), kStandingFrames, joints[0]);
  const Transform rest = rest_transforms(person.skeleton)[chest];
  write_moving(folder, "garment", g.size(), g.triangles, joints, [&](const auto& pose, auto& out) {
    const Transform moved = pose[chest] * inverse(rest);
    for (size_t v = 0; v < g.size(); ++v) out[v] = apply(moved, g.rest[v]);
  });
  const body::Skin skin = body::make_skin(person.skeleton, person.colliders, {.vertices = 1500});
  write_moving(folder, "body", skin.mesh.positions.size(), skin.mesh.triangles, joints,
               [&](const auto& pose, auto& out) { skin_vertices(skin, pose, out); });
  cache::run_blender("dataset/blender_dress.py", folder, kStandingFrames + kFrames);

  // The cloth swings: it differs from the garment moved rigidly with the body.
  const Frames simulated = cache::read_cache(folder / "cloth.pc2"),
               carried = cache::read_cache(folder / "garment.pc2");
  ASSERT_EQ(simulated.positions.size(), kStandingFrames + kFrames);
  float largest = 0;
  for (size_t f = 0; f < simulated.positions.size(); ++f)
    largest = std::max(largest, cache::difference(simulated.positions[f], carried.positions[f]));
  EXPECT_GT(largest, 0.02f);
  EXPECT_LT(largest, 1);

  const auto run = [&](const std::string& arguments) {
    const testing::Outcome outcome = testing::run_program("dataset " + arguments, folder / "");
    EXPECT_EQ(outcome.code, 0) << arguments << "\n" << outcome.output;
  };
  run("import cloth.pc2 --fps 24 --z-up --offset -12 --garment sheet.json --motion walk:3 -o set");
  run("check set");
  const DatasetInfo info = read_dataset(folder / "set");
  ASSERT_EQ(info.clips.size(), 1u);
  const ClipInfo& made = info.clips[0];
  EXPECT_EQ(made.frames, kFrames);
  EXPECT_TRUE(made.usable);
  EXPECT_LT(made.strain_mean, 5);
  std::printf(
      "  Blender's cloth: strain %.2f %% in the mean, %.1f %% at the worst p99, %.1f mm deep, swings by %.2f "
      "m\n",
      made.strain_mean, made.strain_worst_p99, made.deepest, static_cast<double>(largest));

  // Export the clip and play it in Blender.
  for (const char* name : {"sheet.pc2", "sheet.mdd", "sheet.glb"}) run(std::string("export set -o ") + name);
  std::filesystem::copy_file(folder / "set/garment_mesh.obj", folder / "sheet.obj");
  cache::run_blender("cache/blender_play.py", folder, kFrames);
  Frames cloth = cache::read_cache(folder / "cloth.pc2", {.z_up = true});
  cloth.positions.erase(cloth.positions.begin(), cloth.positions.begin() + kStandingFrames);
  for (const char* name : {"pc2.raw", "mdd.raw"})
    cache::expect_same(cache::read_raw(folder / name, g.size()), cloth.positions, 1e-6f);
  if (const char* keep = std::getenv("BILLOW_KEEP_BLENDER"))
    std::filesystem::copy_file(folder / "render.png", std::filesystem::path(keep) / "dress.png",
                               std::filesystem::copy_options::overwrite_existing);
}

}  // namespace
}  // namespace billow::dataset
#endif
