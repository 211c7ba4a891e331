// Makes a data set: clips of reference cloth, the bones on it, and rope chains driven by the same motion.
//
// A folder holds clips/0000, clips/0001, ... with
//   cloth.npy   frames x vertices x 3, world space, metres
//   bones.npy   frames x bones x 3, embedded in the cloth
//   rope.npy    frames x bones x 3, of the rope chains
//   joints.npy  frames x joints x 7, position and quaternion x y z w
//   clip.json   its figures, checksums and which frame is for what
// chaos/0042.json: how far clip 42 drifts from itself when the air is denser by a thousandth; head.json: what was asked
// for; garment.json, garment_mesh.obj and garment_rest.npy: the garment and its drape; and manifest.json when all of it is there. A clip is written beside and renamed, so that what is there is whole: a job
// that was stopped goes on where it was and ends with the same bytes.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "body/skin.h"
#include "dataset/plan.h"

namespace billow::dataset {

struct Progress {
  size_t frames_done = 0, frames = 0;  // of this run
  std::string note;                    // a line to tell, or empty
};

struct Job {
  Request request;
  std::filesystem::path folder;
  int threads = 1;                   // clips at a time
  int shard = 0, shards = 1;         // makes the clips whose number leaves `shard` when divided by `shards`
  const body::Skin* skin = nullptr;  // of the person; NULL: it is made, which takes seconds
  std::function<void(const Progress&)> report;
};

// Throws std::invalid_argument for requests that make no sense or differ from what is in the folder, std::runtime_error
// where files cannot be written.
void simulate(const Job& job);

}  // namespace billow::dataset
