// Reads, checks and merges data sets by their manifests.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "dataset/plan.h"
#include "dataset/quality.h"
#include "dataset/reader/character_body.h"

namespace billow::dataset {

struct ClipInfo {
  std::string name, parts;  // parts: split, one letter per frame, see Part
  size_t frames = 0;
  bool usable = false;
  double strain_mean = 0, strain_p99 = 0, strain_worst_p99 = 0, strain_max = 0;  // percent
  double penetrating = 0;                                                        // percent
  double deepest = 0;                                                            // mm
  double crossings = 0, tangled = 0;
  size_t strain_frame = kUnknownFrame, deepest_frame = kUnknownFrame,
         tangled_frame = kUnknownFrame;  // the worst
  std::array<std::string, 4> checksums;  // of kClipFiles
  std::string source;                    // checksum that identifies the cloth and motion of an imported clip
};
inline constexpr std::array<const char*, 4> kClipFiles{"cloth.npy", "bones.npy", "rope.npy", "joints.npy"};

struct DatasetInfo {
  std::filesystem::path folder;
  std::string garment;
  std::string preset,
      character;          // of the built-in person, or, if that is empty, name of the user's own character
  bool imported = false;  // from caches of other tools; has no chaos floor
  size_t vertices = 0, bones = 0, simulated_bones = 0;
  double frames_per_second = 0;
  std::vector<ClipInfo> clips;
  struct Chaos {
    std::string name;
    double cloth = 0, bones = 0;  // mm
  };
  std::vector<Chaos> chaos;

  std::filesystem::path clip_folder(size_t clip) const;
  // The clip simulated again for the chaos floor, as cloth.npy. The file may not exist.
  std::filesystem::path chaos_file(size_t clip) const;
  // Number of frames in usable clips.
  size_t frames() const;
  size_t frames(Part part) const;
  // The clips as the reference's check judged them.
  std::vector<ClipResult> results() const;
  // Skeleton and colliders.
  OwnedCharacterBody character_body() const;
};

// Throws std::runtime_error with the file and the location in it.
DatasetInfo read_dataset(const std::filesystem::path& folder);

// Checks shapes, checksums and finite values of all files. Returns one line per error, with file and frame.
std::vector<std::string> check_dataset(const DatasetInfo& info);

// Merges the shards of one request in a new folder. Clips are hard-linked if the file system supports it,
// else copied.
void merge_dataset(const std::vector<std::filesystem::path>& shards, const std::filesystem::path& out);

}  // namespace billow::dataset
