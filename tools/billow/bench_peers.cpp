#include "bench_peers.h"

#include <algorithm>

#include "bench_frames.h"
#include "character/clothed_character.h"

namespace billow::tool {

PeerFigures time_reference(const garment::Garment& garment, const body::Person& person,
                           const motion::Clip& clip) {
  constexpr float kFrame = 1.0f / 60;
  const auto pose = [&](size_t frame) {
    return body::joint_transforms(person.skeleton, clip.frames[std::min(frame, clip.frames.size() - 1)]);
  };
  character::ClothedCharacter clothed(garment, character::character_body(person), garment.shape, pose(0), {},
                                      1);
  // Pull the seam to the body during half a second of standing, warm up for half a second of running, then
  // measure.
  for (int i = 0; i < 30; ++i) clothed.step(kFrame, pose(0), 1 / static_cast<float>(30 - i));
  size_t frame = 0;
  for (; frame < 30; ++frame) clothed.step(kFrame, pose(frame));
  std::vector<double> times;
  for (; frame < 45; ++frame) {
    const double start = own_ms();
    clothed.step(kFrame, pose(frame));
    times.push_back(own_ms() - start);
  }
  std::nth_element(times.begin(), times.begin() + 7, times.end());
  return {times[7], "the reference cloth, one thread, self-contact on"};
}

}  // namespace billow::tool
