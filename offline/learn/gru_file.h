// The recurrent baseline as bytes: what a garment file carries as its extra section "gru", so that an evaluation can show
// it beside the rope chains. Little-endian, in this order:
//
//   uint32    magic, version 1, inputs, chains, bits of a weight (4 to 8)
//   float     mean and scale of the inputs
//   a chain   uint32 units, uint32 bones, uint32 each bone; then its three layers: input, state, output
//   a layer   float biases, float scales (one a row), weights row by row: bits-wide integers, lowest bits first, filled up
//             to whole bytes. With m = 2^(bits - 1) - 1, a weight is scale (integer - m)
#pragma once

#include <string>
#include <string_view>

#include "learn/gru.h"

namespace billow::learn {

inline constexpr const char* kGruSection = "gru";

// What a baseline may weigh: 100 kB a chain, and no more than a megabyte and a half.
size_t gru_room(size_t chains);

// With as many bits a weight as there is room for. Throws std::invalid_argument where four are too many.
std::string gru_to_bytes(const Gru& gru, size_t most_bytes);
inline std::string gru_to_bytes(const Gru& gru) { return gru_to_bytes(gru, gru_room(gru.chains.size())); }

// Any bytes. Throws std::runtime_error with what was expected and what was found.
Gru gru_from_bytes(std::string_view bytes);

}  // namespace billow::learn
