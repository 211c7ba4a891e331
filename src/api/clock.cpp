// Fixed steps at any frame rate. In doubles, which hold a frame's time exactly, and whose sums do not drift within a day.
#include <cmath>

#include "api/handles.h"

namespace billow::api {
namespace {

// As the steps get it, so that frames of this length take one step each.
double period_of(const billow_clock& c) { return static_cast<double>(1.0f / c.rate); }

billow_status check_clock(const billow_clock& c) {
  if (!(c.rate >= 1 && c.rate <= 1000))
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "clock.rate: expected 1 to 1000, found %g",
                static_cast<double>(c.rate));
  if (c.max_steps < 1)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "clock.max_steps: expected at least 1, found 0");
  if (!(c.left >= 0 && c.left <= 1))
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "clock.left: expected 0 to 1, found %g", c.left);
  return BILLOW_OK;
}

}  // namespace
}  // namespace billow::api

using namespace billow::api;

extern "C" {

billow_clock billow_clock_default(void) {
  billow_clock c{};
  c.rate = 60;
  c.max_steps = 4;
  return c;
}

billow_status billow_clock_advance(billow_clock* clock, float dt, uint32_t* count) {
  if (!clock || !count)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "clock and count: expected pointers, found NULL");
  if (billow_status bad = check_clock(*clock)) return bad;
  if (!(dt >= 0 && dt <= 1e9f))
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "dt: expected 0 to 1e9, found %g", static_cast<double>(dt));
  const double period = period_of(*clock);
  clock->before = clock->left;
  clock->frame = static_cast<double>(dt);
  clock->left += clock->frame;
  for (*count = 0; clock->left >= period && *count < clock->max_steps; ++*count) clock->left -= period;
  // Drop whole steps only, so that the phase stays.
  if (clock->left >= period) clock->left -= std::floor(clock->left / period) * period;
  if (!(clock->left >= 0)) clock->left = 0;
  clock->steps += *count;
  return BILLOW_OK;
}

float billow_clock_share(const billow_clock* clock, uint32_t step) {
  if (!clock || !(clock->frame > 0)) return 1;
  const double at = (static_cast<double>(step) + 1) * period_of(*clock) - clock->before;
  const double share = at / clock->frame;
  return share < 1 ? static_cast<float>(share) : 1.0f;
}

float billow_clock_dt(const billow_clock* clock) { return clock && clock->rate > 0 ? 1.0f / clock->rate : 0; }

}  // extern "C"
