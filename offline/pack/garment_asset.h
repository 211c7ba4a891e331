// Writes garment files from trained garments, and reads them back for evaluation.
#pragma once

#include <billow/billow.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "body/skeleton.h"
#include "garment/garment.h"
#include "learn/model.h"
#include "learn/patch_model.h"

namespace billow::pack {

// Unpacked contents of a garment file.
struct GarmentData {
  garment::Garment garment;  // draped. The shape as modelled is not stored: after reading it is the drape
  body::Skeleton skeleton;
  std::vector<billow_collider> colliders;   // analytic shapes only: no custom functions, grids or networks
  std::vector<std::string> collider_names;  // one each, or empty
  billow_settings settings{};
  learn::Network correction;  // of rope bones; no layers: none
  learn::Network force;       // of the chains (runtime/learnt_force.h); no layers: none
  learn::ClothModel model;
  std::vector<learn::BlendWeights> blend;    // for linear blend skinning, one a vertex; empty: none
  std::string training;                      // training report: JSON
  std::map<std::string, std::string> extra;  // other sections by name (up to 25 letters)
  // Bones of some frames for quantisation by GPTQ (pack/quantise_networks.h). Not stored; may be empty.
  learn::PatchInputs calibration;
};

// Number format of bases and networks. Mixed: a format for each basis component and each matrix or column of the networks, the
// same in all patches, in the fewest bytes that stay within the error.
enum class Precision { kMixed, kInt8, kInt16, kFloat16, kFloat32 };
// "mixed", "int8", "int16", "fp16", "fp32"; throws std::invalid_argument for others.
Precision precision_named(const std::string& name);

struct PackOptions {
  Precision precision = Precision::kMixed;
  double max_error_mm = 0.1;  // RMS over vertices, for mixed
};

// Quantisation error and size. The error is the RMS over vertices in mm, for coefficients and network inputs with the
// deviations of the training data.
struct QuantisationCost {
  std::string name;
  double bases = 0, networks = 0;  // mm
  size_t bytes = 0;                // of bases and networks
  double total() const;            // mm
};
struct PackReport {
  size_t bytes = 0;  // of the file
  QuantisationCost chosen;
  std::vector<QuantisationCost> others;  // with a single format for all
};

// Writes a temporary file and renames it. Throws std::invalid_argument for data that cannot be stored, with what was expected
// and found; std::runtime_error where the file cannot be written.
PackReport write_garment_asset(const GarmentData& data, const std::filesystem::path& path,
                               const PackOptions& options = {});
// Returns the bytes of the file.
std::string pack_garment(const GarmentData& data, const PackOptions& options = {},
                         PackReport* report = nullptr);

// Throws std::runtime_error with the file, what was expected and what was found.
GarmentData read_garment_asset(const std::filesystem::path& path);

// Copies a file without the sections named in `without`, with the chain settings, colliders and weights for linear blend skinning
// (empty: none) of `changed`. All other sections are copied byte for byte. Throws std::runtime_error for an invalid file,
// std::invalid_argument for weights that do not match its garment.
std::string changed_sections(const std::string& file, const std::vector<std::string>& without,
                             const GarmentData& changed);

// Copies a file with another record of its training. Throws std::runtime_error for an invalid file.
std::string with_training(const std::string& file, const std::string& training);

// A copy of a file's bytes with the alignment that the reader (asset/garment_view.h) needs.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::string_view bytes);
  const void* data() const { return reinterpret_cast<const void*>(start_); }
  size_t size() const { return size_; }

 private:
  std::vector<char> buffer_;
  uintptr_t start_ = 0;
  size_t size_ = 0;
};

}  // namespace billow::pack
