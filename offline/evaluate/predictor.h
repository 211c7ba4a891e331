// Whatever says where the cloth is: what was learnt, what it has to beat, the floor that no network can pass. All are
// asked in the same way, so that all are measured in the same way.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "learn/cloth_model.h"
#include "learn/frames.h"

namespace billow::evaluate {

using learn::Frames;
using learn::Matrix;

// Bones of every frame of a data set, a row each: displacements from rest as learn::Frames gives them.
struct BoneSource {
  std::string name;
  Matrix bones;
};
BoneSource embedded_bones(const Frames& frames);
BoneSource rope_bones(const Frames& frames);

struct Predictor {
  std::string name;
  // Fills displacements of the cloth, a row for each of some frames. Is called from several threads at once.
  std::function<void(std::span<const uint32_t> which, Eigen::Ref<Matrix> out)> predict;
};

// What is given to them has to outlive these predictors.
Predictor truth(const Frames& frames);
// What was learnt, in either form: skinning alone, or with shape on top of it.
Predictor networks(std::string name, const Frames& frames, const learn::ClothModel& model,
                   const BoneSource& source, bool with_shape);
// One network and its basis.
Predictor network(std::string name, const learn::Stage& stage, const BoneSource& source);
// The floor: the best that any coefficients of a basis can do.
Predictor projection(std::string name, const Frames& frames, const learn::Basis& basis);
// The same for patches: each on its own basis, where embedded bones put it.
Predictor patch_projection(std::string name, const Frames& frames, const learn::PatchModel& model);
// The cloth of the training frame whose embedded bones are nearest to those of the source, in the sum of squares. A
// training frame finds itself.
Predictor nearest_frame(std::string name, const Frames& frames, const BoneSource& source);

}  // namespace billow::evaluate
