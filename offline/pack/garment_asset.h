// The garment file as training writes it and evaluation reads it: everything that a garment is, as numbers.
#pragma once

#include <billow/billow.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "body/skeleton.h"
#include "garment/garment.h"
#include "learn/blend_weights.h"
#include "learn/cloth_model.h"

namespace billow::pack {

struct Packed {
  garment::Garment garment;  // draped. Its shape as modelled is not kept: read back, it is the drape
  body::Skeleton skeleton;
  std::vector<billow_collider> colliders;   // analytic ones: no custom functions, grids and networks
  std::vector<std::string> collider_names;  // one each, or none at all
  billow_settings settings{};
  learn::Network correction;  // of rope bones, to what has to be added to them; no layers: none
  learn::ClothModel model;
  std::vector<learn::BlendWeights> blend;    // for linear blend skinning, one a vertex; none: without it
  std::string training;                      // a report: JSON
  std::map<std::string, std::string> extra;  // whatever else, by name (up to 25 letters)
  // Not stored. What bones do in some frames, which networks are rounded by (pack/quantise_networks.h); may be missing.
  learn::PatchInputs frames;
};

// How bases and networks are stored. Mixed: each component of the bases and each layer of the networks as coarsely as
// the error allows, alike in all patches.
enum class Storage { kMixed, kInt8, kInt16, kFloat16, kFloat32 };
// "mixed", "int8", "int16", "fp16", "fp32"; throws std::invalid_argument for others.
Storage storage_named(const std::string& name);

struct PackOptions {
  Storage storage = Storage::kMixed;
  double most_error = 0.1;  // mm, root mean square over vertices, for mixed
};

// What storage costs: mm of a vertex, root mean square, when coefficients are as large as in training and the networks'
// inputs are spread as there.
struct StorageCost {
  std::string name;
  double bases = 0, networks = 0;  // mm
  size_t bytes = 0;                // of bases and networks
  double all() const;
};
struct PackReport {
  size_t bytes = 0;  // of the file
  StorageCost chosen;
  std::vector<StorageCost> others;  // had it been one kind for all
};

// Writes beside the file and renames. Throws std::invalid_argument for what cannot be stored, with what was expected and
// found; std::runtime_error where it cannot be written.
PackReport write_garment_asset(const Packed& packed, const std::filesystem::path& path,
                               const PackOptions& options = {});
// The bytes alone.
std::string pack_garment(const Packed& packed, const PackOptions& options = {}, PackReport* report = nullptr);

// Throws std::runtime_error with the file, what was expected and what was found.
Packed read_garment_asset(const std::filesystem::path& path);

// A file's bytes where the reader (asset/garment_view.h) takes them.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::string_view bytes);
  const void* data() const { return reinterpret_cast<const void*>(start_); }
  size_t size() const { return size_; }

 private:
  std::vector<char> room_;
  uintptr_t start_ = 0;
  size_t size_ = 0;
};

}  // namespace billow::pack
