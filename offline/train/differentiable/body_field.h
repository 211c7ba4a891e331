// The body's signed distance for all points of all clips at once: spheres, capsules, ellipsoids and half-spaces, blended as in
// sdf/query.h.
//
// Values are found without a graph: floats on a processor by the runtime's own query, all others by its formulas in tensors, with
// every collider at every point. Distances, normals and the shares of colliders that blend have the derivatives of their fields by
// central differences, which cost six more queries where something touches and a gradient is wanted.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "rope/chain_set.h"
#include "sdf/body.h"
#include "train/differentiable/tensor_math.h"

namespace billow::train::differentiable {

// Some colliders of a body by shape, and which of them blend. Indices are those of the body.
struct FieldShape {
  Tensor capsules, ellipsoids, half_spaces;  // [n], int64
  Tensor order;    // place of each of `indices` among capsules, ellipsoids and half-spaces in a row
  Tensor indices;  // all of them, ascending
  Tensor blend_one, blend_other, blend_radius;  // [pairs]: places in `indices`
  std::vector<uint8_t> list;                    // `indices` again
  int64_t count() const { return static_cast<int64_t>(list.size()); }
};

// The colliders of a body, and which of them cloth meets how.
struct BodyShape {
  // [colliders, 1] or [colliders, 3].
  Tensor length, radius, taper, slope, half;
  Tensor bound_radius, bound_height,
      half_thickness;  // bound: a sphere about the point so high on the local y axis
  Tensor push;         // of soft ones: 1 - softness
  FieldShape rigid, yielding, soft;
  std::shared_ptr<const std::vector<Collider>> colliders;
  double scale = 1;
  int64_t count() const { return length.defined() ? length.size(0) : 0; }
  BodyShape to(const torch::TensorOptions& options) const;
};

// Throws std::invalid_argument for shapes that are not in tensors.
BodyShape read_body(const Body& body, const RopeSettings& settings);
// Where its colliders are at the start and at the end of the frame, [colliders, 7].
Tensor read_colliders(const Body& body, bool at_end);

inline constexpr float kFarthest = 0.3f;  // m: farther surfaces are not told apart

// The nearest surface of points, [clips, points, 1] and so on: of the values only.
struct NearSurface {
  Tensor phi, normal;           // phi is no more than kFarthest
  Tensor first, second, blend;  // first, second: colliders, int64
};

// A surface as it depends on the points.
struct Surface {
  Tensor phi, normal, blend;
};

// The body over a sub-step.
class PosedBody {
 public:
  // `from`, `to`: [clips, colliders, 7]; `common`: [clips, 1, 3], what everything moves by; dt: [clips, 1, 1].
  PosedBody(const BodyShape& shape, const Tensor& from, const Tensor& to, const Tensor& common,
            const Tensor& dt);

  const BodyShape& shape() const { return shape_; }
  bool holds() const { return shape_.rigid.count() + shape_.yielding.count() > 0; }
  bool pushes() const { return shape_.soft.count() > 0; }
  // Of rigid and yielding colliders; of soft ones.
  NearSurface nearest(const Tensor& x) const;
  NearSurface nearest_soft(const Tensor& x) const;
  // As functions of x, which are `near` at its value.
  Surface depending_on(const Tensor& x, const NearSurface& near, bool soft = false) const;
  // Velocity at x of the nearest colliders, of which the second has the share `blend`.
  Tensor velocity(const Tensor& x, const NearSurface& near, const Tensor& blend) const;
  // 0 on limbs that yield, else 1.
  Tensor grip(const NearSurface& near) const;

  // Swept test: rigid colliders that points may have passed through, which moved from `before` to x.
  std::vector<int64_t> may_have_crossed(const Tensor& before, const Tensor& x, const Tensor& clearance) const;
  // Points that passed through one of these stop a little inside it; sets which did.
  Tensor stop_at_first_hit(const std::vector<int64_t>& swept, const Tensor& before, const Tensor& x,
                           const Tensor& clearance, Tensor& stopped) const;

 private:
  NearSurface nearest_of(const FieldShape& field, const Tensor& x) const;
  NearSurface nearest_in_tensors(const FieldShape& field, const Tensor& x) const;
  NearSurface nearest_as_runtime(const FieldShape& field, const Tensor& x) const;
  Tensor distance_to(int64_t collider, const Tensor& x) const;

  const BodyShape& shape_;
  Tensor centre_, rotation_, axis_;  // [clips, colliders, 3], [.., 3, 3], [.., 3]: at the end
  Tensor centre_before_, turn_;      // [clips, colliders, 3], [.., 3, 3]
  Tensor bound_centre_, travel_, common_, dt_;
  std::vector<PosedCollider> posed_;  // of all clips, for floats on a processor
};

}  // namespace billow::train::differentiable
