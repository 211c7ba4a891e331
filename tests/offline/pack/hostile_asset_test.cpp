// The reader of garment files on corrupt bytes: truncated, with flipped bits, and with changed words and matching checksums.
#include <billow/billow.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "asset/garment_view.h"
#include "pack/garment_asset.h"
#include "pack/sample_garment.h"
#include "support/random.h"
#include "support/sanitized.h"

namespace billow::asset {
namespace {

// A file with a patch model, or with a whole-cloth model.
const std::string& good_file(bool patches = true) {
  static const std::string files[2] = {
      pack::pack_garment(pack::sample_garment(body::make_person(), {.patches = false})),
      pack::pack_garment(pack::sample_garment(body::make_person(), {}))};
  return files[patches];
}

bool reads(const std::string& bytes, std::string* why = nullptr, bool checksums = true) {
  const pack::AlignedBytes aligned(bytes);
  GarmentView view;
  Problem problem;
  const bool ok = read_garment(aligned.data(), aligned.size(), view, problem, checksums);
  if (ok) {
    // Arrays of a valid view have the sizes of its record.
    EXPECT_EQ(view.triangles.size(), 3 * size_t{view.record->triangles});
  } else {
    EXPECT_NE(problem.text[0], '\0');
    EXPECT_EQ(view.record, nullptr);
  }
  if (why) *why = problem.text;
  return ok;
}

// Recomputes the checksums of a changed file, as far as its table is valid.
void repair(std::string& file) {
  Header header;
  std::memcpy(&header, file.data(), sizeof header);
  const size_t max_count = (file.size() - sizeof header) / sizeof(Section);
  const size_t count = header.section_count < max_count ? header.section_count : max_count;
  for (size_t i = 0; i < count; ++i) {
    Section s;
    char* at = file.data() + sizeof header + i * sizeof s;
    std::memcpy(&s, at, sizeof s);
    if (s.offset <= file.size() && s.size <= file.size() - s.offset)
      s.checksum = checksum(file.data() + s.offset, s.size);
    std::memcpy(at, &s, sizeof s);
  }
  header.file_size = file.size();
  header.checksum = 0;
  const uint64_t sums[2] = {checksum(&header, sizeof header),
                            checksum(file.data() + sizeof header, count * sizeof(Section))};
  header.checksum = checksum(sums, sizeof sums);
  std::memcpy(file.data(), &header, sizeof header);
}

// Steps an instance for some frames, one of them with linear blend skinning: positions have to stay finite.
void play(const std::string& file) {
  const billow_garment_desc desc{file.data(), file.size(), 0, nullptr};
  billow_garment* garment = nullptr;
  if (billow_garment_create(&desc, &garment) != BILLOW_OK) return;  // refused by chains or body
  billow_instance* instance = nullptr;
  ASSERT_EQ(billow_instance_create(garment, nullptr, &instance), BILLOW_OK) << billow_last_error();
  std::vector<billow_transform> joints(billow_garment_joint_count(garment));
  billow_garment_get_joint_rest(garment, joints.data(), static_cast<uint32_t>(joints.size()));
  billow_frame frame{};
  frame.dt = 1.0f / 60;
  frame.joints = joints.data();
  frame.joint_count = static_cast<uint32_t>(joints.size());
  billow_instance_options options = billow_instance_options_default();
  for (int k = 0; k < 3; ++k) {
    options.linear_blend = k == 1;
    billow_instance_set_options(instance, &options);  // refused where there are no blend weights
    for (billow_transform& j : joints) j.position[0] += 0.1f;
    // The step may be refused for huge rest positions, but must not crash.
    if (billow_instance_step(instance, &frame) != BILLOW_OK) break;
    const float* p = billow_instance_position_data(instance);
    for (uint32_t i = 0; i < 3 * billow_garment_vertex_count(garment); ++i) ASSERT_TRUE(std::isfinite(p[i]));
  }
  billow_instance_destroy(instance);
  billow_garment_destroy(garment);
}

TEST(HostileAsset, TheFileItselfIsRead) {
  EXPECT_TRUE(reads(good_file()));
  EXPECT_TRUE(reads(good_file(false)));
}

TEST(HostileAsset, EveryTruncationIsRefused) {
  const std::string& good = good_file();
  for (size_t n = 0; n < good.size(); n += n < 4096 ? 1 : 997) EXPECT_FALSE(reads(good.substr(0, n))) << n;
  EXPECT_FALSE(reads(good + '\0'));
}

TEST(HostileAsset, TruncationsWithAMatchingHeaderAreRefused) {
  for (size_t n = 64; n < good_file().size(); n += 1009) {
    std::string cut = good_file().substr(0, n);
    repair(cut);
    EXPECT_FALSE(reads(cut)) << n;
  }
}

TEST(HostileAsset, EveryFlippedBitIsNoticed) {
  std::string file = good_file();
  testing::Random random(5);
  for (size_t i = 0; i < file.size(); i += i < 4096 ? 1 : testing::kSanitized ? 530 : 53) {
    const char bit = static_cast<char>(1 << random.bits() % 8);
    file[i] = static_cast<char>(file[i] ^ bit);
    EXPECT_FALSE(reads(file)) << "byte " << i;
    file[i] = static_cast<char>(file[i] ^ bit);
  }
}

// Offsets of the header, of the table's entries and of the sections.
std::vector<size_t> starts_of(const std::string& file) {
  Header header;
  std::memcpy(&header, file.data(), sizeof header);
  std::vector<size_t> starts{0};
  for (size_t i = 0; i < header.section_count; ++i) {
    Section s;
    std::memcpy(&s, file.data() + sizeof header + i * sizeof s, sizeof s);
    starts.push_back(sizeof header + i * sizeof s);
    if (s.size >= 4) starts.push_back(s.offset);
  }
  return starts;
}

TEST(HostileAsset, AWordOfAnyValueAnywhereIsSurvived) {
  testing::Random random(7);
  constexpr uint32_t kWords[] = {0,          1,          0x7fffffff, 0x80000000, 0xffffffff,
                                 0x7f800000, 0x7fc00000, 64,         4096,       0x10000};
  size_t read = 0;
  const int changes = testing::kSanitized ? 800 : 4000;
  for (int k = 0; k < changes; ++k) {
    std::string file = good_file(k % 2 == 0);
    const std::vector<size_t> starts = starts_of(file);
    // Mostly in the header, the table and the start of sections, where it has most effect.
    const size_t start = starts[random.bits() % starts.size()],
                 range = k % 4 == 0 ? file.size() : std::min<size_t>(256, file.size() - start);
    const size_t at = (k % 4 == 0 ? 0 : start) + random.bits() % (range / 4) * 4;
    const uint32_t word = k % 3 == 0 ? random.bits() : kWords[random.bits() % std::size(kWords)];
    std::memcpy(file.data() + at, &word, 4);
    repair(file);
    if (reads(file)) {
      ++read;
      play(file);
    }
    reads(file, nullptr, false);
  }
  EXPECT_GT(read, 0u);
  EXPECT_LT(read, static_cast<size_t>(changes));
}

// A changed word in a section, and part of the reader's message.
struct Change {
  const char* section;
  size_t offset;
  uint32_t word;
  const char* message;
};

void expect_messages(bool patches, std::span<const Change> changes) {
  for (const Change& c : changes) {
    std::string file = good_file(patches), why;
    const pack::AlignedBytes aligned(file);
    GarmentView view;
    Problem problem;
    ASSERT_TRUE(read_garment(aligned.data(), aligned.size(), view, problem));
    for (const Section& s : view.sections)
      if (std::string_view(s.name) == c.section) std::memcpy(file.data() + s.offset + c.offset, &c.word, 4);
    repair(file);
    EXPECT_FALSE(reads(file, &why)) << c.section << ": " << c.message;
    EXPECT_NE(why.find(c.message), std::string::npos) << c.section << ": " << why;
  }
}

TEST(HostileAsset, MessagesNameTheSectionAndWhatWasExpected) {
  const Change changes[] = {
      {"garment", offsetof(GarmentRecord, vertices), 0xffffffff,
       "section 'garment', vertices: expected 3 to"},
      {"garment", offsetof(GarmentRecord, key_joint), 22, "key_joint: expected 0 to 21, found 22"},
      {"garment", offsetof(GarmentRecord, triangles), 7, "section 'triangles': expected 84 bytes"},
      {"triangles", 4, 192, "section 'triangles', record 0: expected a vertex below 192, found 192"},
      {"rest", 8, 0x7fc00000, "section 'rest', value 2: expected a finite value within 1e9, found nan"},
      {"joints", offsetof(JointRecord, parent), 0, "expected an earlier joint or -1 as parent"},
      {"attachments", offsetof(AttachmentRecord, joints), 99, "expected a joint below 22, found 99"},
      {"bones", offsetof(BoneRecord, weights), 0x40000000, "expected weights from 0 to 1, found 2"},
      {"chains", 0, 1, "expected 2 to 256 bones"},
      {"chain_cloth", 4, 0xbf800000u, "section 'chain_cloth', record 0: expected 0 to 1e6, found -1"},
      {"blend.bones", 4, 24, "section 'blend.bones', record 1: expected a bone below 24, found 24"},
      {"blend.weights", 0, 0,
       "section 'blend.weights', record 0: expected weights that add up to 255, found 0"},
      {"chain_bones", sizeof(ChainBoneRecord) + 4, 0, "expected a rope of 1e-5 to 1e6 m, found 0"},
      {"colliders", offsetof(ColliderRecord, shape), 6, "expected a shape below 6, found 6"},
      {"garment", offsetof(GarmentRecord, shape_components), 1, "shape_components: expected 0 to 0"},
  };
  expect_messages(true, changes);
}

TEST(HostileAsset, MessagesAboutTheWholeCloth) {
  const Change changes[] = {
      {"skinning", offsetof(NetworkRecord, layers), 9, "expected 1 to 8 layers"},
      {"skinning", offsetof(NetworkRecord, units), 23, "section 'skinning': expected"},
      {"basis", offsetof(MatrixRecord, rows), 8, "section 'basis': expected a 576 x 12 matrix, found 8 x 12"},
      {"basis", offsetof(MatrixRecord, int8), 0x10000000, "columns of a kind"},
      {"basis", sizeof(MatrixRecord), 12, "section 'basis', record 0: expected a column below 12, found 12"},
      {"basis", offsetof(MatrixRecord, row_scales), 2, "expected row scales 0 or 1, found 2"},
      {"garment", offsetof(GarmentRecord, skinning_components), 0,
       "shape_components: expected 0 to 0, found 4"},
  };
  expect_messages(false, changes);
}

TEST(HostileAsset, MessagesAboutPatches) {
  constexpr size_t kFirst = sizeof(PatchesRecord);
  constexpr uint32_t kNan = 0x7fc00000;
  const Change changes[] = {
      {"patches", offsetof(PatchesRecord, patches), 0, "patches: expected 1 to 65536, found 0"},
      {"patches", offsetof(PatchesRecord, patches), 19, "section 'patches': expected 688 bytes, found 720"},
      {"patches", offsetof(PatchesRecord, networks), 0, "networks: expected 1 to 65536, found 0"},
      {"patches", offsetof(PatchesRecord, input_bones), 45,
       "section 'patches.input_bones': expected 3600 bytes"},
      {"patches", offsetof(PatchesRecord, components), 0, "components: expected 1 to"},
      {"patches", offsetof(PatchesRecord, tiles), 0, "tiles: expected 1 to"},
      {"patches", offsetof(PatchesRecord, blocks), 1 << 30, "blocks: expected 1 to"},
      {"patches", offsetof(PatchesRecord, layers), 9, "layers: expected 0 to 8, found 9"},
      {"patches", offsetof(PatchesRecord, activation), 3, "activation: expected 0 to 2, found 3"},
      {"patches", offsetof(PatchesRecord, units) + 8, 7, "layer 3: expected 18 to 18 units, found 7"},
      {"patches", offsetof(PatchesRecord, units) + 12, 1, "layer 4: expected 0 to 0 units, found 1"},
      {"patches", kFirst + offsetof(PatchRecord, left), 24, "expected a bone below 24, found 24"},
      {"patches", kFirst + offsetof(PatchRecord, network), 20, "expected a network below"},
      {"patches", kFirst + offsetof(PatchRecord, flipped), 2, "expected flipped below 2, found 2"},
      {"patches.tiles", offsetof(TileRecord, vertices), 193,
       "section 'patches.tiles', record 0: expected vertices below 193, found 193"},
      {"patches.tiles", offsetof(TileRecord, blocks), 0xffffffff, "no more than are left, found 4294967295"},
      {"patches.tiles", offsetof(TileRecord, blocks), 0, "no more than are left, found 0"},
      {"patches.tiles", offsetof(TileRecord, first_block), 1, "expected blocks from 0 on"},
      {"patches.blocks", 0, 20, "section 'patches.blocks', record 0: expected a patch below 20, found 20"},
      {"patches.input_bones", 4, 24,
       "section 'patches.input_bones', patch 0: expected a bone below 24 or -1, found 24"},
      {"patches.numbers", 8, kNan,
       "section 'patches.numbers', value 2: expected a finite value within 1e9, found nan"},
      {"patches.bases", 8, kNan,
       "section 'patches.bases', value 2: expected a finite value within 1e9, found nan"},
      {"patches.2", offsetof(MatrixRecord, rows), 8,
       "section 'patches.2': expected a 480 x 24 matrix, found 8 x 24"},
      {"patches.basis", sizeof(MatrixRecord), 10,
       "section 'patches.basis', record 0: expected a column below 10"},
  };
  expect_messages(true, changes);
}

TEST(HostileAsset, VerticesAreInOneTile) {
  const pack::AlignedBytes aligned(good_file());
  GarmentView view;
  Problem problem;
  ASSERT_TRUE(read_garment(aligned.data(), aligned.size(), view, problem));
  std::string file = good_file();
  const uint32_t again = view.patches.tiles[1].vertices[0];
  std::memcpy(file.data() + (reinterpret_cast<const char*>(view.patches.tiles.data()) -
                             static_cast<const char*>(aligned.data())),
              &again, sizeof again);
  repair(file);
  EXPECT_TRUE(reads(file));
  const billow_garment_desc desc{file.data(), file.size(), 0, nullptr};
  billow_garment* garment = nullptr;
  EXPECT_EQ(billow_garment_create(&desc, &garment), BILLOW_ERROR_BAD_DATA);
  EXPECT_NE(std::string(billow_last_error()).find("in one tile, found it in"), std::string::npos)
      << billow_last_error();
}

TEST(HostileAsset, OtherKindsAndVersionsAreRefusedByName) {
  std::string file = good_file(), why;
  file[0] = 'B';
  EXPECT_FALSE(reads(file, &why));
  EXPECT_NE(why.find("found another kind"), std::string::npos);
  for (const char version : {'\1', '\2', '\3', '\4'}) {
    file = good_file();
    file[8] = version;
    EXPECT_FALSE(reads(file, &why));
    EXPECT_NE(why.find("expected version 6 of the garment file, found version " + std::to_string(version)),
              std::string::npos);
  }
}

}  // namespace
}  // namespace billow::asset
