// `billow dataset import` and `export` as a user meets them.
#include <gtest/gtest.h>

#include "body/person.h"
#include "dataset/reader/dataset_file.h"
#include "garment/garment_file.h"
#include "motion/motions.h"
#include "offline/dataset/hanging_sheet.h"
#include "offline/fit/limb.h"
#include "offline/import/gltf_writer.h"
#include "tools/program.h"

namespace billow::dataset {
namespace {

using cache::write_cache;

class DatasetCli : public ::testing::Test {
 protected:
  DatasetCli() {
    const body::Person person = body::make_person();
    garment::Garment g = testing::hanging_sheet(person.skeleton, 0, {0, 1.1f, 0.5f});
    for (const uint32_t seed : {3u, 4u}) {
      const motion::Clip clip = motion::make_motion(person, {"walk", seed, 1, 24, 0});
      const std::string name = "walk" + std::to_string(seed) + ".pc2";
      write_cache(folder_ / name, testing::swinging(g, person.skeleton, clip));
    }
    garment::write_garment_file(g, person.skeleton, folder_ / "sheet.json");
    g.rest.clear();
    garment::write_garment_file(g, person.skeleton, folder_ / "bare.json");
  }
  void expect(const std::string& arguments, int code, const std::string& part) const {
    const auto [found, output] = run(arguments);
    EXPECT_EQ(found, code) << arguments << "\n" << output;
    EXPECT_NE(output.find(part), std::string::npos) << arguments << "\n" << output;
  }
  testing::Outcome run(const std::string& arguments) const {
    return testing::run_program("dataset " + arguments, folder_ / "");
  }
  cache::Folder folder_;
};

TEST_F(DatasetCli, ImportsAppendsAndExports) {
  const size_t before = folder_.entries();
  const std::string two =
      "import walk3.pc2 walk4.pc2 --fps 24 --garment sheet.json --motion walk:3 'walk 4' ";
  expect(two + "-o set --unseen walk4 --dry-run", 0,
         "walk4                   24 frames, walk 4, unseen, seam within 0.0 mm\n2 clips, 48 frames at 24 a "
         "second, 24 of them");
  EXPECT_EQ(folder_.entries(), before);
  expect(two + "-o set --unseen walk4", 0, "set: 48 frames in 2 clips");
  expect("check set", 0, "set is whole");
  expect("info set", 0, "sheet on the average person, imported: 25 vertices");
  expect("info set", 0, "chaos floor: was not measured");
  expect("info set --json", 0, "\"chaos_floor_mm\": {\"cloth\": null, \"bones\": null, \"clips\": 0}");

  expect("import walk3.pc2 --fps 24 --garment sheet.json --motion walk:3 -o one", 0, "24 frames in 1 clips");
  expect("import walk4.pc2 --fps 24 --motion walk:4 --append -o one", 0, "48 frames in 2 clips");
  expect("import walk4.pc2 --fps 24 --motion walk:4 --append -o one --dry-run", 0, "already there");
  expect("check one", 0, "one is whole");

  expect("export set --clip 1 -o new/back.mdd", 0, "new/back.mdd: walk4, 24 frames of 25 vertices at 24");
  const cache::Frames back = cache::read_cache(folder_ / "new/back.mdd"),
                      given = cache::read_cache(folder_ / "walk4.pc2");
  for (size_t f = 0; f < 24; ++f) EXPECT_EQ(cache::difference(back.positions[f], given.positions[f]), 0);
  expect("export set --clip 2 -o new/none.mdd", 1, "expected a clip below 2, found 2");
  expect("export set -o new/none.abc", 1, "expected .pc2");
}

TEST_F(DatasetCli, TakesTheRestFromACache) {
  const std::string import = "import walk3.pc2 --fps 24 --motion walk:3 --garment bare.json -o ";
  expect(import + "set", 1, "bare.json: expected a garment that has its rest");
  expect(import + "set --rest none.pc2", 1, "none.pc2: there is no such file");
  write_cache(folder_ / "small.obj", cache::waving_sheet(1));
  expect(import + "set --rest small.obj", 1,
         "small.obj: expected places of the garment's 25 vertices, found 9");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "set"));
  expect(import + "set --rest sheet_rest.npy", 0, "set: 24 frames");
  expect(import + "other --rest walk3.pc2", 0, "other: 24 frames");
  EXPECT_NE(cache::bytes_of(folder_ / "set/garment_rest.npy"),
            cache::bytes_of(folder_ / "other/garment_rest.npy"));
}

TEST_F(DatasetCli, SaysWhatIsWrong) {
  const std::string import = "import walk3.pc2 --fps 24 --garment sheet.json -o set ";
  const struct {
    std::string arguments;
    int code;
    const char* part;
  } cases[] = {{import, 2, "--motion is required"},
               {import + "--motion walk:3 walk:4", 1, "--motion: expected one for each of 1 caches"},
               {import + "--motion walk:3 --offset 1 2", 1, "--offset: expected one for each of 1 caches"},
               {import + "--motion tango", 1, "expected a motion: a .bvh"},
               {import + "--motion walk:x", 1, "found walk:x"},
               {import + "--motion none.bvh", 1, "none.bvh"},
               {import + "--motion walk:3 --scale 100", 1,
                "walk3.pc2: frame 0: expected the seam on the body as moved by walk:3"},
               {import + "--motion walk:3 --character a.glb", 1, "expected --character and --body together"},
               {import + "--motion walk:3 --append", 1, "leave out --garment"},
               {import + "--motion walk:3 --preset tall", 2, "--preset"},
               {"import walk3.pc2 --fps 24 --motion walk:3 -o set", 1, "expected --garment"},
               {"import walk3.pc2 --garment sheet.json --motion walk:3 -o set", 1, "give --fps"},
               {"import --help", 0, "billow dataset import run.pc2"},
               {"export --help", 0, "billow dataset export data/cape"}};
  for (const auto& c : cases) expect(c.arguments, c.code, c.part);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "set"));
}

// A character of two joints from a .glb, whose clip bends the upper one.
TEST_F(DatasetCli, TakesCharactersOfYourOwn) {
  folder_.put("strip.glb", bent_strip().bytes());
  testing::Limb strip;
  strip.skeleton.joints = {{"lower", body::kNoJoint, {{0, 0, 0}, {0, 0, 0, 1}}},
                           {"upper", 0, {{0, 1, 0}, {0, 0, 0, 1}}}};
  strip.colliders = {testing::capsule("low", 0, {0, 0, 0}, {0, 1, 0}, 0.1f, 0.1f),
                     testing::capsule("high", 1, {0, 1, 0}, {0, 2, 0}, 0.1f, 0.1f)};
  fit::write_body_file(fit::make_body_file("strip", strip.skeleton, strip.colliders), folder_ / "body.json");
  const garment::Garment g = testing::hanging_sheet(strip.skeleton, 1, {0, 1.5f, 0.5f});
  garment::write_garment_file(g, strip.skeleton, folder_ / "flag.json");
  motion::Clip clip;
  clip.frames_per_second = 24;
  for (int f = 0; f <= 24; ++f) {
    clip.frames.push_back(body::rest_pose(strip.skeleton));
    clip.frames.back().rotations[1] =
        body::rotation_about({0, 0, 1}, 1.5707963f * static_cast<float>(f) / 24);
  }
  write_cache(folder_ / "flag.mdd", testing::swinging(g, strip.skeleton, clip));

  const std::string import =
      "import flag.mdd --garment flag.json --character strip.glb --body body.json --motion strip.glb:bend ";
  expect(import + "-o set", 0, "set: 25 frames in 1 clips");
  expect("check set", 0, "set is whole");
  expect("info set", 0, "sheet on strip, imported");
  const OwnedCharacterBody character_body = read_dataset(folder_ / "set").character_body();
  EXPECT_EQ(character_body.skeleton.at("upper"), character_body.skeleton.find("upper"));
  EXPECT_EQ(character_body.colliders.size(), 2u);
  expect("show set --panels 2 -o strip.png", 0, "strip.png");
  expect("import flag.mdd --motion strip.glb:bend --append -o set", 0, "set: 25 frames in 1 clips");

  // Colliders of another character.
  strip.skeleton.joints[1].rest.position.y = 1.2f;
  fit::write_body_file(fit::make_body_file("strip", strip.skeleton, strip.colliders), folder_ / "body.json");
  expect(import + "-o other", 1, "body.json: body file: expected joint 'upper' to rest at [0, 1.2, 0]");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "other"));
}

}  // namespace
}  // namespace billow::dataset
