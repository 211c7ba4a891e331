#include "runtime/frame_entry.h"

#include "runtime/layer.h"
#include "sdf/query_points.h"

namespace billow {
namespace {

void query_body(const void* of, uint32_t groups, const float* points, uint32_t count, float limit,
                float* distances, float* gradients, int32_t* colliders) {
  const Body& b = *static_cast<const Body*>(of);
  PosedCollider posed[kMaxColliders];
  for (int i = 0; i < b.collider_count; ++i)
    posed[i] = pose_collider(b.colliders[i], b.scale, b.now[i], b.now[i]);
  query_points(posed, BodyBounds(posed, b.collider_count, groups), points, count, limit, distances, gradients,
               colliders);
}

}  // namespace

const billow_frame_entry frame_entry{
    [](void* chains, const void* input) {
      step(*static_cast<Chains*>(chains), *static_cast<const StepInput*>(input));
    },
    [](void* instances, size_t count, const void* inputs) {
      step({static_cast<Instance* const*>(instances), count}, static_cast<const FrameInput*>(inputs));
    },
    query_body,
    [](void* layer, const void* inner, void* body) {
      pose_layer(*static_cast<Layer*>(layer), *static_cast<const Instance*>(inner),
                 *static_cast<Body*>(body));
    }};

}  // namespace billow
