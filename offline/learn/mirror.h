// Left and right of a garment: bodies and most garments are alike on both sides, so that a frame seen in a mirror is
// another frame to learn from.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "garment/garment.h"

namespace billow::learn {

struct Mirror {
  std::vector<uint32_t> vertices, bones;  // where each is seen in the mirror
};

inline V3 mirrored(V3 v) { return {-v.x, v.y, v.z}; }

// None for a garment whose sides differ, as it was modelled: by more than a millimetre anywhere.
std::optional<Mirror> find_mirror(const garment::Garment& garment);

}  // namespace billow::learn
