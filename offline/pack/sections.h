// Sections of the garment file: the writer of the file, and conversion of models, correction, settings and blend weights to
// and from sections.
#pragma once

#include <string>
#include <vector>

#include "asset/format.h"
#include "asset/garment_view.h"
#include "pack/garment_asset.h"

namespace billow::pack {

// Throws std::invalid_argument with `what` unless the condition holds.
void expect(bool condition, const std::string& what);

// A garment file that is being written.
class SectionFile {
 public:
  // Appends to the shared text section.
  asset::Text text(const std::string& s);
  void add(const std::string& name, std::string bytes);
  template <class T> void add_records(const std::string& name, const std::vector<T>& records) {
    add(name, {reinterpret_cast<const char*>(records.data()), records.size() * sizeof(T)});
  }
  // The complete file with section table and checksums.
  std::string finish();

 private:
  struct Named {
    std::string name, bytes;
  };
  std::string text_;
  std::vector<Named> sections_;
};

// Throws std::invalid_argument where sizes do not match the garment and each other.
void check_model(const learn::Model& model, const garment::Garment& garment);
void check_model(const learn::PatchModel& model, const garment::Garment& garment);

// Adds all sections of a model but its matrices.
void add_parameters(SectionFile& file, const learn::Model& model);
void add_parameters(SectionFile& file, const learn::PatchModel& model);

// The correction of rope bones and the force of the chains, with int8 matrices.
void check_chain_network(const learn::Network& network, Eigen::Index inputs, Eigen::Index outputs,
                         const std::string& name);
void add_chain_network(SectionFile& file, const learn::Network& network, const std::string& name);
learn::Network chain_network_of(const asset::NetworkView& view);

// The settings of rope chains.
void add_settings(SectionFile& file, const billow_settings& settings);

// Weights for linear blend skinning, quantised to integers with a sum of kBlendWeightSum.
void check_blend(const std::vector<learn::BlendWeights>& blend, size_t vertices, size_t bones);
void add_blend(SectionFile& file, const std::vector<learn::BlendWeights>& blend, size_t bones);
std::vector<learn::BlendWeights> blend_of(const asset::GarmentView& view);

learn::Model whole_model_of(const asset::GarmentView& view);
// Sum of the numbers of vertices of all patches. Patches overlap.
size_t shared_vertices(const asset::PatchesView& view);
learn::PatchModel patch_model_of(const asset::GarmentView& view, const garment::Garment& garment);

inline learn::Vector vector_of(std::span<const float> values) {
  return Eigen::Map<const learn::Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

}  // namespace billow::pack
