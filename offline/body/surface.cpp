#include "body/surface.h"

#include <stdexcept>

namespace billow::body {
namespace {

static_assert(sizeof(V3) == 3 * sizeof(float), "V3 arrays are passed to the API without a copy");

void check(billow_status status) {
  if (status != BILLOW_OK) throw std::invalid_argument(billow_last_error());
}

}  // namespace

Surface::Surface(const Skeleton& skeleton, std::span<const billow_collider> colliders, uint32_t groups)
    : groups_(groups) {
  const std::vector<billow_transform> rest = to_api(rest_transforms(skeleton));
  billow_body_desc desc{};
  desc.colliders = colliders.data();
  desc.collider_count = static_cast<uint32_t>(colliders.size());
  desc.joint_rest = rest.data();
  desc.joint_count = static_cast<uint32_t>(rest.size());
  billow_body* body = nullptr;
  check(billow_body_create(&desc, &body));
  body_.reset(body);
}

void Surface::pose(std::span<const Transform> joints) {
  const std::vector<billow_transform> now = to_api(joints);
  check(billow_body_teleport(body_.get(), now.data(), static_cast<uint32_t>(now.size()), 1));
}

Surface::Sample Surface::at(V3 point) const {
  Sample sample{};
  query({&point, 1}, {&sample.distance, 1}, {&sample.gradient, 1});
  return sample;
}

void Surface::query(std::span<const V3> points, std::span<float> distances, std::span<V3> gradients,
                    float limit) const {
  if (points.empty()) return;
  if (distances.size() < points.size() || (!gradients.empty() && gradients.size() < points.size()))
    throw std::invalid_argument("surface: expected outputs for every point");
  check(billow_body_query(body_.get(), groups_, &points[0].x, static_cast<uint32_t>(points.size()), limit,
                          distances.data(), gradients.empty() ? nullptr : &gradients[0].x, nullptr));
}

}  // namespace billow::body
