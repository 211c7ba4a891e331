// Pushes of points out of the body, as rope/push_out.cpp along the gradient.
#pragma once

#include "rope/push_out.h"
#include "train/differentiable/stages.h"

namespace billow::train::differentiable {

// What a point touched: the first surface that it was inside of.
struct Touch {
  Tensor touched;  // bool
  NearSurface near;
  Tensor normal, blend;  // as they depend on the point
};
struct Pushed {
  Tensor x, inside;  // inside: still
  Touch touch;
};

// Collisions of one sub-step.
struct CollisionContext {
  const ChainModel& model;
  const PosedBody& body;
  std::vector<int64_t> swept;  // colliders that may be passed through
};

// Points x, [clips, points, 3], that were at `before`; `may`: which of them may touch. Touches nothing: `touched` is undefined.
Pushed push_out(const CollisionContext& context, const Tensor& x, const Tensor& before,
                const Tensor& clearance, const Tensor& may);

// Moves bones back within rope length and out of the body, or satisfies one of the two (docs/pipeline.md, "When rope and body
// disagree"). Only those of `may` move.
Tensor settle(const CollisionContext& context, const Tensor& x, const Tensor& parent, const Tensor& longest,
              const Tensor& clearance, const Tensor& may);

}  // namespace billow::train::differentiable
