#include "import/units.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "body/mesh.h"
#include "import/bvh.h"
#include "motion/human.h"

namespace billow::importer {
namespace {

constexpr float kUsual = 1.7f;
// Thigh and shank are 0.245 and 0.246 of the height: Drillis and Contini, "Body Segment Parameters" (1966).
constexpr float kLegShare = 0.491f;

}  // namespace

float extent(const body::Skeleton& skeleton) {
  V3 low{1e30f, 1e30f, 1e30f}, high{-1e30f, -1e30f, -1e30f};
  for (const Transform& t : body::rest_transforms(skeleton))
    low = body::least(low, t.position), high = body::most(high, t.position);
  return std::max({high.x - low.x, high.y - low.y, high.z - low.z});
}

float guess_unit(const body::Skeleton& skeleton) {
  const float leg = motion::find_human(skeleton).leg_length(skeleton);
  const float height = leg > 0 ? leg / kLegShare : extent(skeleton);
  float best = 0, least = std::log(1.53f);
  for (const float unit : {1.0f, 0.3048f, kCmuUnit, 0.0254f, 0.01f, 0.001f}) {
    const float off = std::fabs(std::log(height * unit / kUsual));
    if (off < least) least = off, best = unit;
  }
  if (best > 0) return best;
  std::ostringstream message;
  message << "expected a skeleton about 1.7 m tall in metres, feet, CMU units, inches, centimetres or "
             "millimetres, found one "
          << height << " units tall; give the scale in metres a unit";
  throw std::runtime_error(message.str());
}

}  // namespace billow::importer
