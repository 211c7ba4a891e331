#include "research/peers/peers.h"

#include <algorithm>

#include "character/clothed_character.h"
#include "evaluate/strain.h"
#include "tools/billow/bench_frames.h"

namespace billow::research {

std::vector<tool::BenchPeer> peers() {
  return {{"bullet", time_bullet},
          {"reference", time_reference},
          {"libtorch", time_libtorch},
          {"onnxruntime", time_onnxruntime}};
}

PeerFigures time_cloth(const PeerCloth& cloth, const std::string& what, const PeerTask& task) {
  constexpr size_t kStanding = 30, kWarmUp = 30, kTimed = 60;
  const auto pose = [&](size_t frame) {
    return body::joint_transforms(task.person.skeleton,
                                  task.clip.frames[std::min(frame, task.clip.frames.size() - 1)]);
  };
  for (size_t i = 0; i < kStanding; ++i) cloth.step(pose(0), 1 / static_cast<float>(kStanding - i));
  const std::vector<evaluate::Edge> edges = evaluate::edges_of(task.garment);
  evaluate::StrainSum strain;
  std::vector<double> times;
  for (size_t frame = 0; frame < kWarmUp + kTimed; ++frame) {
    const std::vector<Transform> joints = pose(frame);
    const double start = tool::own_ms();
    cloth.step(joints, 1);
    const double took = tool::own_ms() - start;
    if (frame < kWarmUp) continue;
    times.push_back(took);
    const std::vector<V3> positions = cloth.positions();
    strain.add(edges, {&positions[0].x, 3 * positions.size()});
  }
  std::nth_element(times.begin(), times.begin() + kTimed / 2, times.end());
  return {
      .frame_ms = times[kTimed / 2], .why = what, .strain_mean = strain.mean(), .strain_p99 = strain.p99()};
}

PeerFigures time_reference(const PeerTask& task) {
  character::ClothedCharacter clothed(
      task.garment, character::character_body(task.person), task.garment.shape,
      body::joint_transforms(task.person.skeleton, task.clip.frames[0]), {}, 1);
  return time_cloth(
      {[&](const std::vector<Transform>& joints, float share) { clothed.step(1.0f / 60, joints, share); },
       [&] { return std::vector<V3>(clothed.vertices().begin(), clothed.vertices().end()); }},
      "the reference cloth, one thread, self-contact on", task);
}

}  // namespace billow::research
