// Imports mesh caches of other tools as a data set, and exports clips as caches. An import takes the cloth
// from a cache, the body's motion from a clip, bones from their embeddings, and rope chains driven by the
// same motion. The result is a data set as in dataset/simulate.h, without a chaos floor.
//
// An import reads and checks everything before it writes. A clip is written to a temporary folder and
// renamed, so an interrupted job can be resumed.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cache/cache.h"
#include "dataset/plan.h"
#include "dataset/reader/dataset_file.h"
#include "dataset/simulate.h"
#include "garment/garment.h"

namespace billow::dataset {

struct CacheClip {
  std::filesystem::path cache;
  std::string motion_name;  // for messages
  // Returns the motion on the character's skeleton, at any frame rate. The arguments are the frames needed;
  // it may be longer.
  std::function<motion::Clip(size_t frames, double frames_per_second)> motion;
  // Frame of the motion at which the cloth starts. Negative: number of frames of cloth to skip before the
  // motion.
  int offset = 0;
};

struct ImportJob {
  std::filesystem::path folder;
  // Appends to the data set in the folder. Garment and character are then those of the folder.
  bool append = false;
  garment::Garment garment;  // draped
  OwnedCharacterBody character_body;
  std::vector<CacheClip> clips;
  cache::OpenOptions open;
  // Unseen clips: a number (the last ones), or names of caches without extension.
  std::vector<std::string> unseen;
  uint32_t seed = 1;            // of the split
  bool part_of_motion = false;  // the cloth may be shorter than its motion
  int threads = 1;              // clips in parallel
  std::function<void(const Progress&)> report;
};

struct ImportedClip {
  std::string name, parts, source;
  size_t cloth_start = 0;         // frames of the cache that are skipped
  motion::Clip motion;            // cut and resampled to the cloth
  float attachment_gap = 0;       // m, mean distance of attached vertices from the body, in the worst frame
  bool already_imported = false;  // the data set contains it
};
struct ImportPlan {
  double frames_per_second = 0;
  std::vector<ImportedClip> before;  // already in the data set
  std::vector<ImportedClip> clips;   // in the order of the job
};

// Reads and checks everything, writes nothing. Throws std::runtime_error with file and frame,
// std::invalid_argument for an invalid job.
ImportPlan plan_import(const ImportJob& job);

// Plans and imports. Throws as plan_import does, and std::runtime_error if files cannot be written.
ImportPlan import_caches(const ImportJob& job);

// Exports the cloth of a clip as an OBJ sequence, PC2, MDD, glTF or USDA, by the file name, with the
// garment's triangles and its pattern as UVs. `report` receives the progress, 0 to 1. Returns the number of
// frames. Throws std::invalid_argument for an unknown clip, std::runtime_error with the file if it cannot be
// read or written; no partial output is left.
size_t export_clip(const DatasetInfo& info, size_t clip, const std::filesystem::path& out,
                   const std::function<void(double)>& report = {});

}  // namespace billow::dataset
