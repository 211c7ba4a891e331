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

learn::Model whole_model_of(const asset::GarmentView& view);
learn::PatchModel patch_model_of(const asset::GarmentView& view, const garment::Garment& garment);

inline learn::Vector vector_of(std::span<const float> numbers) {
  return Eigen::Map<const learn::Vector>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

}  // namespace billow::pack
