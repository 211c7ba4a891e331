// The signed distance function (SDF) of a character's colliders, a wrapper of billow_body. It uses the public
// API, so offline code sees exactly the body that the runtime collides with.
#pragma once

#include <billow/billow.h>

#include <memory>
#include <span>
#include <vector>

#include "body/skeleton.h"

namespace billow::body {

class Surface {
 public:
  // In the rest pose until pose() is called. Queries see the colliders of `groups` only. Throws
  // std::invalid_argument with the API's message.
  Surface(const Skeleton& skeleton, std::span<const billow_collider> colliders,
          uint32_t groups = BILLOW_ALL_GROUPS);

  void pose(std::span<const Transform> joints);

  struct Sample {
    float distance;
    V3 gradient;
  };
  Sample at(V3 point) const;
  // Batched query. `gradients` may be empty. Points farther than `limit` are cheap, see billow_body_query.
  void query(std::span<const V3> points, std::span<float> distances, std::span<V3> gradients = {},
             float limit = BILLOW_NO_LIMIT) const;

  billow_body* get() const { return body_.get(); }

 private:
  uint32_t groups_;
  struct Destroy {
    void operator()(billow_body* body) const { billow_body_destroy(body); }
  };
  std::unique_ptr<billow_body, Destroy> body_;
};

}  // namespace billow::body
