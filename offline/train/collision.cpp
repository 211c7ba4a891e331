#include "train/collision.h"

#include <algorithm>
#include <stdexcept>

#include "parallel.h"

namespace billow::train {
namespace {

// Vertices at a time: their rows of two bases stay in a core's cache.
constexpr size_t kBlock = 512;
constexpr int kHalvings = 12;  // of the way to the truth: a quarter of a millimetre in a metre

V3 step_toward(V3 x, V3 truth, float distance) {
  const V3 r = truth - x;
  const float l = length(r);
  return l <= distance ? truth : x + r * (distance / l);
}

// The place next to x on the way to the truth that is out; the truth where none is.
V3 search_toward(const body::Surface& body, V3 x, V3 truth, float buffer) {
  float in = 0, out = 1;
  for (int k = 0; k < kHalvings; ++k) {
    const float middle = 0.5f * (in + out);
    (body.at(x + (truth - x) * middle).distance < buffer ? in : out) = middle;
  }
  return x + (truth - x) * out;
}

}  // namespace

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

CollisionTerm::Sum CollisionTerm::operator()(std::span<const uint32_t> frames, const Matrix& learnt,
                                             const Matrix& frozen, Matrix& gradient) {
  const Matrix coefficients = expansion_.joined(learnt, frozen);

  while (bodies_.size() < frames.size()) bodies_.push_back(scene_.make_body());
  for_each_in_parallel(frames.size(), [&](size_t f) { scene_.pose(frames[f], bodies_[f]); });

  // Sum block after block, whichever was done first.
  const size_t blocks = (expansion_.vertices() + kBlock - 1) / kBlock;
  std::vector<Matrix> gradients(blocks);
  std::vector<Sum> sums(blocks);
  for_each_in_parallel(blocks, [&](size_t b) { sums[b] = add_block(b, frames, coefficients, gradients[b]); });
  gradient.setZero(learnt.rows(), learnt.cols());
  Sum all;
  for (size_t b = 0; b < blocks; ++b) {
    all.loss += sums[b].loss, all.near += sums[b].near, all.inside += sums[b].inside;
    if (gradients[b].size() > 0) gradient += gradients[b];
  }
  return all;
}

CollisionTerm::Sum CollisionTerm::add_block(size_t block, std::span<const uint32_t> frames,
                                            const Matrix& coefficients, Matrix& gradient) const {
  const size_t begin = block * kBlock, count = std::min(kBlock, expansion_.vertices() - begin);
  const auto first = static_cast<Eigen::Index>(3 * begin), values = static_cast<Eigen::Index>(3 * count);
  const auto rows = expansion_.rows.middleRows(first, values);

  // Expand this part of the cloth in all frames at once.
  Matrix x = coefficients * rows.transpose();
  x.rowwise() += expansion_.base.segment(first, values).transpose();

  Sum sum;
  std::vector<float> phi(count);
  for (size_t f = 0; f < frames.size(); ++f) {
    const float* places = x.row(static_cast<Eigen::Index>(f)).data();
    // Distances beyond the buffer are not asked for.
    if (billow_body_query(bodies_[f].get(), places, static_cast<uint32_t>(count), options_.buffer, phi.data(),
                          nullptr, nullptr) != BILLOW_OK)
      throw std::runtime_error(std::string("collision: ") + billow_last_error());
    for (size_t v = 0; v < count; ++v) {
      if (!(phi[v] < options_.buffer)) continue;
      const V3 at{places[3 * v], places[3 * v + 1], places[3 * v + 2]};
      const V3 truth = scene_.truth(frames[f], static_cast<uint32_t>(begin + v));
      const V3 off = at - collision_target(bodies_[f], at, phi[v], truth, options_);
      ++sum.near;
      sum.inside += phi[v] < 0;
      sum.loss += static_cast<double>(dot(off, off));
      if (gradient.size() == 0) gradient.setZero(coefficients.rows(), expansion_.learnt);
      const auto row = static_cast<Eigen::Index>(3 * v);
      gradient.row(static_cast<Eigen::Index>(f)) +=
          2 * (off.x * rows.row(row) + off.y * rows.row(row + 1) + off.z * rows.row(row + 2))
                  .tail(expansion_.learnt);
    }
  }
  return sum;
}

}  // namespace billow::train
