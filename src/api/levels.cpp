// Levels of detail of a crowd, by distance and by what a frame may take.
#include "api/handles.h"

namespace billow::api {
namespace {

constexpr uint32_t kBlend = 20;  // frames

struct Level {
  float until;  // in distances up to which characters are near
  billow_lengths lengths;
  uint32_t interval;
  float cost;  // measured, in full frames (docs/results.md)
};
constexpr Level kLevels[] = {{1, BILLOW_LENGTHS_HIGH, 1, 1},
                             {2, BILLOW_LENGTHS_LOW, 2, 0.45f},
                             {4, BILLOW_LENGTHS_OFF, 4, 0.15f},
                             {1e30f, BILLOW_LENGTHS_OFF, 8, 0.1f}};
constexpr size_t kLevelCount = sizeof kLevels / sizeof kLevels[0];
constexpr uint32_t kUnseenInterval = 8;
constexpr float kUnseenCost = 0.06f;
constexpr float kStay = 1.1f;  // a character stays at its level until it is so far beyond the distance

size_t level_at(float distance) {
  size_t level = 0;
  while (level + 1 < kLevelCount && !(distance <= kLevels[level].until)) ++level;
  return level;
}

// The level of options that this file has set, or the first.
size_t level_of(const billow_instance_options& o) {
  for (size_t level = 1; level < kLevelCount; ++level)
    if (o.interval == kLevels[level].interval && o.lengths == kLevels[level].lengths) return level;
  return 0;
}

// `distance` in distances up to which characters are near.
size_t choose(float distance, size_t present) {
  return present >= level_at(distance / kStay) && present <= level_at(distance * kStay) ? present
                                                                                        : level_at(distance);
}

}  // namespace
}  // namespace billow::api

using namespace billow::api;

extern "C" {

billow_levels billow_levels_default(void) { return {8, 0, 2}; }

billow_status billow_crowd_choose_levels(billow_instance* const* instances, billow_frame* frames,
                                         const billow_view* views, uint32_t count,
                                         const billow_levels* given) {
  if (count == 0) return BILLOW_OK;
  if (!instances || !frames || !views)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "instances, frames and views: expected pointers, found NULL");
  const billow_levels levels = given ? *given : billow_levels_default();
  const struct {
    const char* name;
    float value, least;
  } values[] = {{"near_distance", levels.near_distance, 1e-3f},
                {"budget_ms", levels.budget_ms, 0},
                {"frame_ms", levels.frame_ms, 1e-3f}};
  for (const auto& v : values)
    if (!(v.value >= v.least && v.value <= 1e6f))
      return fail(BILLOW_ERROR_INVALID_ARGUMENT, "levels.%s: expected %g to 1e6, found %g", v.name,
                  static_cast<double>(v.least), static_cast<double>(v.value));
  for (uint32_t k = 0; k < count; ++k) {
    if (!valid(instances[k])) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotInstance);
    if (!(views[k].distance >= 0))
      return fail(BILLOW_ERROR_INVALID_ARGUMENT, "views[%u].distance: expected 0 or more, found %g", k,
                  static_cast<double>(views[k].distance));
  }
  const auto cost_of = [&](float near_distance) {  // in full frames
    float sum = 0;
    for (uint32_t k = 0; k < count; ++k)
      sum += views[k].visible ? kLevels[level_at(views[k].distance / near_distance)].cost : kUnseenCost;
    return sum;
  };
  // With a budget the largest distance that fits, in steps that are smaller than what a character takes to change its level.
  float near_distance = levels.near_distance;
  if (levels.budget_ms > 0)
    for (int step = 0; step < 200 && cost_of(near_distance) * levels.frame_ms > levels.budget_ms; ++step)
      near_distance *= 0.95f;
  for (uint32_t k = 0; k < count; ++k) {
    billow_instance_options o = instances[k]->options;
    frames[k].skip_mesh = !views[k].visible;
    const Level& level = kLevels[choose(views[k].distance / near_distance, level_of(o))];
    const uint32_t interval = views[k].visible ? level.interval : kUnseenInterval;
    if (o.lengths == level.lengths && o.interval == interval) continue;
    o.lengths = level.lengths, o.interval = interval;
    o.stagger = k / uint32_t{billow::kCrowd} % interval, o.blend = kBlend;
    if (billow_status bad = billow_instance_set_options(instances[k], &o)) return bad;
  }
  return BILLOW_OK;
}

}  // extern "C"
