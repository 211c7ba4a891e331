// Import of mesh caches as data sets, and export of clips.
#include <gtest/gtest.h>

#include <map>

#include "dataset/exchange/caches.h"
#include "files/npy.h"
#include "garment/garment_file.h"
#include "hanging_sheet.h"

namespace billow::dataset {
namespace {

namespace fs = std::filesystem;
using cache::Folder;
using cache::Frames;
using cache::write_cache;

class DatasetImport : public ::testing::Test {
 protected:
  DatasetImport()
      : character_body_(person_as_character_body("average")),
        garment_(testing::hanging_sheet(character_body_.skeleton, 0, {0, 1.1f, 0.5f})),
        clip_(testing::stroll(character_body_.skeleton, 40)),
        cloth_(testing::swinging(garment_, character_body_.skeleton, clip_)) {}

  ImportJob job(const std::vector<std::string>& caches) const {
    ImportJob out;
    out.folder = folder_ / "out";
    out.garment = garment_;
    out.character_body = character_body_;
    out.threads = 2;
    for (const std::string& name : caches)
      out.clips.push_back({folder_ / name, "stroll.bvh", [clip = clip_](size_t, double) { return clip; }, 0});
    return out;
  }
  // The motion with another turning rate, and its cloth.
  void write_other(const std::string& name, float turn, ImportJob& job, size_t c) const {
    const motion::Clip clip = testing::stroll(character_body_.skeleton, 40, turn);
    write_cache(folder_ / name, testing::swinging(garment_, character_body_.skeleton, clip));
    job.clips[c].motion = [clip](size_t, double) { return clip; };
  }
  std::string refusal(const ImportJob& job) const {
    try {
      import_caches(job);
    } catch (const std::exception& e) {
      return e.what();
    }
    return "(imported)";
  }
  // The import fails with a message that contains all of `parts`, and writes nothing.
  void expect_refused(const ImportJob& job, const std::vector<std::string>& parts) const {
    const size_t before = folder_.entries();
    const std::string message = refusal(job);
    for (const std::string& part : parts)
      EXPECT_NE(message.find(part), std::string::npos) << part << "\nin: " << message;
    EXPECT_EQ(folder_.entries(), before) << message;
  }
  std::map<std::string, std::string> bytes_of(const fs::path& folder) const {
    std::map<std::string, std::string> out;
    for (const auto& file : fs::recursive_directory_iterator(folder))
      if (file.is_regular_file())
        out[fs::relative(file.path(), folder).string()] = cache::bytes_of(file.path());
    return out;
  }

  Folder folder_;
  OwnedCharacterBody character_body_;
  garment::Garment garment_;
  motion::Clip clip_;
  Frames cloth_;
};

TEST_F(DatasetImport, ReadsEveryFormat) {
  for (const char* name : {"a.pc2", "b.mdd", "c.glb", "d_####.obj"}) write_cache(folder_ / name, cloth_);
  ImportJob j = job({"a.pc2", "b.mdd", "c.glb", "d_####.obj"});
  j.open.fps = 30;
  j.unseen = {"1"};
  import_caches(j);

  const DatasetInfo info = read_dataset(j.folder);
  EXPECT_TRUE(check_dataset(info).empty());
  EXPECT_TRUE(info.imported);
  EXPECT_TRUE(info.chaos.empty());
  EXPECT_EQ(info.preset, "average");
  EXPECT_EQ(info.garment, "sheet");
  EXPECT_EQ(info.frames_per_second, 30);
  EXPECT_EQ(info.vertices, 25u);
  EXPECT_EQ(info.simulated_bones, 12u);
  EXPECT_EQ(info.frames(Part::kTrain), 96u);
  EXPECT_EQ(info.frames(Part::kValidation), 12u);
  EXPECT_EQ(info.frames(Part::kHoldout), 12u);
  EXPECT_EQ(info.frames(Part::kUnseen), 40u);
  ASSERT_EQ(info.clips.size(), 4u);
  EXPECT_EQ(info.clips[3].parts, std::string(40, 'u'));
  for (size_t c = 0; c < 4; ++c) {
    EXPECT_TRUE(info.clips[c].usable);
    EXPECT_LT(info.clips[c].strain_max, 0.01);
    const files::NpyMap cloth(info.clip_folder(c) / "cloth.npy"), bones(info.clip_folder(c) / "bones.npy"),
        rope(info.clip_folder(c) / "rope.npy"), joints(info.clip_folder(c) / "joints.npy");
    for (size_t f = 0; f < 40; f += 13) {
      const auto posed = body::joint_transforms(character_body_.skeleton, clip_.frames[f]);
      EXPECT_EQ(joints.row(f)[2], posed[0].position.z);
      for (size_t v = 0; v < 25; ++v) {
        EXPECT_NEAR(cloth.row(f)[3 * v + 2], cloth_.positions[f][v].z, 1e-6f);
        // Each vertex has a bone. Attached bones of the ropes follow the body exactly.
        EXPECT_EQ(bones.row(f)[3 * v + 1], cloth.row(f)[3 * v + 1]);
        if (v < 5) {
          EXPECT_NEAR(rope.row(f)[3 * v], cloth.row(f)[3 * v], 1e-5f);
        }
      }
    }
  }
  EXPECT_EQ(garment::read_garment_file(j.folder / "garment.json", character_body_.skeleton).rest.size(), 25u);
}

TEST_F(DatasetImport, OffsetsSkipClothOrMotion) {
  // Ten frames of cloth before the motion, and cloth that starts at frame 10 of the motion.
  Frames early = cloth_, late = cloth_;
  early.positions.insert(early.positions.begin(), 10, cloth_.positions[0]);
  late.positions.erase(late.positions.begin(), late.positions.begin() + 10);
  write_cache(folder_ / "early.mdd", early);
  write_cache(folder_ / "late.mdd", late);
  ImportJob j = job({"early.mdd", "late.mdd"});
  j.clips[0].offset = -10, j.clips[1].offset = 10;
  import_caches(j);
  const DatasetInfo info = read_dataset(j.folder);
  ASSERT_EQ(info.clips[0].frames, 40u);
  ASSERT_EQ(info.clips[1].frames, 30u);
  for (const char* file : {"cloth.npy", "joints.npy"}) {
    const files::NpyMap a(info.clip_folder(0) / file), b(info.clip_folder(1) / file);
    for (size_t f = 0; f < 30; ++f)
      EXPECT_TRUE(std::equal(a.row(f + 10).begin(), a.row(f + 10).end(), b.row(f).begin())) << file << f;
  }
}

TEST_F(DatasetImport, RefusesCachesOfOtherCloth) {
  Frames fewer = cloth_;
  for (auto& p : fewer.positions) p.pop_back();
  fewer.topology = {24, {}, {}, {}};
  write_cache(folder_ / "fewer.mdd", fewer);
  expect_refused(job({"fewer.mdd"}), {"fewer.mdd: expected 25 vertices", "found 24"});

  Frames renumbered = cloth_;
  for (auto& t : renumbered.topology.triangles)
    for (uint32_t& v : t) v = (v * 7) % 25;
  write_cache(folder_ / "renumbered.glb", renumbered);
  expect_refused(job({"renumbered.glb"}),
                 {"renumbered.glb: triangle", "expected an edge of the garment", "another order"});

  Frames holes = cloth_;
  holes.topology.triangles.pop_back();
  write_cache(folder_ / "holes.glb", holes);
  expect_refused(job({"holes.glb"}), {"holes.glb: expected 32 triangles", "found 31"});

  // Quads split along the other diagonal are the same cloth.
  Frames flipped = cloth_;
  for (size_t t = 0; t < flipped.topology.triangles.size(); t += 2) {
    auto &one = flipped.topology.triangles[t], &two = flipped.topology.triangles[t + 1];
    const uint32_t a = one[0], b = one[1], c = one[2], d = two[2];
    one = {a, b, d}, two = {b, c, d};
  }
  write_cache(folder_ / "flipped.glb", flipped);
  EXPECT_EQ(refusal(job({"flipped.glb"})), "(imported)");
}

TEST_F(DatasetImport, RefusesBadFramesBeforeAnythingIsWritten) {
  write_cache(folder_ / "good.mdd", cloth_);
  // A NaN in frame 33 of the second cache. An MDD file has 8 bytes, one time per frame, then the frames.
  std::string bytes = cache::bytes_of(folder_ / "good.mdd");
  bytes.replace(8 + 4 * 40 + 33 * 25 * 12, 4, std::string("\x7f\xc0\x00\x00", 4));
  folder_.put("nan.mdd", bytes);
  expect_refused(job({"good.mdd", "nan.mdd"}), {"nan.mdd: frame 33, vertex 0: expected finite numbers"});

  bytes = cache::bytes_of(folder_ / "good.mdd");
  folder_.put("cut.mdd", bytes.substr(0, bytes.size() - 100));
  expect_refused(job({"good.mdd", "cut.mdd"}), {"cut.mdd: expected 40 frames of 25 vertices"});

  // A frame of an OBJ sequence with an extra triangle.
  write_cache(folder_ / "seq_####.obj", cloth_);
  folder_.put("seq_0018.obj", cache::bytes_of(folder_ / "seq_0018.obj") + "f 1 2 3\n");
  ImportJob sequence = job({"good.mdd", "seq_####.obj"});
  sequence.open.fps = 30;
  expect_refused(sequence, {"seq_0018.obj", "triangle"});
  expect_refused(job({"good.mdd", "none.mdd"}), {"none.mdd: there is no such file"});
}

TEST_F(DatasetImport, RefusesMotionsThatDoNotMatch) {
  write_cache(folder_ / "a.mdd", cloth_);
  write_cache(folder_ / "a.pc2", cloth_);
  expect_refused(job({"a.pc2"}), {"a.pc2: expected a frame rate", "--fps"});

  const auto with_frames = [&](size_t frames) {
    ImportJob j = job({"a.mdd"});
    const motion::Clip clip = testing::stroll(character_body_.skeleton, frames);
    j.clips[0].motion = [clip](size_t, double) { return clip; };
    return j;
  };
  expect_refused(with_frames(39), {"stroll.bvh: expected at least 40 frames at 30 a second", "a.mdd",
                                   "found 39: it is shorter than its cloth"});
  expect_refused(with_frames(60), {"stroll.bvh: expected 40 frames", "found 60", "--part"});
  ImportJob part = with_frames(60);
  part.part_of_motion = true;
  EXPECT_EQ(plan_import(part).clips[0].motion.frames.size(), 40u);
  EXPECT_EQ(plan_import(with_frames(41)).clips[0].motion.frames.size(), 40u);
  ImportJob broken = with_frames(40);
  broken.clips[0].motion = [&](size_t, double) {
    motion::Clip clip = clip_;
    clip.frames[7].rotations[3].x = NAN;
    return clip;
  };
  expect_refused(broken, {"stroll.bvh: clip 'stroll': frame 7"});
  // At a lower frame rate the cloth lasts longer.
  ImportJob slow = job({"a.mdd"});
  slow.open.fps = 15;
  expect_refused(slow, {"expected at least 40 frames at 15 a second", "found 20"});
  ImportJob late = job({"a.mdd"});
  late.clips[0].offset = 5;
  expect_refused(late, {"expected at least 45 frames", "from frame 5 on, found 40"});
  late.clips[0].offset = -39;
  expect_refused(late, {"a.mdd: expected at least 41 frames, found 40"});

  // The seam detects another motion, unit or axis.
  ImportJob other = job({"a.mdd"});
  const motion::Clip turning = testing::stroll(character_body_.skeleton, 40, 0.1f);
  other.clips[0].motion = [turning](size_t, double) { return turning; };
  expect_refused(other, {"a.mdd: frame ", "expected the seam on the body as moved by stroll.bvh"});
  ImportJob centimetres = job({"a.mdd"});
  centimetres.open.scale = 100;
  expect_refused(centimetres, {"a.mdd: frame 0: expected the seam", "--scale"});
  ImportJob z_up = job({"a.mdd"});
  z_up.open.z_up = true;
  expect_refused(z_up, {"a.mdd: frame 0: expected the seam", "--z-up"});

  Frames fast = cloth_;
  fast.fps = 60;
  write_cache(folder_ / "fast.mdd", fast);
  ImportJob two = job({"a.mdd", "fast.mdd"});
  const motion::Clip quick = [&] {
    motion::Clip clip = clip_;
    clip.frames_per_second = 60;
    return clip;
  }();
  two.clips[1].motion = [quick](size_t, double) { return quick; };
  expect_refused(two, {"fast.mdd: expected 30 frames per second as in the other clips, found 60"});
}

TEST_F(DatasetImport, RefusesInvalidJobs) {
  write_cache(folder_ / "a.mdd", cloth_);
  expect_refused(job({}), {"expected caches"});
  ImportJob no_rest = job({"a.mdd"});
  no_rest.garment.rest.clear();
  expect_refused(no_rest, {"expected a draped garment"});
  ImportJob unseen = job({"a.mdd"});
  unseen.unseen = {"2"};
  expect_refused(unseen, {"expected at most 1 clips, found 2"});
  unseen.unseen = {"b"};
  expect_refused(unseen, {"expected a number or some of a, found b"});
  ImportJob append = job({"a.mdd"});
  append.append = true;
  expect_refused(append, {"manifest.json: expected a data set"});
}

TEST_F(DatasetImport, MarksTornClothAsUnusable) {
  Frames torn = cloth_;
  for (size_t v = 20; v < 25; ++v) torn.positions[20][v].y -= 0.2f;
  write_cache(folder_ / "torn.mdd", torn);
  write_cache(folder_ / "whole.mdd", cloth_);
  const ImportJob j = job({"torn.mdd", "whole.mdd"});
  import_caches(j);
  const DatasetInfo info = read_dataset(j.folder);
  EXPECT_FALSE(info.clips[0].usable);
  EXPECT_GT(info.clips[0].strain_worst_p99, 100);
  const ClipResult result = info.results()[0];
  ASSERT_EQ(result.rejections.size(), 1u);
  EXPECT_EQ(result.rejections[0].measure, "stretched");
  EXPECT_NEAR(result.rejections[0].seconds, 20 / info.frames_per_second, 1e-6);
  EXPECT_NE(in_words(result).find("allowed 25 %, worst at"), std::string::npos) << in_words(result);
  EXPECT_TRUE(info.results()[1].usable);
  EXPECT_TRUE(info.clips[1].usable);
  EXPECT_EQ(info.frames(), 40u);
  EXPECT_TRUE(check_dataset(info).empty());
}

TEST_F(DatasetImport, ResumesInterruptedJobs) {
  write_cache(folder_ / "a.mdd", cloth_);
  ImportJob j = job({"a.mdd", "b.mdd"});
  write_other("b.mdd", -0.02f, j, 1);
  import_caches(j);
  const auto expected = bytes_of(j.folder);

  fs::remove(j.folder / "manifest.json");
  fs::remove_all(j.folder / "clips/0001");
  fs::create_directories(j.folder / "clips/0001.part");
  folder_.put("out/clips/0001.part/cloth.npy", "half of it");
  import_caches(j);
  EXPECT_TRUE(bytes_of(j.folder) == expected);

  // Another request for the same folder is refused and changes nothing.
  ImportJob other = j;
  other.seed = 2;
  EXPECT_NE(refusal(other).find("holds another data set"), std::string::npos);
  EXPECT_NE(refusal(other).find("--append"), std::string::npos);
  other = j;
  other.garment.rest[3].x += 0.01f;
  EXPECT_NE(refusal(other).find("holds another data set"), std::string::npos);
  EXPECT_TRUE(bytes_of(j.folder) == expected);

  // It can be merged as the only shard of its request.
  merge_dataset({j.folder}, folder_ / "merged");
  EXPECT_TRUE(bytes_of(folder_ / "merged") == expected);
}

TEST_F(DatasetImport, AppendsToADataSet) {
  write_cache(folder_ / "a.mdd", cloth_);
  import_caches(job({"a.mdd"}));
  const auto before = bytes_of(folder_ / "out");
  ImportJob more = job({"b.mdd", "sub/a.mdd", "c.mdd"});
  fs::create_directories(folder_ / "sub");
  write_other("b.mdd", -0.02f, more, 0);
  write_other("sub/a.mdd", 0.03f, more, 1);
  write_other("c.mdd", 0.01f, more, 2);
  more.append = true;
  more.unseen = {"c"};
  import_caches(more);
  const auto expected = bytes_of(folder_ / "out");
  const DatasetInfo info = read_dataset(folder_ / "out");
  EXPECT_TRUE(check_dataset(info).empty());
  ASSERT_EQ(info.clips.size(), 4u);
  EXPECT_EQ(info.clips[2].name, "a 2");
  EXPECT_EQ(info.clips[3].parts, std::string(40, 'u'));
  // The first clip is unchanged.
  for (const char* file : {"clip.json", "cloth.npy", "rope.npy"})
    EXPECT_TRUE(expected.at(std::string("clips/0000/") + file) ==
                before.at(std::string("clips/0000/") + file));

  // Importing the same clips again adds nothing.
  for (const CacheClip& clip : job({"a.mdd"}).clips) more.clips.push_back(clip);
  EXPECT_TRUE(plan_import(more).clips[3].already_imported);
  import_caches(more);
  EXPECT_TRUE(bytes_of(folder_ / "out") == expected);

  // Resume after an interruption, with a wrong clip in the folder of the third.
  more.clips.pop_back();
  for (const char* file : {"head.json", "manifest.json"})
    folder_.put(std::string("out/") + file, before.at(file));
  fs::remove_all(folder_ / "out/clips/0003");
  fs::remove_all(folder_ / "out/clips/0002");
  fs::copy(folder_ / "out/clips/0000", folder_ / "out/clips/0002");
  import_caches(more);
  EXPECT_TRUE(bytes_of(folder_ / "out") == expected);

  // Appending to a simulated data set is refused.
  std::string manifest = before.at("manifest.json");
  manifest.replace(manifest.find("\"imported\": true"), 16, "\"imported\":false");
  folder_.put("out/manifest.json", manifest);
  EXPECT_NE(refusal(more).find("found a simulated one"), std::string::npos);
}

TEST_F(DatasetImport, ExportsClipsAsCaches) {
  write_cache(folder_ / "a.mdd", cloth_);
  import_caches(job({"a.mdd"}));
  const DatasetInfo info = read_dataset(folder_ / "out");
  for (const char* name : {"x.pc2", "x.mdd", "x.glb", "x_####.obj"}) {
    EXPECT_EQ(export_clip(info, 0, folder_ / name), 40u);
    const Frames back = cache::read_cache(folder_ / name);
    ASSERT_EQ(back.positions.size(), 40u) << name;
    for (size_t f = 0; f < 40; ++f)
      EXPECT_LE(cache::difference(back.positions[f], cloth_.positions[f]),
                std::string(name) == "x.glb" ? 1e-6f : 0.0f)
          << name;
    if (!back.topology.triangles.empty()) {
      EXPECT_EQ(back.topology.triangles, garment_.triangles) << name;
      EXPECT_EQ(back.topology.uvs.size(), 25u) << name;
    }
  }
  export_clip(info, 0, folder_ / "x.usda");
  EXPECT_NE(cache::bytes_of(folder_ / "x.usda").find("timeSamples"), std::string::npos);
  const size_t before = folder_.entries();
  EXPECT_THROW(export_clip(info, 1, folder_ / "y.pc2"), std::invalid_argument);
  EXPECT_THROW(export_clip(info, 0, folder_ / "y.abc"), std::runtime_error);
  fs::resize_file(info.clip_folder(0) / "cloth.npy", 900);
  EXPECT_THROW(export_clip(info, 0, folder_ / "y.pc2"), std::runtime_error);
  EXPECT_EQ(folder_.entries(), before);
}

}  // namespace
}  // namespace billow::dataset
