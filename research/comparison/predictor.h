// A common interface to everything that predicts cloth: networks, baselines, the PCA floor and the reference
// itself.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "evaluate/rope_gap.h"
#include "learn/patch_model.h"

namespace billow::research {

using evaluate::BoneSource;
using learn::Frames;
using learn::Matrix;

struct Predictor {
  std::string name;
  // Fills one row of cloth displacements for each of the given frames. Must be thread-safe.
  std::function<void(std::span<const uint32_t> which, Eigen::Ref<Matrix> out)> predict;
};

// The arguments must outlive the predictors.
//
// The reference cloth.
Predictor truth(const Frames& frames);
// A trained model of either form: the skinning network alone, or with the shape network added.
Predictor networks(std::string name, const Frames& frames, const learn::ClothModel& model,
                   const BoneSource& source, bool with_shape);
// One network and its basis.
Predictor network(std::string name, const learn::Stage& stage, const BoneSource& source);
// The PCA floor: the best coefficients of a basis.
Predictor projection(std::string name, const Frames& frames, const learn::Basis& basis);
// The same for patches: each projected on its own basis, in the frame given by embedded bones.
Predictor patch_projection(std::string name, const Frames& frames, const learn::PatchModel& model);
// The cloth of the training frame whose embedded bones are nearest to those of the source (least squares).
// For embedded bones a training frame finds itself.
Predictor nearest_frame(std::string name, const Frames& frames, const BoneSource& source);

}  // namespace billow::research
