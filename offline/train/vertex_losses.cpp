#include "train/vertex_losses.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "parallel.h"

namespace billow::train {
namespace {

// Vertices a task: their rows of the basis stay in a core's cache.
constexpr size_t kVertexBlock = 512;
constexpr int kBisections = 12;  // to a quarter of a millimetre in a metre

V3 step_toward(V3 x, V3 truth, float distance) {
  const V3 r = truth - x;
  const float l = length(r);
  return l <= distance ? truth : x + r * (distance / l);
}

// Bisects the segment from x to the truth for where it leaves the body. Returns the truth if that is inside.
V3 search_toward(const body::Surface& body, V3 x, V3 truth, float buffer) {
  float in = 0, out = 1;
  for (int k = 0; k < kBisections; ++k) {
    const float middle = 0.5f * (in + out);
    (body.at(x + (truth - x) * middle).distance < buffer ? in : out) = middle;
  }
  return x + (truth - x) * out;
}

constexpr Eigen::Index kFrameBlock = 8;  // frames a task

}  // namespace

Expansion::Expansion(Vector base_positions, const Matrix& trained_modes, const Matrix& frozen_modes)
    : base(std::move(base_positions)), trained(trained_modes.rows()) {
  for (const Matrix* modes : {&trained_modes, &frozen_modes})
    if (modes->size() > 0 && modes->cols() != base.size())
      throw std::invalid_argument("expansion: expected modes of " + std::to_string(base.size()) +
                                  " values, found " + std::to_string(modes->cols()));
  basis.resize(base.size(), frozen_modes.rows() + trained);
  basis.leftCols(frozen_modes.rows()) = frozen_modes.transpose();
  basis.rightCols(trained) = trained_modes.transpose();
}

Matrix Expansion::joined(const Matrix& trained_coefficients, const Matrix& frozen) const {
  Matrix all(trained_coefficients.rows(), basis.cols());
  if (frozen.size() > 0) all.leftCols(frozen.cols()) = frozen;
  all.rightCols(trained) = trained_coefficients;
  return all;
}

void FramesScene::pose(uint32_t frame, body::Surface& body) const {
  std::vector<Transform> joints(frames_.character().skeleton.size());
  frames_.joints(frame, joints);
  const Transform back = inverse(frames_.rigid(frame));
  for (Transform& joint : joints) joint = back * joint;
  body.pose(joints);
}

V3 collision_target(const body::Surface& body, V3 x, float phi, V3 truth, const CollisionOptions& options) {
  const float buffer = options.buffer;
  const bool iterated = options.push == Push::kTruthIterated || options.push == Push::kGradientIterated;
  if (options.push == Push::kTruthSearch) return search_toward(body, x, truth, buffer);
  for (int k = iterated ? options.iterations : 1; k > 0; --k) {
    if (options.push == Push::kTruth || options.push == Push::kTruthIterated)
      x = step_toward(x, truth, buffer - phi);
    else
      x += body.at(x).gradient * (buffer - phi);
    if (k == 1) break;
    phi = body.at(x).distance;
    if (phi >= buffer) break;
  }
  return x;
}

CollisionTerm::CollisionTerm(const Scene& scene, const CollisionOptions& options, const Expansion& expansion)
    : scene_(scene), options_(options), expansion_(expansion) {}

CollisionTerm::Sum CollisionTerm::operator()(std::span<const uint32_t> frames, const Matrix& trained,
                                             const Matrix& frozen, Matrix& gradient) {
  const Matrix coefficients = expansion_.joined(trained, frozen);

  while (bodies_.size() < frames.size()) bodies_.push_back(scene_.make_body());
  for_each_in_parallel(frames.size(), [&](size_t f) { scene_.pose(frames[f], bodies_[f]); });

  // Sum in the order of blocks, not of completion.
  const size_t blocks = (expansion_.vertices() + kVertexBlock - 1) / kVertexBlock;
  std::vector<Matrix> gradients(blocks);
  std::vector<Sum> sums(blocks);
  for_each_in_parallel(blocks, [&](size_t b) { sums[b] = add_block(b, frames, coefficients, gradients[b]); });
  gradient.setZero(trained.rows(), trained.cols());
  Sum all;
  for (size_t b = 0; b < blocks; ++b) {
    all.loss += sums[b].loss, all.near += sums[b].near, all.inside += sums[b].inside;
    if (gradients[b].size() > 0) gradient += gradients[b];
  }
  return all;
}

CollisionTerm::Sum CollisionTerm::add_block(size_t block, std::span<const uint32_t> frames,
                                            const Matrix& coefficients, Matrix& gradient) const {
  const size_t begin = block * kVertexBlock, count = std::min(kVertexBlock, expansion_.vertices() - begin);
  const auto first = static_cast<Eigen::Index>(3 * begin), values = static_cast<Eigen::Index>(3 * count);
  const auto rows = expansion_.basis.middleRows(first, values);

  // Decode the vertices of this block in all frames at once.
  Matrix x = coefficients * rows.transpose();
  x.rowwise() += expansion_.base.segment(first, values).transpose();

  Sum sum;
  std::vector<float> phi(count);
  for (size_t f = 0; f < frames.size(); ++f) {
    const float* positions = x.row(static_cast<Eigen::Index>(f)).data();
    // The query may stop at the buffer.
    bodies_[f].query({reinterpret_cast<const V3*>(positions), count}, phi, {}, options_.buffer);
    for (size_t v = 0; v < count; ++v) {
      if (!(phi[v] < options_.buffer)) continue;
      const V3 at{positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]};
      const V3 truth = scene_.truth(frames[f], static_cast<uint32_t>(begin + v));
      const V3 error = at - collision_target(bodies_[f], at, phi[v], truth, options_);
      ++sum.near;
      sum.inside += phi[v] < 0;
      sum.loss += static_cast<double>(dot(error, error));
      if (gradient.size() == 0) gradient.setZero(coefficients.rows(), expansion_.trained);
      const auto row = static_cast<Eigen::Index>(3 * v);
      gradient.row(static_cast<Eigen::Index>(f)) +=
          2 * (error.x * rows.row(row) + error.y * rows.row(row + 1) + error.z * rows.row(row + 2))
                  .tail(expansion_.trained);
    }
  }
  return sum;
}

std::vector<std::array<uint32_t, 2>> edges_of(const std::vector<std::array<uint32_t, 3>>& triangles) {
  std::vector<std::array<uint32_t, 2>> edges;
  for (const auto& t : triangles)
    for (size_t k = 0; k < 3; ++k)
      edges.push_back({std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])});
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

std::vector<Edge> pattern_edges(const garment::Garment& garment) {
  std::vector<Edge> edges;
  for (const auto& [a, b] : edges_of(garment.triangles))
    edges.push_back({a, b, rest_distance(garment, a, b)});
  return edges;
}

double add_length_loss(const std::vector<Edge>& edges, float weight, const float* x, float* gradient) {
  double sum = 0;
  for (const Edge& edge : edges) {
    const float *a = x + 3 * size_t{edge.a}, *b = x + 3 * size_t{edge.b};
    const float d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    const float length = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), error = length - edge.length;
    sum += static_cast<double>(error * error);
    const float factor = length > 0 ? 2 * weight * error / length : 0;
    for (size_t k = 0; k < 3; ++k) {
      gradient[3 * size_t{edge.a} + k] += factor * d[k];
      gradient[3 * size_t{edge.b} + k] -= factor * d[k];
    }
  }
  return static_cast<double>(weight) * sum;
}

EdgeTerm::EdgeTerm(std::vector<Edge> edges, const Expansion& expansion)
    : edges_(std::move(edges)), expansion_(expansion) {}

double EdgeTerm::operator()(const Matrix& trained, const Matrix& frozen, Matrix& gradient) const {
  const Matrix coefficients = expansion_.joined(trained, frozen);
  gradient.resize(trained.rows(), trained.cols());
  const Eigen::Index blocks = (trained.rows() + kFrameBlock - 1) / kFrameBlock;
  std::vector<double> sums(static_cast<size_t>(blocks));
  for_each_in_parallel(sums.size(), [&](size_t b) {
    const Eigen::Index first = static_cast<Eigen::Index>(b) * kFrameBlock,
                       count = std::min(kFrameBlock, trained.rows() - first);
    Matrix x = coefficients.middleRows(first, count) * expansion_.basis.transpose();
    x.rowwise() += expansion_.base.transpose();
    Matrix vertex_gradient = Matrix::Zero(count, x.cols());
    for (Eigen::Index f = 0; f < count; ++f)
      sums[b] += add_length_loss(edges_, 1, x.row(f).data(), vertex_gradient.row(f).data());
    gradient.middleRows(first, count) = vertex_gradient * expansion_.basis.rightCols(expansion_.trained);
  });
  double sum = 0;
  for (double s : sums) sum += s;
  return sum;
}

}  // namespace billow::train
