// Shared by the figures about learning: a data set, the garment files trained on it, and a grid of pictures with one row
// per predictor and one column per frame.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pack/garment_asset.h"
#include "research/comparison/measure.h"
#include "research/comparison/predictor.h"
#include "research/figures/figures.h"
#include "tools/billow/picture.h"

namespace billow::tool {

class LearnedRows {
 public:
  // Throws NotMade without a data set or a garment file, and std::runtime_error where the garment was not trained on the
  // data set.
  explicit LearnedRows(const FigureInputs& inputs);

  const learn::Frames& frames() const { return frames_; }
  const pack::GarmentData& garment() const { return garment_; }
  const evaluate::BoneSource& embedded() const { return embedded_; }

  // Rows are added from top to bottom.
  void add_truth();
  void add_networks(const std::string& label, const std::string& key, const learn::ClothModel& model,
                    bool with_shape);
  void add_networks(const std::string& label, const std::string& key, const learn::ClothModel& model,
                    bool with_shape, const evaluate::BoneSource& bones);
  // A row that shows bones instead of cloth. `bones` has one matrix row per frame.
  void add_chains(const std::string& label, const learn::Matrix& bones);
  // Reads another file of the same garment; the model lives as long as this object.
  const learn::ClothModel& open(const std::filesystem::path& file);

  // Frames of a part with the most dissimilar bones, by farthest-point sampling.
  std::vector<uint32_t> some_of(dataset::Part part) const;
  // Frames of a part, spread in time, in which the first row's cloth has the most vertices inside the body.
  std::vector<uint32_t> deepest_of(dataset::Part part) const;
  // Draws the grid. `mark_inside` marks each vertex inside the body by a red dot at its projection onto the surface.
  draw::Image draw(const std::vector<uint32_t>& which, bool mark_inside = false) const;
  // For each row with a key: RMSE and share of vertices deeper than 1 mm in the body, on a part of the data set. For the
  // training part, also the RMSE on holdout and unseen frames.
  nlohmann::ordered_json numbers(dataset::Part part) const;

 private:
  struct Row {
    std::string label, key;
    research::Predictor predictor;         // predicts the cloth; unused where `bones` is set
    const learn::Matrix* bones = nullptr;  // set: the row shows chains
  };
  std::vector<uint32_t> all_of(dataset::Part part) const;
  size_t wanted(const std::vector<uint32_t>& all) const;
  std::vector<V3> placed(uint32_t frame, std::span<const V3> rest, const float* displacements) const;
  std::vector<V3> cloth_of(const Row& row, uint32_t frame) const;
  // The vertices inside the body, projected onto its surface.
  std::vector<V3> inside(uint32_t frame, std::span<const V3> vertices) const;

  const FigureInputs& inputs_;
  pack::GarmentData garment_;
  learn::Frames frames_;
  evaluate::BoneSource embedded_;
  DrawnBody body_;
  std::vector<std::unique_ptr<pack::GarmentData>> others_;
  std::vector<Row> rows_;
};

}  // namespace billow::tool
