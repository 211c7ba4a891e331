// The edge term: edges of the cloth should be as long as at rest. A low error of vertices can hide a surface that is
// stretched and folded, which the eye sees at once.
//
//   sum (|a - b| - L)^2
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "garment/garment.h"
#include "train/expansion.h"

namespace billow::train {

struct Edge {
  uint32_t a = 0, b = 0;
  float length = 0;  // m, as cut
};

// Of triangles, each once, in order.
std::vector<std::array<uint32_t, 2>> edges_of(const std::vector<std::array<uint32_t, 3>>& triangles);
std::vector<Edge> edges_as_cut(const garment::Garment& garment);

// weight * the sum, of vertices at `x`, three numbers each; adds its gradient with respect to these.
double add_lengths(const std::vector<Edge>& edges, float weight, const float* x, float* gradient);

class EdgeTerm {
 public:
  EdgeTerm(std::vector<Edge> edges, const Expansion& expansion);

  // The sum over all frames, m2. A row a frame: coefficients, those of frozen modes, and the gradient that is written.
  // The same for any number of threads.
  double operator()(const Matrix& learnt, const Matrix& frozen, Matrix& gradient) const;

 private:
  std::vector<Edge> edges_;
  const Expansion& expansion_;
};

}  // namespace billow::train
