// A single lane for the templates over lanes of src/, so that the shapes of the runtime's SDF also compile
// for devices whose threads handle one point each. Every operation is the IEEE-754 operation of F4's lanes.
#pragma once

#include "core/vec.h"

namespace billow {

struct F1 {
  float v;
};
struct M1 {
  bool v;
};

template <> inline constexpr bool kIsLanes<F1> = true;
template <> inline constexpr int kLanesOf<F1> = 1;
template <> BILLOW_HD inline F1 lanes<F1>(float s) { return {s}; }

BILLOW_HD inline F1 operator+(F1 a, F1 b) { return {a.v + b.v}; }
BILLOW_HD inline F1 operator-(F1 a, F1 b) { return {a.v - b.v}; }
BILLOW_HD inline F1 operator*(F1 a, F1 b) { return {a.v * b.v}; }
BILLOW_HD inline F1 operator/(F1 a, F1 b) { return {a.v / b.v}; }
BILLOW_HD inline F1 operator-(F1 a) { return {-a.v}; }
BILLOW_HD inline F1 sqrt(F1 a) { return {std::sqrt(a.v)}; }
BILLOW_HD inline F1 abs(F1 a) { return {std::fabs(a.v)}; }
BILLOW_HD inline M1 operator<(F1 a, F1 b) { return {a.v < b.v}; }
BILLOW_HD inline M1 operator<=(F1 a, F1 b) { return {a.v <= b.v}; }
BILLOW_HD inline M1 operator==(F1 a, F1 b) { return {a.v == b.v}; }
BILLOW_HD inline M1 operator&(M1 a, M1 b) { return {a.v && b.v}; }
BILLOW_HD inline M1 operator|(M1 a, M1 b) { return {a.v || b.v}; }
BILLOW_HD inline M1 operator~(M1 a) { return {!a.v}; }
BILLOW_HD inline F1 select(M1 m, F1 a, F1 b) { return {m.v ? a.v : b.v}; }
BILLOW_HD inline bool any(M1 m) { return m.v; }
BILLOW_HD inline F1 min(F1 a, F1 b) { return {a.v < b.v ? a.v : b.v}; }
BILLOW_HD inline F1 max(F1 a, F1 b) { return {b.v < a.v ? a.v : b.v}; }
BILLOW_HD inline F1 max(F1 a, float low) { return max(a, F1{low}); }
BILLOW_HD inline F1 clamp(F1 a, float low, float high) { return min(max(a, low), F1{high}); }

BILLOW_HD inline Vec3<F1> one_lane(V3 a) { return {{a.x}, {a.y}, {a.z}}; }
BILLOW_HD inline V3 value(Vec3<F1> a) { return {a.x.v, a.y.v, a.z.v}; }

}  // namespace billow
