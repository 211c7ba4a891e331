// A data set on disk, as its manifest describes it.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "dataset/plan.h"
#include "dataset/reader/character_body.h"

namespace billow::dataset {

struct ClipInfo {
  std::string name, parts;  // a letter a frame: see Part
  size_t frames = 0;
  bool usable = false;
  double strain_mean = 0, strain_p99 = 0, strain_worst_p99 = 0, strain_most = 0;  // percent
  double penetrating = 0;                                                         // percent
  double deepest = 0;                                                             // mm
  double crossings = 0;
  std::array<std::string, 4> checksums;  // of kClipFiles
  std::string source;                    // of an imported clip: tells its cloth and motion from others
};
inline constexpr std::array<const char*, 4> kClipFiles{"cloth.npy", "bones.npy", "rope.npy", "joints.npy"};

struct DatasetInfo {
  std::filesystem::path folder;
  std::string garment;
  std::string preset, character;  // who wears it: the built-in person or, where that is empty, one's own
  bool imported = false;          // from caches of other tools: then there is no chaos floor
  size_t vertices = 0, bones = 0, simulated_bones = 0;
  double frames_per_second = 0;
  std::vector<ClipInfo> clips;
  struct Chaos {
    std::string name;
    double cloth = 0, bones = 0;  // mm
  };
  std::vector<Chaos> chaos;

  std::filesystem::path clip_folder(size_t clip) const;
  // Frames of usable clips.
  size_t frames() const;
  size_t frames(Part part) const;
  // Skeleton and colliders.
  OwnedCharacterBody character_body() const;
};

// Throws std::runtime_error with the file, the place in it, what was expected and what was found.
DatasetInfo read_dataset(const std::filesystem::path& folder);

// Looks at every byte: shapes, checksums, values that are not finite. What is wrong, one line each: file, frame, what
// was expected.
std::vector<std::string> check_dataset(const DatasetInfo& info);

// Puts the shards of one request together in a new folder. Clips are linked where the file system can, else copied.
void merge_dataset(const std::vector<std::filesystem::path>& shards, const std::filesystem::path& out);

}  // namespace billow::dataset
