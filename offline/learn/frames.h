// Frames of a data set as displacements of cloth and bones from rest, with the rigid motion of the garment's key joint
// removed. The arrays are memory-mapped, so that only frames that are accessed are read.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "body/person.h"
#include "dataset/reader/dataset_file.h"
#include "files/npy.h"
#include "garment/garment.h"
#include "learn/model.h"

namespace billow::learn {

// Bones embedded in the reference cloth, or bones of rope chains simulated on the same motion.
enum class Source { kEmbedded, kRope };

class Frames {
 public:
  // Throws std::runtime_error for a folder that is not a complete data set.
  explicit Frames(const std::filesystem::path& folder);

  const dataset::DatasetInfo& info() const { return info_; }
  const garment::Garment& garment() const { return garment_; }
  const dataset::OwnedCharacterBody& character() const { return character_; }

  // Frames of usable clips, clip after clip in order of time.
  size_t size() const { return locations_.size(); }
  std::vector<uint32_t> of(dataset::Part part) const;
  dataset::Part part(uint32_t frame) const;
  // Frames [begin, end) of one clip.
  struct ClipRange {
    uint32_t begin, end;
    size_t clip;
  };
  std::span<const ClipRange> clips() const { return clip_ranges_; }

  // Displacements from rest, three values a vertex or bone.
  void cloth(uint32_t frame, std::span<float> out) const;
  void bones(uint32_t frame, Source source, std::span<float> out) const;
  // Replaces the rest shape of the data set.
  void set_rest(std::vector<V3> rest);
  // Replaces the rope bones of the data set: one row a frame, as bones() returns them.
  void replace_ropes(Matrix bones);
  size_t cloth_values() const { return 3 * garment_.size(); }
  size_t bone_values() const { return 3 * garment_.bones.size(); }

  // The rigid motion that is removed: from rest space to the world.
  Transform rigid(uint32_t frame) const;
  void joints(uint32_t frame, std::span<Transform> out) const;  // in the world
  std::span<const V3> rest() const { return garment_.rest; }
  // Positions of vertices in rest space.
  void vertices(uint32_t frame, std::span<const uint32_t> which, std::span<V3> out) const;
  V3 vertex(uint32_t frame, uint32_t v) const;

 private:
  struct ClipArrays {
    files::NpyMap cloth, bones, rope, joints;
  };
  struct Location {
    uint32_t clip, frame;  // index into clips_; frame within the clip
    dataset::Part part;
  };
  dataset::DatasetInfo info_;
  dataset::OwnedCharacterBody character_;
  garment::Garment garment_;
  std::vector<V3> bone_rest_;  // bones of garment_.rest
  size_t key_ = 0;
  Transform key_rest_inverse_;
  std::vector<ClipArrays> clips_;
  std::vector<Location> locations_;
  std::vector<ClipRange> clip_ranges_;
  Matrix ropes_;  // empty: those of the data set
};

// Rows of a matrix that are computed on demand, one frame a row: a data set does not fit into memory.
struct Rows {
  size_t count = 0, values = 0;
  // Fills rows first, first + 1, ... as many as `out` has. Called from several threads at once.
  std::function<void(size_t first, Eigen::Ref<Matrix> out)> fill;
};

// Displacements of the cloth in some frames. `frames` has to outlive the result.
Rows cloth_rows(const Frames& frames, std::vector<uint32_t> which);

// Displacements of the bones in some frames.
Matrix bone_matrix(const Frames& frames, const std::vector<uint32_t>& which, Source source);
// Projects all rows onto a basis. `threads`: 0 takes all cores.
Matrix coefficients(const Rows& rows, const Basis& basis, size_t threads = 0);

}  // namespace billow::learn
