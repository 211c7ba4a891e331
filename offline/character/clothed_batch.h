// Many clips of one character in one garment, simulated at once: ClothedCharacter on a CUDA device.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "character/clothed_character.h"
#include "cloth/batch/batch_simulator.h"

namespace billow::character {

class ClothedBatch {
 public:
  // How a clip starts: at rest at `vertices`, with the body posed at `joints`.
  struct Start {
    std::vector<V3> vertices;
    std::vector<Transform> joints;
  };
  // Keeps references to garment and character.
  ClothedBatch(const garment::Garment& garment, const CharacterBody& character_body,
               std::span<const Start> starts, cloth::Settings settings,
               std::unique_ptr<cloth::Backend> backend);

  // The next frame of a clip: lasts dt while the body moves linearly to `joints`. Clips that are not prepared
  // do not move. May be called for different clips on different threads.
  void prepare(size_t clip, float dt, std::span<const Transform> joints);
  // Begins to simulate the frame, and waits for its end. In between, vertices() are those before it.
  void start() { cloth_.start(); }
  void finish() { cloth_.finish(); }

  std::span<const V3> vertices(size_t clip) const { return cloth_.positions(clip); }
  const cloth::Sheet& sheet() const { return sheet_; }

 private:
  struct OneClip {
    body::Surface surface;
    std::vector<Transform> skinning;
    std::vector<V3> attachment_points;
  };

  const garment::Garment& garment_;
  std::vector<Transform> rest_inverse_;
  std::vector<OneClip> clips_;
  cloth::Sheet sheet_;
  cloth::BatchSimulator cloth_;
};

}  // namespace billow::character
