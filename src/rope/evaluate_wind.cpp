// Air velocity at the bones: a constant wind, gusts that travel with it, and the caller's field.
#include "rope/stages.h"

namespace billow {
namespace {

// sin(2 pi turns), by the same polynomials on every platform.
F4 sine_of_turns(F4 turns) {
  // Subtract the nearest integer: adding 1.5 * 2^23 rounds to one.
  F4 nearest = (turns + 12582912.0f) - 12582912.0f;
  F4 f = turns - nearest;  // [-0.5, 0.5]
  F4 s, c;
  sin_cos(abs(f) * 6.28318531f, s, c);  // [0, pi]
  return select(f < 0.0f, -s, s);
}

// Two waves of unrelated frequency, and a slower one that blows sideways.
V3x4 gusty(const Wind& wind, V3x4 x, double time) {
  constexpr float kGustLength = 4.0f;  // metres from crest to crest
  float speed = length(wind.velocity);
  V3 along = wind.velocity * (1.0f / speed);
  V3 side = cross(along, V3{0, 1, 0});
  // Phases are from the seed. Time enters modulo a period, which keeps the precision of a float.
  auto phase = [&](int k) {
    return static_cast<float>(((wind.seed * 2654435761u + 40503u * static_cast<unsigned>(k)) >> 8) & 0xffff) /
           65536.0f;
  };
  auto turns_at = [&](float factor) {
    double t = time * static_cast<double>(wind.gust_frequency * factor);
    return static_cast<float>(t - static_cast<double>(static_cast<int64_t>(t)));
  };
  F4 travelled = dot(x, splat(along)) * (1.0f / kGustLength);
  F4 swell = 0.6f * sine_of_turns(turns_at(1.0f) + phase(0) - travelled) +
             0.4f * sine_of_turns(turns_at(2.37f) + phase(1) - 1.7f * travelled);
  F4 veer = sine_of_turns(turns_at(0.61f) + phase(2) - 0.5f * travelled);
  return splat(wind.velocity) * (1.0f + wind.gust * swell) + splat(side * (0.5f * speed * wind.gust)) * veer;
}

void add_field(ChainSet& set, double time, int level) {
  const Layout& lay = set.layout;
  const Wind& wind = set.wind;
  for (int c = 0; c < lay.chains; ++c) {
    V3 x = get(set.x, lay.at(level, c));
    set.air_points[3 * c] = x.x;
    set.air_points[3 * c + 1] = x.y;
    set.air_points[3 * c + 2] = x.z;
  }
  wind.field(wind.user, time, set.air_points, static_cast<uint32_t>(lay.chains), set.air_velocities);
  for (int c = 0; c < lay.chains; ++c) {
    size_t at = lay.at(level, c);
    const float* v = set.air_velocities + 3 * c;
    billow::set(set.air, at, get(set.air, at) + V3{v[0], v[1], v[2]});
  }
}

}  // namespace

void evaluate_wind(ChainSet& set, double time) {
  const Layout& lay = set.layout;
  const bool gusts = set.wind.gust > 0 && length(set.wind.velocity) > 1e-6f;
  const V3x4 origin = splat(set.wind_origin);
  for (int i = 0; i < lay.levels; ++i) {
    for (int g = 0; g < lay.groups(); ++g) {
      size_t at = lay.group_at(i, g);
      store(set.air, at, gusts ? gusty(set.wind, load(set.x, at) - origin, time) : splat(set.wind.velocity));
    }
    if (set.wind.field) add_field(set, time, i);
    if (lay.closed) billow::set(set.air, lay.at(i, lay.chains), get(set.air, lay.at(i, 0)));
  }
}

}  // namespace billow
