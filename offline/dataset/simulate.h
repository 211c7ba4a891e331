// Simulates a data set: clips of reference cloth, the bones embedded in it, and rope chains driven by the
// same motion.
//
// A folder holds clips/0000, clips/0001, ... with
//   cloth.npy   frames x vertices x 3, world space, metres
//   bones.npy   frames x bones x 3, embedded in the cloth
//   rope.npy    frames x bones x 3, of the rope chains
//   joints.npy  frames x joints x 7, position and quaternion x y z w
//   clip.json   quality measures, checksums and the split of its frames
// and
//   chaos/0042.json   chaos floor of clip 42: its distance to itself with air denser by a thousandth
//   chaos/0042.npy    that second simulation, as cloth.npy
//   head.json         the request
//   garment.json, garment_mesh.obj, garment_rest.npy   the garment and its drape
//   skeleton.json, body.json   the user's own character
//   manifest.json     written last, when the data set is complete
// A clip is written to a temporary folder and renamed, so that a job can be interrupted and resumed; the
// result has the same bytes.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dataset/plan.h"
#include "dataset/quality.h"
#include "dataset/simulate_batch.h"

namespace billow::dataset {

struct Progress {
  size_t frames_done = 0, frames = 0;  // of this run
  std::string note;                    // a message for the user, or empty
};

struct Job {
  Request request;
  std::filesystem::path folder;
  int threads = 1;                   // clips in parallel
  Device device = Device::kCpu;      // that simulates the cloth; the bytes are the same
  int shard = 0, shards = 1;         // simulates the clips whose index modulo `shards` is `shard`
  const body::Skin* skin = nullptr;  // of the built-in person; NULL: generated, which takes seconds
  // A garment and a character of the user's own, instead of those that the request names; empty: none. What the request's
  // clips move is then this character.
  std::optional<garment::Garment> own_garment;
  std::optional<OwnedCharacterBody> own_character;
  std::vector<std::pair<std::string, std::string>>
      own_files;  // names and texts of the files that define them
  std::function<void(const Progress&)> report;
};

// Throws std::invalid_argument for an invalid request or one that differs from that of the folder,
// std::runtime_error if files cannot be written. Returns the clips of this shard, those of earlier runs included. As soon
// as a clip is finished, job.report gets a note of how it fared.
std::vector<ClipResult> simulate(const Job& job);

}  // namespace billow::dataset
