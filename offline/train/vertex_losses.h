// Losses on the vertices of the whole-cloth model, x = base + B c, with gradients with respect to the coefficients c.
//
// Collision loss (the paper's "PINN-style"): vertices inside the body are drawn to targets outside it. Targets
// are constants, not differentiated, so that
//
//   d/dc sum |x - target|^2 = 2 B^T (x - target)
//
// takes only the few rows of B whose vertices are inside, and no dense backward pass.
//
// Length loss: sum (|a - b| - L)^2 over the edges, L in the pattern. A low vertex error can hide visible stretching.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "body/surface.h"
#include "garment/garment.h"
#include "learn/frames.h"
#include "learn/model.h"
#include "train/options.h"

namespace billow::train {

using learn::Matrix;
using learn::Vector;

// The decoder x = base + B c. Some coefficients are trained, others are those of a frozen earlier stage.
struct Expansion {
  Vector base;           // vertex positions for zero coefficients
  Matrix basis;          // B: values x (frozen, then trained coefficients)
  Eigen::Index trained;  // number of trained coefficients

  // Modes: one row each. Throws std::invalid_argument for modes of another size. `frozen_modes` may be empty.
  Expansion(Vector base_positions, const Matrix& trained_modes, const Matrix& frozen_modes = {});

  size_t vertices() const { return static_cast<size_t>(base.size()) / 3; }
  // Coefficients of all modes, one row a frame. `frozen` may be empty.
  Matrix joined(const Matrix& trained_coefficients, const Matrix& frozen) const;
};

// Bodies and true cloth, frame by frame, in rest space.
class Scene {
 public:
  virtual ~Scene() = default;
  virtual body::Surface make_body() const = 0;
  virtual void pose(uint32_t frame, body::Surface& body) const = 0;
  virtual V3 truth(uint32_t frame, uint32_t vertex) const = 0;
};

// The frames of a data set.
class FramesScene : public Scene {
 public:
  explicit FramesScene(const learn::Frames& frames) : frames_(frames) {}

  body::Surface make_body() const override {
    return {frames_.character().skeleton, frames_.character().colliders,
            frames_.garment().contacts.rigid_groups()};
  }
  // Transforms the joints to rest space, which is cheaper than the cloth to the world.
  void pose(uint32_t frame, body::Surface& body) const override;
  V3 truth(uint32_t frame, uint32_t vertex) const override { return frames_.vertex(frame, vertex); }

 private:
  const learn::Frames& frames_;
};

// Target of a vertex at x with SDF value phi < buffer.
V3 collision_target(const body::Surface& body, V3 x, float phi, V3 truth, const CollisionOptions& options);

class CollisionTerm {
 public:
  CollisionTerm(const Scene& scene, const CollisionOptions& options, const Expansion& expansion);

  struct Sum {
    double loss = 0;              // m2: sum of squared distances to targets
    size_t near = 0, inside = 0;  // vertices with phi < buffer, and with phi < 0
  };
  // Sums over `frames`. Matrices have one row a frame: trained coefficients, frozen coefficients, and the gradient, which is
  // overwritten. The result does not depend on the number of threads.
  Sum operator()(std::span<const uint32_t> frames, const Matrix& trained, const Matrix& frozen,
                 Matrix& gradient);

 private:
  Sum add_block(size_t block, std::span<const uint32_t> frames, const Matrix& coefficients,
                Matrix& gradient) const;

  const Scene& scene_;
  CollisionOptions options_;
  const Expansion& expansion_;
  std::vector<body::Surface> bodies_;
};

struct Edge {
  uint32_t a = 0, b = 0;
  float length = 0;  // m, in the pattern
};

// The unique edges of triangles, sorted.
std::vector<std::array<uint32_t, 2>> edges_of(const std::vector<std::array<uint32_t, 3>>& triangles);
std::vector<Edge> pattern_edges(const garment::Garment& garment);

// Returns weight * length loss of vertices at `x`, three values each, and adds its gradient with respect to x.
double add_length_loss(const std::vector<Edge>& edges, float weight, const float* x, float* gradient);

class EdgeTerm {
 public:
  EdgeTerm(std::vector<Edge> edges, const Expansion& expansion);

  // Sums over all frames, m2. Matrices as of CollisionTerm. The result does not depend on the number of threads.
  double operator()(const Matrix& trained, const Matrix& frozen, Matrix& gradient) const;

 private:
  std::vector<Edge> edges_;
  const Expansion& expansion_;
};

}  // namespace billow::train
