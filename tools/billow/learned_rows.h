// What the figures of learning share: a data set, the garment files trained on it, and pictures of what each makes of some
// frames, a row each.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "evaluate/measure.h"
#include "evaluate/predictor.h"
#include "figures.h"
#include "pack/garment_asset.h"
#include "picture.h"

namespace billow::tool {

class LearnedRows {
 public:
  // Throws NotMade unless there are a data set and a garment; std::runtime_error where they do not go together.
  explicit LearnedRows(const FigureInputs& inputs);

  const learn::Frames& frames() const { return frames_; }
  const pack::GarmentData& garment() const { return garment_; }
  const evaluate::BoneSource& embedded() const { return embedded_; }

  // Rows from top to bottom.
  void add_truth();
  void add_networks(const std::string& label, const std::string& key, const learn::ClothModel& model,
                    bool with_shape);
  void add_networks(const std::string& label, const std::string& key, const learn::ClothModel& model,
                    bool with_shape, const evaluate::BoneSource& bones);
  // Bones instead of cloth, a row a frame.
  void add_chains(const std::string& label, const learn::Matrix& bones);
  // Reads another file of the same garment and keeps it.
  const learn::ClothModel& open(const std::filesystem::path& file);

  // Frames of a part whose bones are as unlike as can be.
  std::vector<uint32_t> some_of(dataset::Part part) const;
  // Those, not side by side, in which the first row has most vertices in the body.
  std::vector<uint32_t> deepest_of(dataset::Part part) const;
  // A grid of pictures. `mark_inside`: vertices inside the body, by red dots where they would leave it.
  draw::Image draw(const std::vector<uint32_t>& which, bool mark_inside = false) const;
  // RMSE of the rows that have a key, and vertices deeper than 1 mm in the body, on a part of the data set; where that is
  // what was learnt from, RMSE on held-out and unseen frames too.
  nlohmann::ordered_json numbers(dataset::Part part) const;

 private:
  struct Row {
    std::string label, key;
    evaluate::Predictor predictor;         // of cloth
    const learn::Matrix* bones = nullptr;  // or chains
  };
  std::vector<uint32_t> all_of(dataset::Part part) const;
  size_t wanted(const std::vector<uint32_t>& all) const;
  std::vector<V3> placed(uint32_t frame, std::span<const V3> rest, const float* displacements) const;
  std::vector<V3> cloth_of(const Row& row, uint32_t frame) const;
  // Vertices inside the body, on its surface.
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
