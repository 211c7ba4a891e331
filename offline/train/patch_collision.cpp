#include "train/patch_collision.h"

#include <cmath>

#include "parallel.h"

namespace billow::train {

using learn::PatchFrame;

PatchCollision::PatchCollision(const Scene& scene, const CollisionOptions& options,
                               const learn::PatchModel& model, const learn::PatchSamples& samples)
    : scene_(scene), options_(options), model_(model), samples_(samples), places_(model.rest.size()) {
  for (uint32_t p = 0; p < model.patches.size(); ++p)
    for (uint32_t i = 0; i < model.patches[p].vertices.size(); ++i)
      places_[model.patches[p].vertices[i]].push_back({p, i});
  const size_t threads = std::max(1u, std::thread::hardware_concurrency());
  for (size_t t = 0; t < threads; ++t) bodies_.push_back(scene.make_body());
}

CollisionTerm::Sum PatchCollision::operator()(std::span<const uint32_t> which, const float* coefficients,
                                              int64_t width, float* gradient) {
  // A body for each piece of the samples; sums in their order are the same for any number of threads.
  std::vector<CollisionTerm::Sum> sums(which.size());
  const auto patches = static_cast<Eigen::Index>(model_.patches.size());
  const size_t size = static_cast<size_t>(patches) * static_cast<size_t>(width);
  for_each_in_parallel(bodies_.size(), [&](size_t t) {
    for (size_t i = t; i < which.size(); i += bodies_.size())
      if (!samples_.mirrored[which[i]])
        sums[i] = add(which[i], bodies_[t], {coefficients + i * size, patches, width},
                      {gradient + i * size, patches, width});
  });
  CollisionTerm::Sum all;
  for (const auto& s : sums) all.loss += s.loss, all.near += s.near, all.inside += s.inside;
  return all;
}

CollisionTerm::Sum PatchCollision::add(uint32_t sample, body::Surface& body,
                                       Eigen::Map<const Matrix> coefficients,
                                       Eigen::Map<Matrix> gradient) const {
  const std::vector<PatchFrame> turned = model_.turned(samples_.inputs, sample);
  std::vector<V3> x(model_.rest.size());
  model_.expand(turned, coefficients, x);
  const uint32_t frame = samples_.frames[sample];
  scene_.pose(frame, body);
  std::vector<float> phi(x.size());
  body.query(x, phi, {}, options_.buffer);
  CollisionTerm::Sum sum;
  for (uint32_t v = 0; v < x.size(); ++v) {
    if (!(phi[v] < options_.buffer)) continue;
    ++sum.near, sum.inside += phi[v] < 0;
    const V3 off = x[v] - collision_target(body, x[v], phi[v], scene_.truth(frame, v), options_);
    sum.loss += static_cast<double>(dot(off, off));
    for (const Place& p : places_[v]) {
      const auto row = static_cast<Eigen::Index>(p.patch);
      const learn::PatchBasis& basis = model_.stages[p.patch].basis;
      const V3 g = turned[p.patch].seen(off) * (2 * std::sqrt(model_.patches[p.patch].shares[p.vertex]));
      const auto mode = basis.modes.col(static_cast<Eigen::Index>(p.vertex)).transpose();
      const Eigen::Index count = basis.components();
      gradient.row(row).head(count) += mode * g.x;
      gradient.row(row).segment(count, count) += mode * g.y;
      gradient.row(row).segment(2 * count, count) += mode * g.z;
    }
  }
  return sum;
}

}  // namespace billow::train
