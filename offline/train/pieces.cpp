#include "train/pieces.h"

#include <algorithm>
#include <cmath>

namespace billow::train {
namespace {

V3 piece_unit_or(V3 v, V3 fallback) {
  const float l = length(v);
  return l > 1e-12f ? v * (1 / l) : fallback;
}

// Axes of a piece: z along its normal, x along its columns.
struct Axes {
  V3 origin, x, y, z;
  V3 local(V3 v) const { return {dot(v, x), dot(v, y), dot(v, z)}; }
};

}  // namespace

PieceCutter::PieceCutter(const garment::Garment& garment, size_t centres, uint64_t seed)
    : triangles_(garment.triangles), at_vertex_(garment.size()) {
  double sum = 0;
  for (uint32_t t = 0; t < triangles_.size(); ++t)
    for (size_t k = 0; k < 3; ++k) {
      at_vertex_[triangles_[t][k]].push_back(t);
      sum +=
          static_cast<double>(garment::rest_distance(garment, triangles_[t][k], triangles_[t][(k + 1) % 3]));
    }
  spacing_ = static_cast<float>(sum / (3 * static_cast<double>(std::max<size_t>(1, triangles_.size()))));
  std::mt19937_64 random(seed);
  for (size_t i = 0; i < centres; ++i)
    stencils_.push_back(stencil_at(garment, static_cast<uint32_t>(random() % garment.size())));
}

PieceCutter::Stencil PieceCutter::stencil_at(const garment::Garment& garment, uint32_t centre) const {
  // Without a pattern take the plane of the modelled cloth.
  const V3 at = garment.shape[centre];
  V3 normal{0, 0, 0};
  for (const uint32_t t : at_vertex_[centre]) {
    const garment::Triangle& c = triangles_[t];
    normal += cross(garment.shape[c[1]] - garment.shape[c[0]], garment.shape[c[2]] - garment.shape[c[0]]);
  }
  normal = piece_unit_or(normal, {0, 0, 1});
  const V3 across = piece_unit_or(cross({0, 1, 0}, normal), {1, 0, 0}), up = cross(normal, across);
  const auto place = [&](uint32_t v) {
    if (garment.pattern_uvs.empty())
      return std::array{dot(garment.shape[v] - at, across), dot(garment.shape[v] - at, up)};
    return std::array{garment.pattern_uvs[v][0] - garment.pattern_uvs[centre][0],
                      garment.pattern_uvs[v][1] - garment.pattern_uvs[centre][1]};
  };
  struct Candidate {
    uint32_t vertex;
    std::array<float, 2> place;
  };
  std::vector<Candidate> near;
  const float reach = static_cast<float>(kSide) * spacing_;
  for (uint32_t v = 0; v < garment.size(); ++v)
    if (const auto p = place(v); std::hypot(p[0], p[1]) < reach) near.push_back({v, p});
  Stencil stencil{};
  for (size_t k = 0; k < kPoints; ++k) {
    const auto offset = [&](size_t i) { return (static_cast<float>(i) - 0.5f * (kSide - 1)) * spacing_; };
    const float x = offset(k % kSide), y = offset(k / kSide);
    const auto from = [&](const Candidate& c) { return std::hypot(c.place[0] - x, c.place[1] - y); };
    stencil.vertices[k] =
        std::min_element(near.begin(), near.end(), [&](const Candidate& a, const Candidate& b) {
          return from(a) < from(b);
        })->vertex;
  }
  const auto apart = [&](size_t a, size_t b) {
    return garment::rest_distance(garment, stencil.vertices[a], stencil.vertices[b]);
  };
  for (size_t k = 0; k < kPoints; ++k) {
    if (k % kSide + 1 < kSide) stencil.to_right[k] = apart(k, k + 1);
    if (k + kSide < kPoints) stencil.below[k] = apart(k, k + kSide);
  }
  return stencil;
}

V3 PieceCutter::normal_at(std::span<const V3> x, uint32_t vertex) const {
  V3 n{0, 0, 0};
  for (const uint32_t t : at_vertex_[vertex]) {
    const garment::Triangle& c = triangles_[t];
    n += cross(x[c[1]] - x[c[0]], x[c[2]] - x[c[0]]);
  }
  return piece_unit_or(n, {0, 0, 0});
}

void PieceCutter::describe(Clip cloth, size_t frame, const Stencil& stencil, float* out) const {
  // Collect the piece, and find its axes.
  struct Point {
    V3 before, now, after, normals[3];
  };
  std::array<Point, kPoints> points;
  Axes axes{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  for (size_t k = 0; k < kPoints; ++k) {
    const uint32_t v = stencil.vertices[k];
    points[k] = {cloth[frame - 1][v], cloth[frame][v], cloth[frame + 1][v], {}};
    for (size_t f = 0; f < 3; ++f) points[k].normals[f] = normal_at(cloth[frame + f - 1], v);
    axes.origin += points[k].now * (1.0f / kPoints);
    axes.z += points[k].normals[1];
    axes.x += points[k].now * (k % kSide < kSide / 2 ? -1.0f : 1.0f);
  }
  axes.z = piece_unit_or(axes.z, {0, 0, 1});
  axes.x = piece_unit_or(axes.x - axes.z * dot(axes.x, axes.z),
                         piece_unit_or(cross(axes.z, {0, 1, 0}), {1, 0, 0}));
  axes.y = cross(axes.z, axes.x);

  const auto put = [&](V3 v, float scale) {
    const V3 l = axes.local(v) * scale;
    *out++ = l.x, *out++ = l.y, *out++ = l.z;
  };
  const auto strain = [&](size_t k, size_t next, float apart) {
    return apart > 0 ? length(points[next].now - points[k].now) / apart - 1 : 0;
  };
  for (size_t k = 0; k < kPoints; ++k) {
    const Point& p = points[k];
    const size_t column = k % kSide, row = k / kSide;
    // At the border of a piece, where a neighbour is missing, take cloth to be straight.
    const auto bend = [&](bool low, bool high, size_t step) {
      return low || high ? V3{0, 0, 0} : p.now - (points[k - step].now + points[k + step].now) * 0.5f;
    };
    for (const V3& normal : p.normals) put(normal, 1);
    put(p.now - axes.origin, 1 / spacing_);
    put(p.now - p.before, 1 / spacing_);
    put(p.after - p.now, 1 / spacing_);
    put(bend(column == 0, column + 1 == kSide, 1) + bend(row == 0, row + 1 == kSide, kSide), 1 / spacing_);
    *out++ = strain(k, column + 1 < kSide ? k + 1 : k, stencil.to_right[k]);
    *out++ = strain(k, row + 1 < kSide ? k + kSide : k, stencil.below[k]);
  }
}

void PieceCutter::cut(Clip tested, Clip reference, uint32_t clip, size_t first, size_t count,
                      std::mt19937_64& random, Pieces& to) const {
  const size_t begin = std::max<size_t>(1, first), frames = std::min(tested.size(), reference.size());
  if (frames < begin + 2 || stencils_.empty()) return;
  auto row = static_cast<Eigen::Index>(to.size());
  to.features.conservativeResize(row + 2 * static_cast<Eigen::Index>(count), kFeatures);
  for (size_t i = 0; i < count; ++i) {
    const size_t frame = begin + random() % (frames - 1 - begin);
    const Stencil& stencil = stencils_[random() % stencils_.size()];
    describe(tested, frame, stencil, to.features.row(row++).data());
    describe(reference, frame, stencil, to.features.row(row++).data());
    to.shown.insert(to.shown.end(), {1, 0});
    to.clip.insert(to.clip.end(), {clip, clip});
  }
}

}  // namespace billow::train
