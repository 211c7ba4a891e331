// Data sets store the user's own characters.
#include "dataset/reader/character_body.h"

#include <gtest/gtest.h>

#include "dataset/exchange/caches.h"
#include "hanging_sheet.h"
#include "offline/fit/limb.h"

namespace billow::dataset {
namespace {

namespace fs = std::filesystem;

OwnedCharacterBody limb() {
  const testing::Limb limb = testing::make_limb();
  return own_character_body("limb", limb.skeleton,
                            fit::make_body_file("limb", limb.skeleton, limb.colliders));
}

void expect_same(const OwnedCharacterBody& a, const OwnedCharacterBody& b) {
  EXPECT_EQ(a.preset, b.preset);
  EXPECT_EQ(a.character, b.character);
  EXPECT_EQ(skeleton_to_text(a.skeleton), skeleton_to_text(b.skeleton));
  ASSERT_EQ(a.colliders.size(), b.colliders.size());
  EXPECT_EQ(a.collider_names, b.collider_names);
  for (size_t i = 0; i < a.colliders.size(); ++i) {
    EXPECT_EQ(a.colliders[i].joint[0], b.colliders[i].joint[0]);
    EXPECT_EQ(a.colliders[i].radius, b.colliders[i].radius);
    EXPECT_EQ(a.colliders[i].end[1], b.colliders[i].end[1]);
    EXPECT_EQ(a.colliders[i].blend_with, b.colliders[i].blend_with);
  }
}

TEST(DatasetCharacter, RoundTrips) {
  const cache::Folder folder;
  const OwnedCharacterBody own = limb();
  write_character_body(own, folder / "");
  expect_same(read_character_body(folder / "", "", "limb"), own);
  // The built-in person needs no files.
  const cache::Folder none;
  write_character_body(person_as_character_body("slim"), none / "");
  EXPECT_EQ(none.entries(), 0u);
  EXPECT_EQ(read_character_body(none / "", "slim", "").skeleton.size(), 22u);
  EXPECT_THROW(read_character_body(none / "", "", "limb"), std::runtime_error);
}

TEST(DatasetCharacter, SkeletonsRoundTripExactly) {
  body::Skeleton skeleton = limb().skeleton;
  skeleton.joints[1].name = "a \"name\" \\ with\ttabs";
  skeleton.joints[1].rest.position = {0.1f, 1e-30f, -1.0f / 3};
  const std::string text = skeleton_to_text(skeleton);
  const body::Skeleton back = skeleton_from_text(text);
  EXPECT_EQ(back.joints[1].name, skeleton.joints[1].name);
  EXPECT_EQ(back.joints[1].parent, 0);
  EXPECT_EQ(back.joints[1].rest.position.z, -1.0f / 3);
  EXPECT_EQ(skeleton_to_text(back), text);
}

TEST(DatasetCharacter, ReportsInvalidSkeletons) {
  const std::string good = skeleton_to_text(limb().skeleton);
  const struct {
    const char *from, *to, *message;
  } cases[] = {{"billow skeleton", "billow body", "format: expected \"billow skeleton\""},
               {"\"version\": 1", "\"version\": 2", "version: expected version 1"},
               {"\"parent\": null", "\"parent\": \"tail\"", "joints[0].parent: expected null"},
               {"\"parent\": \"upper\"", "\"parent\": \"tail\"", "joints[1].parent: expected the name of an"},
               {"\"parent\": \"upper\"", "\"parent\": null", "joints[1].parent: expected the name of an"},
               {"\"lower\"", "\"upper\"", "upper"},
               {"[0, 0, 0, 1]", "[0, 0, 0, 0]", "rotation"},
               {"[0, 0, 0, 1]", "[0, 0, 1]", "joints[0].rotation"},
               {"\"name\"", "\"nom\"", "nom"}};
  for (const auto& c : cases) {
    std::string text = good;
    text.replace(text.find(c.from), std::string(c.from).size(), c.to);
    try {
      skeleton_from_text(text);
      ADD_FAILURE() << c.to;
    } catch (const std::runtime_error& e) {
      EXPECT_NE(std::string(e.what()).find(c.message), std::string::npos) << e.what();
    }
  }
}

TEST(DatasetCharacter, IsStoredInTheFolder) {
  const cache::Folder folder;
  const OwnedCharacterBody own = limb();
  ImportJob job;
  job.folder = folder / "out";
  job.character_body = own;
  job.garment = testing::hanging_sheet(own.skeleton, 1, {0.6f, 0.8f, 0.3f});
  motion::Clip clip;
  clip.name = "bends";
  clip.frames = testing::bends(testing::make_limb(), {0, 0.02f, 0.05f, 0.1f, 0.15f, 0.2f, 0.22f, 0.23f});
  cache::write_cache(folder / "a.mdd", testing::swinging(job.garment, own.skeleton, clip));
  job.clips.push_back({folder / "a.mdd", "bends", [clip](size_t, double) { return clip; }, 0});
  import_caches(job);

  // The folder is self-contained.
  const DatasetInfo info = read_dataset(job.folder);
  EXPECT_TRUE(info.preset.empty());
  EXPECT_EQ(info.character, "limb");
  EXPECT_TRUE(info.clips[0].usable);
  expect_same(info.character_body(), own);
  EXPECT_TRUE(check_dataset(info).empty());
  merge_dataset({job.folder}, folder / "merged");
  expect_same(read_dataset(folder / "merged").character_body(), own);
  fs::remove(job.folder / "body.json");
  EXPECT_NE(check_dataset(info)[0].find("body.json"), std::string::npos);
}

}  // namespace
}  // namespace billow::dataset
