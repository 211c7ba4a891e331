#include "train/edges.h"

#include <algorithm>

#include "parallel.h"

namespace billow::train {
namespace {

constexpr Eigen::Index kBlock = 8;  // frames at a time

}  // namespace

std::vector<std::array<uint32_t, 2>> edges_of(const std::vector<std::array<uint32_t, 3>>& triangles) {
  std::vector<std::array<uint32_t, 2>> edges;
  for (const auto& t : triangles)
    for (size_t k = 0; k < 3; ++k)
      edges.push_back({std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])});
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

std::vector<Edge> edges_as_cut(const garment::Garment& garment) {
  std::vector<Edge> edges;
  for (const auto& [a, b] : edges_of(garment.triangles))
    edges.push_back({a, b, rest_distance(garment, a, b)});
  return edges;
}

double add_lengths(const std::vector<Edge>& edges, float weight, const float* x, float* gradient) {
  double sum = 0;
  for (const Edge& edge : edges) {
    const float *a = x + 3 * size_t{edge.a}, *b = x + 3 * size_t{edge.b};
    const float d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    const float length = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), off = length - edge.length;
    sum += static_cast<double>(off * off);
    const float by = length > 0 ? 2 * weight * off / length : 0;
    for (size_t k = 0; k < 3; ++k) {
      gradient[3 * size_t{edge.a} + k] += by * d[k];
      gradient[3 * size_t{edge.b} + k] -= by * d[k];
    }
  }
  return static_cast<double>(weight) * sum;
}

EdgeTerm::EdgeTerm(std::vector<Edge> edges, const Expansion& expansion)
    : edges_(std::move(edges)), expansion_(expansion) {}

double EdgeTerm::operator()(const Matrix& learnt, const Matrix& frozen, Matrix& gradient) const {
  const Matrix coefficients = expansion_.joined(learnt, frozen);
  gradient.resize(learnt.rows(), learnt.cols());
  const Eigen::Index blocks = (learnt.rows() + kBlock - 1) / kBlock;
  std::vector<double> sums(static_cast<size_t>(blocks));
  for_each_in_parallel(sums.size(), [&](size_t b) {
    const Eigen::Index first = static_cast<Eigen::Index>(b) * kBlock,
                       count = std::min(kBlock, learnt.rows() - first);
    Matrix x = coefficients.middleRows(first, count) * expansion_.rows.transpose();
    x.rowwise() += expansion_.base.transpose();
    Matrix by_place = Matrix::Zero(count, x.cols());
    for (Eigen::Index f = 0; f < count; ++f)
      sums[b] += add_lengths(edges_, 1, x.row(f).data(), by_place.row(f).data());
    gradient.middleRows(first, count) = by_place * expansion_.rows.rightCols(expansion_.learnt);
  });
  double sum = 0;
  for (double s : sums) sum += s;
  return sum;
}

}  // namespace billow::train
