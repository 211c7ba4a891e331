// A recurrent baseline: the motion of bones from that of the body, by one gated recurrent unit (Cho et al. 2014) for each
// chain, after the low-frequency module of Pan et al. 2022. Rope chains have to do better on motions never seen.
//
//   r = s(Wr x + Ur h + b)    u = s(Wu x + Uu h + b)    n = tanh(Wn x + bn + r (Un h + cn))
//   h' = (1 - u) n + u h      displacements of the chain's bones = O h' + o
//
// x: the pose of the body in this frame; h: what the chain remembers, 0 at a clip's beginning.
#pragma once

#include "learn/frames.h"
#include "learn/model.h"

namespace billow::learn {

struct GruChain {
  std::vector<uint32_t> bones;  // that it moves
  Layer input, state;           // rows: r, u and n, one after the other
  Layer output;                 // three rows a bone
};

struct Gru {
  Vector mean, scale;  // of the inputs
  std::vector<GruChain> chains;

  // Through one clip: poses a row a frame, displacements of all bones a row a frame. Those that chains move are
  // written, others stay.
  void operator()(const Matrix& poses, Matrix& bones) const;
};

// What a recurrent unit is told of the body, a row a frame of one clip, all as seen from the key joint: how the other
// joints are turned (two columns of a matrix each), how fast the key joint moves and turns, and where down is.
Matrix body_poses(const Frames& frames, const Frames::Run& clip);

// Bones of all frames, a row each: simulated ones from the recurrent units, run through each clip from its beginning;
// those that follow the body as they are. Throws std::invalid_argument for units of another body or garment.
Matrix gru_bones(const Frames& frames, const Gru& gru);

// Bones that chains move: all but their roots.
std::vector<std::vector<uint32_t>> moved_bones(const garment::Garment& garment);

}  // namespace billow::learn
