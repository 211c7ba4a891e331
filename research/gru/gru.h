// A recurrent baseline: bone displacements from body motion, one gated recurrent unit (Cho et al. 2014) a
// chain, after the low-frequency module of Pan et al. 2022. Rope chains have to do better on unseen motions.
//
//   r = s(Wr x + Ur h + b)    u = s(Wu x + Uu h + b)    n = tanh(Wn x + bn + r (Un h + cn))
//   h' = (1 - u) n + u h      displacements of the chain's bones = O h' + o
//
// x: features of the body's pose in this frame; h: the chain's hidden state, 0 at the start of a clip.
//
// A garment file stores it as its extra section "gru". Little-endian, in this order:
//
//   uint32    magic, version 1, inputs, chains, bits of a weight (4 to 8)
//   float     mean and scale of the inputs
//   a chain   uint32 units, uint32 bones, uint32 each bone; then its three layers: input, state, output
//   a layer   float biases, float scales (one a row), weights row by row: bits-wide integers, lowest bits first, padded to
//             a whole byte. With m = 2^(bits - 1) - 1, a weight is scale (integer - m)
#pragma once

#include <string>
#include <string_view>

#include "learn/frames.h"
#include "learn/model.h"

namespace billow::research {

using learn::Frames;
using learn::Layer;
using learn::Matrix;
using learn::Vector;

struct GruChain {
  std::vector<uint32_t> bones;  // bones that the chain predicts
  Layer input, state;           // rows: r, u and n, one after the other
  Layer output;                 // three rows a bone
};

struct Gru {
  Vector mean, scale;  // standardisation of the inputs
  std::vector<GruChain> chains;

  // Runs through one clip: poses and bone displacements one row a frame. Bones that no chain predicts are not changed.
  void operator()(const Matrix& poses, Matrix& bones) const;
};

// Inputs of the recurrent units for one clip, one row a frame, all relative to the key joint: rotations of the other
// joints (two columns of the rotation matrix each), linear and angular velocity of the key joint, and the direction of gravity.
Matrix body_poses(const Frames& frames, const Frames::ClipRange& clip);

// Bones of all frames, one row each: simulated bones from the recurrent units, run from the start of each clip; kinematic
// bones as in the data set. Throws std::invalid_argument for units of another body or garment.
Matrix gru_bones(const Frames& frames, const Gru& gru);

// The simulated bones of each chain: all but its root.
std::vector<std::vector<uint32_t>> simulated_bones(const garment::Garment& garment);

inline constexpr const char* kGruSection = "gru";

// Size limit of the section: 100 kB a chain, and at most 1.5 MB.
size_t max_gru_bytes(size_t chains);

// Takes the most bits a weight that fit into `max_bytes`. Throws std::invalid_argument where four bits do not fit.
std::string gru_to_bytes(const Gru& gru, size_t max_bytes);
inline std::string gru_to_bytes(const Gru& gru) {
  return gru_to_bytes(gru, max_gru_bytes(gru.chains.size()));
}

// Accepts any bytes. Throws std::runtime_error with what was expected and what was found.
Gru gru_from_bytes(std::string_view bytes);

}  // namespace billow::research
