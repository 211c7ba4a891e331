// What was learnt as sections of the garment file, both forms and both ways.
#pragma once

#include "asset/garment_view.h"
#include "pack/garment_asset.h"
#include "pack/section_file.h"

namespace billow::pack {

// Throws std::invalid_argument where sizes do not fit the garment and each other.
void check_model(const learn::Model& model, const garment::Garment& garment);
void check_model(const learn::PatchModel& model, const garment::Garment& garment);

// All but the matrices.
void add_numbers(SectionFile& file, const learn::Model& model);
void add_numbers(SectionFile& file, const learn::PatchModel& model);

// Of what bones are to what has to be added to them: a network whose matrices are stored with 12 bits.
void check_correction(const learn::Network& correction, const garment::Garment& garment);
void add_correction(SectionFile& file, const learn::Network& correction);
learn::Network correction_of(const asset::GarmentView& view);

// How chains move.
void add_settings(SectionFile& file, const billow_settings& settings);

// Weights for linear blend skinning, rounded to whole numbers.
void check_blend(const std::vector<learn::BlendWeights>& blend, size_t vertices, size_t bones);
void add_blend(SectionFile& file, const std::vector<learn::BlendWeights>& blend, size_t bones);
std::vector<learn::BlendWeights> blend_of(const asset::GarmentView& view);

learn::Model whole_model_of(const asset::GarmentView& view);
// Vertices of all patches together: most belong to several.
size_t shared_vertices(const asset::PatchesView& view);
learn::PatchModel patch_model_of(const asset::GarmentView& view, const garment::Garment& garment);

inline learn::Vector vector_of(std::span<const float> numbers) {
  return Eigen::Map<const learn::Vector>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

}  // namespace billow::pack
