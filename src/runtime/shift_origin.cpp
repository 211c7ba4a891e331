#include "runtime/shift_origin.h"

namespace billow {

void shift_origin(Body& body, V3 offset) {
  for (int c = 0; c < body.collider_count; ++c)
    body.before[c].position += offset, body.now[c].position += offset;
}

void shift_origin(Chains& chains, V3 offset) {
  ChainSet& set = chains.set;
  // Directions, velocities and sides of panels are the same everywhere.
  for (int c = 0; c < set.layout.chains; ++c) {
    chains.roots[c].position += offset;
    for (int i = 0; i < set.bones[c]; ++i) {
      const size_t at = set.layout.at(i, c);
      billow::set(set.x, at, get(set.x, at) + offset);
      billow::set(chains.rest_places, at, get(chains.rest_places, at) + offset);
    }
  }
  chains.space.position += offset;
  set.wind_origin += offset;
}

void shift_origin(Instance& i, V3 offset) {
  shift_origin(*i.chains, offset);
  i.lengths.key.position += offset;
  i.between.key.position += offset, i.between.before.position += offset;
  i.followed_scale = 0;  // roots and attachments are those of before
  for (uint32_t b = 0; b < i.garment->bones(); ++b) i.bones[b] += offset;
  for (uint32_t v = 0; v < i.garment->vertices(); ++v) {
    float* p = i.positions + 3 * size_t{v};
    p[0] += offset.x, p[1] += offset.y, p[2] += offset.z;
  }
}

}  // namespace billow
