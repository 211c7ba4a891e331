// The peers of `billow bench`: cloth by other methods, and the garment's networks by other libraries.
#pragma once

#include <functional>
#include <vector>

#include "tools/billow/bench_peers.h"

namespace billow::research {

using tool::not_measured;
using tool::PeerFigures;
using tool::PeerTask;

std::vector<tool::BenchPeer> peers();

// A cloth by another method: it moves by 1/60 s to these joints, its attached vertices by a share of their distance to the body.
struct PeerCloth {
  std::function<void(const std::vector<Transform>& joints, float attachment_share)> step;
  std::function<std::vector<V3>()> positions;
};
// Half a second of standing in which the seam is pulled to the body, half a second of running, then a second that is timed.
PeerFigures time_cloth(const PeerCloth& cloth, const std::string& what, const PeerTask& task);

// Bullet's soft body with 10 iterations; colliders are approximated by capsules.
PeerFigures time_bullet(const PeerTask& task);
// The project's own reference cloth, on one thread.
PeerFigures time_reference(const PeerTask& task);
// The garment's networks and bases, evaluated by other inference libraries.
PeerFigures time_libtorch(const PeerTask& task);
PeerFigures time_onnxruntime(const PeerTask& task);

}  // namespace billow::research
