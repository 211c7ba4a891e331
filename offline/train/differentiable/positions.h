// What moves bones keeps ropes within their length: rope/length.h in tensors.
#pragma once

#include "train/differentiable/tensor_math.h"

namespace billow::train::differentiable {

// A length that keeps the rope within `longest` after its end points are rounded to floats.
Tensor usable_length(const Tensor& longest, const Tensor& a, const Tensor& b);

// Pulls x toward the parent until the rope is within its length.
Tensor limit_length(const Tensor& x, const Tensor& parent, const Tensor& longest);

}  // namespace billow::train::differentiable
