// Small simulated data sets: resuming, shards, export and import, damage.
#include "dataset/simulate.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "dataset/exchange/caches.h"
#include "dataset/reader/dataset_file.h"
#include "files/npy.h"
#include "garment/garment_file.h"

namespace billow::dataset {
namespace {

namespace fs = std::filesystem;

const body::Skin& skin() {
  static const body::Person person = body::make_person();
  static const body::Skin s = body::make_skin(person.skeleton, person.colliders, {.vertices = 4000});
  return s;
}

class DatasetSlow : public ::testing::Test {
 protected:
  DatasetSlow() : folder_(fs::temp_directory_path() / ("billow_dataset_" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~DatasetSlow() override { fs::remove_all(folder_); }
  Job job(const std::string& name) const {
    Job j;
    j.request.frames = 100, j.request.unseen = 20, j.request.vertices = 500;
    j.request.clips.push_back(still(30));
    j.folder = folder_ / name;
    j.threads = 2;
    j.skin = &skin();
    return j;
  }
  static motion::Clip still(size_t frames) {
    motion::Clip clip;
    clip.name = "still";
    const body::Person person = body::make_person();
    clip.frames.assign(frames, body::rest_pose(person.skeleton));
    return clip;
  }
  // Contents of all files by relative path.
  static std::map<std::string, std::string> bytes_of(const fs::path& folder) {
    std::map<std::string, std::string> out;
    for (const auto& file : fs::recursive_directory_iterator(folder)) {
      if (!file.is_regular_file()) continue;
      std::ifstream in(file.path(), std::ios::binary);
      out[fs::relative(file.path(), folder).string()] = std::string((std::istreambuf_iterator<char>(in)), {});
    }
    return out;
  }
  fs::path folder_;
};

TEST_F(DatasetSlow, IsBitIdenticalHoweverItIsMade) {
  const Job full = job("whole");
  std::string notes;
  Job with_notes = full;
  with_notes.report = [&](const Progress& p) { notes += p.note + (p.note.empty() ? "" : "\n"); };
  const std::vector<ClipResult> results = simulate(with_notes);
  EXPECT_NE(notes.find("clips: still passes\n"), std::string::npos) << notes;
  const auto expected = bytes_of(full.folder);
  const DatasetInfo info = read_dataset(full.folder);
  EXPECT_EQ(info.vertices, 500u);
  EXPECT_EQ(info.frames(), 120u);
  EXPECT_EQ(info.frames(Part::kTrain), 80u);
  EXPECT_EQ(info.frames(Part::kUnseen), 20u);
  EXPECT_EQ(info.chaos.size(), 1u);
  EXPECT_EQ(info.clips[0].name, "still");
  // The second simulation is kept: near the first, and not the same.
  const size_t unseen = info.clips.size() - 1;
  const files::NpyMap again_cloth(info.chaos_file(unseen)),
      first_cloth(info.clip_folder(unseen) / "cloth.npy");
  ASSERT_EQ(again_cloth.shape(), first_cloth.shape());
  double apart = 0;
  for (size_t i = 0; i < again_cloth.values().size(); ++i)
    apart =
        std::max(apart, std::fabs(static_cast<double>(again_cloth.values()[i] - first_cloth.values()[i])));
  EXPECT_GT(apart, 0);
  EXPECT_LT(apart, 0.1);
  EXPECT_TRUE(check_dataset(info).empty());
  for (const ClipInfo& clip : info.clips) {
    EXPECT_TRUE(clip.usable) << clip.name;
    EXPECT_LT(clip.strain_mean, 1) << clip.name;
    EXPECT_LT(clip.deepest, 1) << clip.name;
  }
  ASSERT_EQ(results.size(), info.clips.size());
  for (size_t c = 0; c < results.size(); ++c) {
    EXPECT_EQ(results[c].name, info.clips[c].name);
    EXPECT_TRUE(results[c].usable);
    EXPECT_EQ(results[c].unseen, info.clips[c].parts[0] == 'u');
    EXPECT_NEAR(100 * results[c].quality.strain, info.clips[c].strain_worst_p99, 1e-4);
    EXPECT_EQ(results[c].quality.strain_frame, info.clips[c].strain_frame);
    EXPECT_LT(info.clips[c].strain_frame, info.clips[c].frames);
  }
  // On a still body the cloth stays at rest and the ropes hang close to it.
  const files::NpyMap cloth(info.clip_folder(0) / "cloth.npy"), bones(info.clip_folder(0) / "bones.npy"),
      rope(info.clip_folder(0) / "rope.npy");
  double moved = 0, gap = 0;
  for (size_t i = 0; i < cloth.row(0).size(); ++i)
    moved = std::max(moved, std::fabs(static_cast<double>(cloth.row(29)[i] - cloth.row(0)[i])));
  for (size_t i = 0; i < bones.row(0).size(); ++i)
    gap = std::max(gap, std::fabs(static_cast<double>(bones.row(0)[i] - rope.row(0)[i])));
  EXPECT_LT(moved, 0.01);
  EXPECT_LT(gap, 0.5);

  // Exported as a cache and imported again, it is the same clip.
  ImportJob again;
  again.folder = folder_ / "imported";
  again.character_body = info.character_body();
  again.garment = garment::read_garment_file(full.folder / "garment.json", again.character_body.skeleton);
  again.clips.push_back({folder_ / "still.mdd", "still", [](size_t, double) { return still(30); }, 0});
  export_clip(info, 0, folder_ / "still.mdd");
  import_caches(again);
  for (const char* file : kClipFiles)
    EXPECT_TRUE(bytes_of(again.folder).at(std::string("clips/0000/") + file) ==
                expected.at(std::string("clips/0000/") + file))
        << file;

  // Resume a job that was interrupted within a clip.
  fs::remove(full.folder / "manifest.json");
  fs::remove_all(full.folder / "clips/0000");
  fs::remove(full.folder / "chaos" / (*fs::directory_iterator(full.folder / "chaos")).path().filename());
  fs::create_directories(full.folder / "clips/0000.part");
  std::ofstream(full.folder / "clips/0000.part/cloth.npy") << "half of it";
  EXPECT_EQ(simulate(full).size(), results.size());
  EXPECT_TRUE(bytes_of(full.folder) == expected) << "continued";

  // In batches, of which the last is not full.
  Job batches = job("batches");
  batches.device = Device::kLoops;
  simulate(batches);
  EXPECT_TRUE(bytes_of(batches.folder) == expected) << "in batches";

  // Two shards merge to the same data set.
  for (const int shard : {0, 1}) {
    Job part = job("shard" + std::to_string(shard));
    part.shard = shard, part.shards = 2;
    for (const ClipResult& r : simulate(part)) EXPECT_EQ(r.index % 2, static_cast<size_t>(shard));
    EXPECT_FALSE(fs::exists(part.folder / "manifest.json"));
  }
  merge_dataset({folder_ / "shard0", folder_ / "shard1"}, folder_ / "merged");
  EXPECT_TRUE(bytes_of(folder_ / "merged") == expected) << "merged";
  EXPECT_THROW(merge_dataset({folder_ / "shard0"}, folder_ / "half"), std::runtime_error);
  EXPECT_FALSE(fs::exists(folder_ / "half"));

  // Another request for the same folder is refused.
  const auto refused = [&](const auto& change) {
    Job other = full;
    change(other.request);
    EXPECT_THROW(simulate(other), std::invalid_argument);
  };
  refused([](Request& r) { r.seed = 9; });
  refused([](Request& r) { ++r.frames; });
  refused([](Request& r) { r.captured = {{still(120), "07", false}}; });
  refused([](Request& r) { r.clips[0].frames[3].root_position.y += 0.1f; });

  // Damaged files are reported.
  {
    std::fstream file(full.folder / "clips/0001/bones.npy", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(1000);
    const float nan = std::nanf("");
    file.write(reinterpret_cast<const char*>(&nan), 4);
  }
  const std::vector<std::string> errors = check_dataset(read_dataset(full.folder));
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_NE(errors[0].find("bones.npy: frame"), std::string::npos) << errors[0];
  EXPECT_NE(errors[1].find("checksum"), std::string::npos) << errors[1];
  fs::resize_file(full.folder / "clips/0000/cloth.npy", 5000);
  EXPECT_NE(check_dataset(read_dataset(full.folder))[0].find("values of 4 bytes, found"), std::string::npos);
  fs::resize_file(full.folder / "manifest.json", 100);
  EXPECT_THROW(read_dataset(full.folder), std::runtime_error);
}

TEST_F(DatasetSlow, RefusesInvalidShards) {
  Job j = job("none");
  j.shard = 2, j.shards = 2;
  EXPECT_THROW(simulate(j), std::invalid_argument);
  EXPECT_FALSE(fs::exists(j.folder));
}

// The poses of captured clips belong to the request.
TEST_F(DatasetSlow, ContinuesWithTheSameCapturedClipsOnly) {
  Job j = job("captured");
  j.request.clips.clear();
  for (const bool test : {false, true}) j.request.captured.push_back({still(12), test ? "2" : "1", test});
  j.request.captured[1].clip.name = "test";
  j.request.all_captured = true;
  const std::vector<ClipResult> results = simulate(j);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_TRUE(results[1].unseen);
  const DatasetInfo info = read_dataset(j.folder);
  EXPECT_EQ(info.frames(Part::kUnseen), 12u);
  EXPECT_EQ(simulate(j).size(), 2u);
  j.request.captured[1].clip.frames[3].root_position.y += 0.1f;
  EXPECT_THROW(simulate(j), std::invalid_argument);
}

}  // namespace
}  // namespace billow::dataset
