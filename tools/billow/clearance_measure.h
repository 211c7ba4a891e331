// What `billow clearance` measures of one motion.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "body/skin.h"
#include "evaluate/strain.h"
#include "playback.h"

namespace billow::tool {

// Distance statistics of one kind of point, accumulated over frames.
struct DistanceStats {
  size_t inside = 0, count = 0;
  double min = 1;   // m, signed, negative inside; clamped to kReach
  double time = 0;  // s, of the minimum

  void add(const DistanceStats& o) {
    inside += o.inside, count += o.count;
    if (o.min < min) min = o.min, time = o.time;
  }
};
inline constexpr float kReach = 0.005f;  // m, limit of the distance query

// Skin that shows through cloth in pictures.
struct SkinStats {
  size_t frames = 0, shown = 0;  // drawn; with more than kFewPixels of skin from any side
  size_t most = 0;               // pixels in one picture
  double time = 0;               // s, of that

  void add(const SkinStats& o) {
    frames += o.frames, shown += o.shown;
    if (o.most > most) most = o.most, time = o.time;
  }
};
// Of a garment over another (--over): its faces that pass through that.
struct LayerStats {
  size_t faces = 0, of = 0, frames = 0;  // in all frames; frames with any
  double deepest = 0, time = 0;          // m, s

  void add(const LayerStats& o) {
    faces += o.faces, of += o.of, frames += o.frames;
    if (o.deepest > deepest) deepest = o.deepest, time = o.time;
  }
};

inline constexpr size_t kFewPixels = 20, kDrawEvery = 10;

inline constexpr float kPop = 0.025f;  // m, a jump in one frame that a viewer sees

struct Clearance {
  std::string motion;
  size_t frames = 0, frames_inside = 0;
  DistanceStats vertices, edges, triangles;  // edges and triangles: at their midpoints
  size_t reported_inside = 0;                // vertices inside according to the runtime's report
  double jump = 0, jump_time = 0;            // m, s: see Jumps
  size_t jump_frames = 0;                    // with a jump over kPop
  evaluate::StrainSum strain, first, last;   // of the whole motion and of its ends: see evaluate::Steadiness
  size_t stops = 0;
  double mean_speed = 0, largest_speed = 0;  // m/s, after the stops
  SkinStats skin;
  LayerStats layers;

  void add(const Clearance& o) {
    frames += o.frames, frames_inside += o.frames_inside, reported_inside += o.reported_inside;
    vertices.add(o.vertices), edges.add(o.edges), triangles.add(o.triangles);
    if (o.jump > jump) jump = o.jump, jump_time = o.jump_time;
    jump_frames += o.jump_frames;
    strain.add(o.strain), first.add(o.first), last.add(o.last);
    if (o.stops > 0)
      mean_speed = (mean_speed * static_cast<double>(stops) + o.mean_speed * static_cast<double>(o.stops)) /
                   static_cast<double>(stops + o.stops);
    stops += o.stops, largest_speed = std::max(largest_speed, o.largest_speed);
    skin.add(o.skin);
    layers.add(o.layers);
  }
};

// Draws the person from four sides, with all its limbs: soft ones let cloth through by design, and a viewer sees it.
class SkinPictures {
 public:
  SkinPictures();
  SkinStats draw(const Playback& playback);

 private:
  body::Skin skin_;
  std::vector<V3> body_;
};

// Plays what is left of a motion. `pictures` may be null.
Clearance measure_clearance(Playback& playback, const std::string& motion, SkinPictures* pictures);

}  // namespace billow::tool
