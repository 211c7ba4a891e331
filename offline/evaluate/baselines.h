// What was learnt has to beat these: docs/evaluation.md. Each knows the training frames only, and takes any bones.
#pragma once

#include <optional>

#include "evaluate/skinning.h"

namespace billow::evaluate {

class Baselines {
 public:
  // `whole`: a basis of the whole cloth. `skinning`: another, or none.
  Baselines(const Frames& frames, const learn::Basis& whole, const learn::Basis* skinning, size_t threads);

  // What is given has to outlive these. Ridge regression from the training frames, and, if the garment's sides are alike,
  // another that learnt from what a mirror shows of them, too.
  std::vector<Predictor> on(const BoneSource& source) const;

 private:
  const Frames& frames_;
  learn::Stage ridge_;
  std::optional<learn::Stage> mirrored_, skinning_;
  BoneMotion motion_;
  std::vector<BlendWeights> weights_;
};

inline constexpr const char* kRidge = "ridge";
inline constexpr const char* kMirroredRidge = "ridge, mirrored";

}  // namespace billow::evaluate
