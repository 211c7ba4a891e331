#include "train/patch_surface.h"

#include <cmath>

#include "decode/tile.h"
#include "parallel.h"

namespace billow::train {

using Eigen::Index;
using learn::PatchFrame;

namespace {

Eigen::RowVector3f row_of(V3 v) { return {v.x, v.y, v.z}; }
V3 at(const auto& rows, uint32_t v) {
  const float* x = rows.row(static_cast<Index>(v)).data();
  return {x[0], x[1], x[2]};
}

}  // namespace

PatchSurface::PatchSurface(const Scene& scene, const CollisionOptions& options, std::vector<Edge> edges,
                           const learn::PatchModel& model, const learn::PatchSamples& samples)
    : scene_(scene), options_(options), edges_(std::move(edges)), model_(model), samples_(samples) {
  for (size_t p = 0; p < model.patches.size(); ++p) bases_.push_back(model.shared_basis(p));
  const size_t threads = std::max(1u, std::thread::hardware_concurrency());
  for (size_t t = 0; t < threads; ++t) bodies_.push_back(scene.make_body());
}

PatchSurface::Sum PatchSurface::operator()(std::span<const uint32_t> which, Asked asked,
                                           const float* coefficients, int64_t width, float* gradient) {
  // A body for each piece of the samples; sums in their order are the same for any number of threads.
  std::vector<uint32_t> frames;  // places of those not seen in a mirror
  for (uint32_t i = 0; i < which.size(); ++i)
    if (!samples_.mirrored[which[i]]) frames.push_back(i);
  std::vector<Sum> sums(frames.size());
  const auto patches = static_cast<Index>(model_.patches.size()),
             rows = static_cast<Index>(which.size() * model_.networks.size());
  const Eigen::Map<const Matrix> all(coefficients, rows, width);
  Eigen::Map<Matrix> all_gradients(gradient, rows, width);
  for_each_in_parallel(bodies_.size(), [&](size_t t) {
    for (size_t i = t; i < frames.size(); i += bodies_.size()) {
      const auto row_of = [&](Index p) {
        const learn::Patch& patch = model_.patches[static_cast<size_t>(p)];
        const size_t sample = frames[i] + (patch.flipped ? 1 : 0);
        return static_cast<Index>(sample * model_.networks.size() + patch.network);
      };
      Matrix own(patches, width), force = Matrix::Zero(patches, width);
      for (Index p = 0; p < patches; ++p) own.row(p) = all.row(row_of(p));
      sums[i] = add(which[frames[i]], asked, bodies_[t], own, force);
      for (Index p = 0; p < patches; ++p) all_gradients.row(row_of(p)) += force.row(p);
    }
  });
  Sum sum;
  for (const Sum& s : sums) sum.loss += s.loss, sum.near += s.near;
  return sum;
}

PatchSurface::Sum PatchSurface::add(uint32_t sample, Asked asked, body::Surface& body,
                                    const Matrix& coefficients, Matrix& gradient) const {
  const std::vector<PatchFrame> turned = model_.turned(samples_.inputs, sample);
  const Directions x = places(turned, coefficients);
  Directions force = Directions::Zero(x.rows(), 3);
  Sum sum;
  if (asked.collision > 0) sum = add_collisions(samples_.frames[sample], asked, x, body, force);
  if (asked.length > 0) sum.loss += add_lengths(edges_, asked.length, x.data(), force.data());
  for (size_t p = 0; p < bases_.size(); ++p) {
    const std::vector<uint32_t>& vertices = model_.patches[p].vertices;
    Directions of_patch(static_cast<Index>(vertices.size()), 3);
    for (size_t i = 0; i < vertices.size(); ++i)
      of_patch.row(static_cast<Index>(i)) = force.row(static_cast<Index>(vertices[i]));
    if (of_patch.isZero(0)) continue;  // few patches collide
    const Index count = model_.components();
    const Directions by = bases_[p].leftCols(count).transpose() * of_patch;
    for (Index k = 0; k < count; ++k) {
      const V3 g = turned[p].to_local(at(by, static_cast<uint32_t>(k)));
      auto row = gradient.row(static_cast<Index>(p));
      row[k] += g.x, row[count + k] += g.y, row[2 * count + k] += g.z;
    }
  }
  return sum;
}

PatchSurface::Directions PatchSurface::places(std::span<const PatchFrame> turned,
                                              const Matrix& coefficients) const {
  Directions x = Directions::Zero(static_cast<Index>(model_.rest.size()), 3);
  for (size_t p = 0; p < bases_.size(); ++p) {
    const PatchFrame& frame = turned[p];
    const auto c = coefficients.row(static_cast<Index>(p));
    const Index count = model_.components();
    Directions columns(bases_[p].cols(), 3);
    for (Index k = 0; k < count; ++k)
      columns.row(k) = row_of(frame.to_world({c[k], c[count + k], c[2 * count + k]}));
    columns.bottomRows<Index{kRigidColumns}>() << row_of(frame.origin), row_of(frame.along),
        row_of(frame.across), row_of(frame.normal);
    const Directions of_patch = bases_[p] * columns;
    const std::vector<uint32_t>& vertices = model_.patches[p].vertices;
    for (size_t i = 0; i < vertices.size(); ++i)
      x.row(static_cast<Index>(vertices[i])) += of_patch.row(static_cast<Index>(i));
  }
  return x;
}

PatchSurface::Sum PatchSurface::add_collisions(uint32_t frame, Asked asked, const Directions& x,
                                               body::Surface& body, Directions& force) const {
  CollisionOptions options = options_;
  options.push = asked.push;
  scene_.pose(frame, body);
  const std::span points(reinterpret_cast<const V3*>(x.data()), static_cast<size_t>(x.rows()));
  std::vector<float> phi(points.size());
  body.query(points, phi, {}, options_.buffer);
  Sum sum;
  for (uint32_t v = 0; v < points.size(); ++v) {
    if (!(phi[v] < options_.buffer)) continue;
    ++sum.near;
    const V3 off = points[v] - collision_target(body, points[v], phi[v], scene_.truth(frame, v), options);
    sum.loss += static_cast<double>(asked.collision * dot(off, off));
    force.row(static_cast<Index>(v)) += row_of(off * (2 * asked.collision));
  }
  return sum;
}

}  // namespace billow::train
