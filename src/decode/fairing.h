// Irons out crumples: folds of cloth that hangs run along the hang, and are straight.
//
// Weight draws cloth tight from its attachments to the hem, so that it bends across the hang in folds and hardly at all along
// it. What networks decode from chains that are a little off, and what restoring lengths adds, bends either way. A pass
// moves each vertex towards the place that it would have if the cloth were straight between two points, a stride before and
// after it on the pattern. The way is bounded: what is flatter than the bound becomes straight, and sharp folds lose little.
#pragma once

#include "core/arena.h"
#include "decode/unfold.h"

namespace billow {

inline constexpr int kFairingPasses = 3, kFairingNodes = 4, kFairingGroup = 8;

// Per group of vertices: the first node of all of them, then the second and so on, as bytes (point_pairs.h); weights likewise. A
// vertex that stays has itself for a node.
struct FairingPass {
  uint32_t* nodes = nullptr;
  float* weights = nullptr;
};
struct Fairing {
  uint32_t vertices = 0, groups = 0;
  FairingPass pass[kFairingPasses];
};

struct HangOfCloth {
  const float* depth;       // m on the cloth from the attachments, per vertex
  const uint8_t* attached;  // per vertex
  float edge;               // m, mean
};

// With a null arena it only measures.
Fairing take_fairing(uint32_t vertices, Arena& arena);
void find_fairing(const LengthMesh& mesh, const HangOfCloth& hang, Unfolding& unfolding, Fairing& out);
Fairing copy_of(const Fairing& fairing, Arena& arena);

// `points`: x y z 0 of all vertices and of one more, which pads groups.
void fair(const Fairing& fairing, float* points);

}  // namespace billow
