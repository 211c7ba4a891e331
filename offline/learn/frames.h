// The frames of a data set as learning sees them: how cloth and bones differ from their rest, with the rigid motion of
// the garment's key joint taken out. Mapped into memory, not read: a frame costs what is looked at.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "body/person.h"
#include "dataset/reader/dataset_file.h"
#include "files/npy.h"
#include "garment/garment.h"
#include "learn/model.h"

namespace billow::learn {

// Where the bones come from: the reference cloth they are embedded in, or rope chains on the same motion.
enum class Source { kEmbedded, kRope };

class Frames {
 public:
  // Throws std::runtime_error for a folder that is no whole data set.
  explicit Frames(const std::filesystem::path& folder);

  const dataset::DatasetInfo& info() const { return info_; }
  const garment::Garment& garment() const { return garment_; }
  // The character: the built-in person or a character of the user's own.
  const dataset::OwnedCharacterBody& person() const { return person_; }

  // Frames of usable clips, clip after clip in the order of time.
  size_t size() const { return where_.size(); }
  std::vector<uint32_t> of(dataset::Part part) const;
  dataset::Part part(uint32_t frame) const;
  // Frames of one clip stand together: of a clip's first frame, and of one past its last.
  struct Run {
    uint32_t begin, end;
    size_t clip;
  };
  std::span<const Run> clips() const { return runs_; }

  // Displacements from rest, three numbers a vertex or bone.
  void cloth(uint32_t frame, std::span<float> out) const;
  void bones(uint32_t frame, Source source, std::span<float> out) const;
  // From another rest than the data set's.
  void see_from(std::vector<V3> rest);
  // Rope chains other than the data set's, a row a frame as bones() gives them.
  void replace_ropes(Matrix bones);
  size_t cloth_values() const { return 3 * garment_.size(); }
  size_t bone_values() const { return 3 * garment_.bones.size(); }

  // The rigid motion that was taken out: from rest to the frame's place in the world.
  Transform rigid(uint32_t frame) const;
  void joints(uint32_t frame, std::span<Transform> out) const;  // in the world
  std::span<const V3> rest() const { return garment_.rest; }
  // Where some vertices are, in the rest's space.
  void vertices(uint32_t frame, std::span<const uint32_t> which, std::span<V3> out) const;
  // Where one vertex is, in the rest's space.
  V3 vertex(uint32_t frame, uint32_t v) const;

 private:
  struct Clip {
    files::NpyMap cloth, bones, rope, joints;
  };
  struct Where {
    uint32_t clip, frame;  // of clips_, of the clip
    dataset::Part part;
  };
  dataset::DatasetInfo info_;
  dataset::OwnedCharacterBody person_;
  garment::Garment garment_;
  std::vector<V3> bone_rest_;  // of garment_.rest
  size_t key_ = 0;
  Transform key_rest_inverse_;
  std::vector<Clip> clips_;
  std::vector<Where> where_;
  std::vector<Run> runs_;
  Matrix ropes_;  // empty: the data set's
};

}  // namespace billow::learn
