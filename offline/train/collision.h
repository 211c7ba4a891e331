// The collision loss (the paper's "PINN-style"): vertices inside the body are drawn to places outside it. Those places
// are taken as given, not differentiated, so that the gradient with respect to a network's coefficients c is
//
//   d/dc sum |x - target|^2 = 2 B (x - target)       x = base + B^T c
//
// over the few rows of the basis B whose vertices are inside: no dense backward pass is needed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "body/surface.h"
#include "train/expansion.h"
#include "train/options.h"

namespace billow::train {

// Bodies and true cloth, frame by frame, in the space in which the cloth rests.
class Scene {
 public:
  virtual ~Scene() = default;
  virtual body::Surface make_body() const = 0;
  virtual void pose(uint32_t frame, body::Surface& body) const = 0;
  virtual V3 truth(uint32_t frame, uint32_t vertex) const = 0;
};

// Where a vertex at x, at distance phi < buffer, should be.
V3 collision_target(const body::Surface& body, V3 x, float phi, V3 truth, const CollisionOptions& options);

class CollisionTerm {
 public:
  CollisionTerm(const Scene& scene, const CollisionOptions& options, const Expansion& expansion);

  struct Sum {
    double loss = 0;              // m2: of squared distances to targets
    size_t near = 0, inside = 0;  // vertices with phi < buffer, and < 0
  };
  // Sums over `frames`. A row a frame: learnt coefficients, those of frozen modes, and the gradient that is
  // written. The same for any number of threads.
  Sum operator()(std::span<const uint32_t> frames, const Matrix& learnt, const Matrix& frozen,
                 Matrix& gradient);

 private:
  Sum add_block(size_t block, std::span<const uint32_t> frames, const Matrix& coefficients,
                Matrix& gradient) const;

  const Scene& scene_;
  CollisionOptions options_;
  const Expansion& expansion_;
  std::vector<body::Surface> bodies_;
};

}  // namespace billow::train
