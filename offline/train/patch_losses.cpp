#include "train/patch_losses.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "decode/tile.h"
#include "parallel.h"

namespace billow::train {
namespace {

using Eigen::Index;
using learn::PatchFrame;

learn::Matrix edge_factor(const learn::PatchModel& model, uint32_t p,
                          const std::vector<std::array<uint32_t, 2>>& edges, double weight) {
  const learn::Patch& patch = model.patches[p];
  const Eigen::MatrixXd modes = model.bases[p].modes.cast<double>();
  const auto index_in_patch = [&](uint32_t v) {  // the patch's vertices are sorted
    const auto at = std::ranges::lower_bound(patch.vertices, v);
    return at != patch.vertices.end() && *at == v ? at - patch.vertices.begin() : -1;
  };
  Eigen::MatrixXd metric = Eigen::MatrixXd::Identity(modes.rows(), modes.rows());
  for (const auto& [a, b] : edges) {
    const Index i = index_in_patch(a), j = i < 0 ? -1 : index_in_patch(b);
    if (j < 0) continue;
    const double si = patch.shares[static_cast<size_t>(i)], sj = patch.shares[static_cast<size_t>(j)];
    const Eigen::VectorXd difference = modes.col(i) / std::sqrt(si) - modes.col(j) / std::sqrt(sj);
    metric += weight * std::sqrt(si * sj) * difference * difference.transpose();
  }
  return Eigen::MatrixXd(metric.llt().matrixL()).cast<float>();
}

Eigen::RowVector3f row_of(V3 v) { return {v.x, v.y, v.z}; }
V3 at(const auto& rows, uint32_t v) {
  const float* x = rows.row(static_cast<Index>(v)).data();
  return {x[0], x[1], x[2]};
}

}  // namespace

std::vector<learn::Matrix> edge_factors(const learn::PatchModel& model,
                                        const std::vector<std::array<uint32_t, 3>>& triangles,
                                        double weight) {
  const std::vector<std::array<uint32_t, 2>> edges = edges_of(triangles);
  const auto patches_of = model.patches_of_networks();
  std::vector<learn::Matrix> out(patches_of.size());
  for_each_in_parallel(out.size(),
                       [&](size_t n) { out[n] = edge_factor(model, patches_of[n][0], edges, weight); });
  return out;
}

PatchSurfaceLoss::PatchSurfaceLoss(const Scene& scene, const CollisionOptions& options,
                                   std::vector<Edge> edges, const learn::PatchModel& model,
                                   const learn::PatchSamples& samples, const garment::Garment* restored)
    : scene_(scene), options_(options), edges_(std::move(edges)), model_(model), samples_(samples) {
  for (size_t p = 0; p < model.patches.size(); ++p) bases_.push_back(model.weighted_basis(p));
  const size_t threads = std::max(1u, std::thread::hardware_concurrency());
  for (size_t t = 0; t < threads; ++t) bodies_.push_back(scene.make_body());
  if (restored) restored_ = std::make_unique<RestoredCloth>(*restored, threads);
}

PatchSurfaceLoss::Sum PatchSurfaceLoss::operator()(std::span<const uint32_t> which, Terms terms,
                                                   const float* coefficients, int64_t width,
                                                   float* gradient) {
  // One body a thread; sums in the order of frames do not depend on the number of threads.
  std::vector<uint32_t> frames;  // indices into `which` of samples that are not mirrored
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
      Matrix own(patches, width), own_gradient = Matrix::Zero(patches, width);
      for (Index p = 0; p < patches; ++p) own.row(p) = all.row(row_of(p));
      sums[i] = add(which[frames[i]], terms, t, own, own_gradient);
      for (Index p = 0; p < patches; ++p) all_gradients.row(row_of(p)) += own_gradient.row(p);
    }
  });
  Sum sum;
  for (const Sum& s : sums) sum.loss += s.loss, sum.near += s.near;
  return sum;
}

PatchSurfaceLoss::Sum PatchSurfaceLoss::add(uint32_t sample, Terms terms, size_t thread,
                                            const Matrix& coefficients, Matrix& gradient) {
  const std::vector<PatchFrame> patch_frames = model_.patch_frames(samples_.inputs, sample);
  const Directions x = positions(patch_frames, coefficients);
  Directions vertex_gradient = Directions::Zero(x.rows(), 3);
  Sum sum;
  if (terms.collision > 0)
    sum = add_collisions(samples_.frames[sample], terms, x, bodies_[thread], vertex_gradient);
  if (terms.length > 0) sum.loss += add_length_loss(edges_, terms.length, x.data(), vertex_gradient.data());
  if (terms.restored > 0) sum.loss += add_restored_loss(terms.restored, thread, x, vertex_gradient);
  for (size_t p = 0; p < bases_.size(); ++p) {
    const std::vector<uint32_t>& vertices = model_.patches[p].vertices;
    Directions of_patch(static_cast<Index>(vertices.size()), 3);
    for (size_t i = 0; i < vertices.size(); ++i)
      of_patch.row(static_cast<Index>(i)) = vertex_gradient.row(static_cast<Index>(vertices[i]));
    if (of_patch.isZero(0)) continue;  // most patches have no collision
    const Index count = model_.components();
    const Directions patch_gradient = bases_[p].leftCols(count).transpose() * of_patch;
    for (Index k = 0; k < count; ++k) {
      const V3 g = patch_frames[p].to_local(at(patch_gradient, static_cast<uint32_t>(k)));
      auto row = gradient.row(static_cast<Index>(p));
      row[k] += g.x, row[count + k] += g.y, row[2 * count + k] += g.z;
    }
  }
  return sum;
}

PatchSurfaceLoss::Directions PatchSurfaceLoss::positions(std::span<const PatchFrame> patch_frames,
                                                         const Matrix& coefficients) const {
  Directions x = Directions::Zero(static_cast<Index>(model_.rest.size()), 3);
  for (size_t p = 0; p < bases_.size(); ++p) {
    const PatchFrame& frame = patch_frames[p];
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

PatchSurfaceLoss::Sum PatchSurfaceLoss::add_collisions(uint32_t frame, Terms terms, const Directions& x,
                                                       body::Surface& body, Directions& gradient) const {
  CollisionOptions options = options_;
  options.push = terms.push;
  scene_.pose(frame, body);
  const std::span points(reinterpret_cast<const V3*>(x.data()), static_cast<size_t>(x.rows()));
  std::vector<float> phi(points.size());
  body.query(points, phi, {}, options_.buffer);
  Sum sum;
  for (uint32_t v = 0; v < points.size(); ++v) {
    if (!(phi[v] < options_.buffer)) continue;
    ++sum.near;
    const V3 error = points[v] - collision_target(body, points[v], phi[v], scene_.truth(frame, v), options);
    sum.loss += static_cast<double>(terms.collision * dot(error, error));
    gradient.row(static_cast<Index>(v)) += row_of(error * (2 * terms.collision));
  }
  return sum;
}

double PatchSurfaceLoss::add_restored_loss(float weight, size_t thread, const Directions& x,
                                           Directions& gradient) {
  const std::span points(reinterpret_cast<const V3*>(x.data()), static_cast<size_t>(x.rows()));
  const std::span<const V3> restored = restored_->restore(points, thread);
  double sum = 0;
  for (size_t v = 0; v < points.size(); ++v) {
    const V3 error = points[v] - restored[v];
    sum += static_cast<double>(dot(error, error));
    gradient.row(static_cast<Index>(v)) += row_of(error * (2 * weight));
  }
  return static_cast<double>(weight) * sum;
}

}  // namespace billow::train
