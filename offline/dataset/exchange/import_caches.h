// Caches of other tools as a data set: cloth from the cache, the body's motion from a clip, bones by their places on the
// cloth, rope chains driven by the same motion. What comes out is a data set as simulate.h has it, without a chaos floor,
// which other people's cloth has none of.
//
// Everything is read and checked before anything is written. A clip is written beside and renamed: a job that was
// stopped goes on where it was when it is started again.
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
  // The motion on the character's skeleton, at any rate. Asked for that many frames at that many a second; may be longer.
  std::function<motion::Clip(size_t frames, double frames_per_second)> motion;
  // The cloth's first frame is at this frame of the motion. Negative: so many frames of cloth come before the motion,
  // and are left out.
  int offset = 0;
};

struct ImportJob {
  std::filesystem::path folder;
  // Adds to the data set in the folder. Garment and character are then those of the folder.
  bool append = false;
  garment::Garment garment;  // with its rest
  OwnedCharacterBody character_body;
  std::vector<CacheClip> clips;
  cache::OpenOptions open;
  // Which clips are never learnt from: a number (so many, the last ones), or names of caches without extension.
  std::vector<std::string> unseen;
  uint32_t seed = 1;            // of the split
  bool part_of_motion = false;  // cloth may end before its motion does
  int threads = 1;              // clips at a time
  std::function<void(const Progress&)> report;
};

struct ImportedClip {
  std::string name, parts, source;
  size_t cloth_start = 0;    // frames of the cache that are left out
  motion::Clip motion;       // the frames of the clip, at its rate
  float attachment_gap = 0;  // m, from where the body takes attached vertices, on average in the worst frame
  bool there = false;        // in the data set already
};
struct ImportPlan {
  double frames_per_second = 0;
  std::vector<ImportedClip> before;  // of the data set that is added to
  std::vector<ImportedClip> clips;   // as in the job
};

// Reads everything and writes nothing. Throws std::runtime_error with the file, the frame, what was expected and what was
// found; std::invalid_argument for a job that makes no sense.
ImportPlan plan_import(const ImportJob& job);

// Returns what was planned. Throws as plan_import does, and std::runtime_error where files cannot be written.
ImportPlan import_caches(const ImportJob& job);

}  // namespace billow::dataset
