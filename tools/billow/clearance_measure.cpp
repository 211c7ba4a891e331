#include "clearance_measure.h"

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "body/postures.h"
#include "dataset/layer_crossings.h"
#include "draw/show_through.h"
#include "evaluate/steadiness.h"

namespace billow::tool {
namespace {

// Soft colliders let cloth through by design: distances are to the rigid ones.
DistanceStats measure(const Playback& playback, std::span<const float> points) {
  std::vector<float> distances(points.size() / 3);
  if (billow_body_query(playback.body(), playback.garment().contacts.rigid_groups(), points.data(),
                        static_cast<uint32_t>(distances.size()), kReach, distances.data(), nullptr,
                        nullptr) != BILLOW_OK)
    throw std::runtime_error(billow_last_error());
  DistanceStats p;
  p.count = distances.size(), p.time = playback.time();
  for (const float d : distances) {
    p.inside += d < 0;
    p.min = std::min(p.min, static_cast<double>(d));
  }
  return p;
}

dataset::ClothMesh mesh_of(const Playback& p) { return {p.positions(), p.garment().triangles}; }

LayerStats measure_layers(const Playback& playback) {
  const auto found = dataset::count_layer_crossings(mesh_of(playback), mesh_of(*playback.under()));
  return {.faces = found.faces,
          .of = playback.garment().triangles.size(),
          .frames = found.faces > 0,
          .deepest = static_cast<double>(found.deepest),
          .time = playback.time()};
}

// The midpoint of each edge or triangle.
template <class Corners>
std::vector<float> midpoints(std::span<const float> positions, const std::vector<Corners>& elements) {
  std::vector<float> out;
  out.reserve(3 * elements.size());
  for (const Corners& corners : elements)
    for (size_t k = 0; k < 3; ++k) {
      float sum = 0;
      for (const uint32_t v : corners) sum += positions[3 * size_t{v} + k];
      out.push_back(sum / static_cast<float>(corners.size()));
    }
  return out;
}

// How far a vertex moves in one frame beyond the bones around it: what pops rather than swings.
class Jumps {
 public:
  explicit Jumps(const garment::Garment& garment) : nearest_(garment.size()) {
    std::vector<V3> bones(garment.bones.size());
    garment::bone_positions(garment, garment.rest, bones);
    std::vector<uint32_t> order(bones.size());
    for (size_t v = 0; v < garment.size(); ++v) {
      std::iota(order.begin(), order.end(), 0u);
      const auto distance2 = [&](uint32_t b) {
        return dot(bones[b] - garment.rest[v], bones[b] - garment.rest[v]);
      };
      const size_t count = std::min(kBones, order.size());
      std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                        [&](uint32_t a, uint32_t b) { return distance2(a) < distance2(b); });
      nearest_[v].assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
    }
  }

  // The largest jump since the frame before, in metres; 0 in the first frame.
  double next(std::span<const float> positions, const std::vector<V3>& bones) {
    float largest = 0;
    for (size_t v = 0; v < nearest_.size() && !last_bones_.empty(); ++v) {
      const float *p = &positions[3 * v], *last = &last_[3 * v];
      const float moved = length(V3{p[0] - last[0], p[1] - last[1], p[2] - last[2]});
      if (!(moved > largest)) continue;
      float of_bones = 0;
      for (const uint32_t b : nearest_[v]) of_bones = std::max(of_bones, length(bones[b] - last_bones_[b]));
      largest = std::max(largest, moved - of_bones);
    }
    last_.assign(positions.begin(), positions.end());
    last_bones_ = bones;
    return largest;
  }

 private:
  static constexpr size_t kBones = 6;
  std::vector<std::vector<uint32_t>> nearest_;
  std::vector<float> last_;
  std::vector<V3> last_bones_;
};

constexpr int kWidth = 720, kHeight = 900;
constexpr float kDistance = 4.2f, kFieldOfView = 0.5f;  // m, rad

template <class Triangles> std::span<const uint32_t> flat(const Triangles& triangles) {
  return {triangles[0].data(), 3 * triangles.size()};
}

}  // namespace

SkinPictures::SkinPictures() : skin_(body::make_skin(body::make_person(body::person_preset("average")))) {}

SkinStats SkinPictures::draw(const Playback& playback) {
  body_.resize(skin_.mesh.positions.size());
  body::skin_vertices(skin_, playback.joints(), body_);
  const draw::MeshView body{{&body_[0].x, 3 * body_.size()}, flat(skin_.mesh.triangles)},
      cloth{playback.positions(), flat(playback.garment().triangles)};
  const V3 at = playback.joints()[0].position;
  const draw::Vec3 target{at.x, at.y, at.z};
  SkinStats out{.frames = 1, .time = playback.time()};
  for (const draw::Vec3 from : {draw::Vec3{1, 0, 0}, {0, 0, 1}, {-1, 0, 0}, {0, 0, -1}}) {
    const draw::Camera camera{
        .eye = target + kDistance * from, .target = target, .field_of_view = kFieldOfView};
    out.most = std::max(out.most, draw::count_show_through(body, cloth, camera, kWidth, kHeight));
  }
  out.shown = out.most > kFewPixels;
  return out;
}

Clearance measure_clearance(Playback& playback, const std::string& motion, SkinPictures* pictures) {
  std::vector<std::array<uint32_t, 2>> edges;
  for (const evaluate::Edge& e : evaluate::edges_of(playback.garment())) edges.push_back({e.a, e.b});
  Clearance c;
  c.motion = motion;
  Jumps jumps(playback.garment());
  evaluate::Steadiness steadiness(playback.garment(), playback.frames(), playback.rate());
  while (playback.step()) {
    const DistanceStats vertices = measure(playback, playback.positions());
    const double jump = jumps.next(playback.positions(), playback.bones());
    if (jump > c.jump) c.jump = jump, c.jump_time = playback.time();
    c.jump_frames += jump > kPop;
    steadiness.add(playback.positions(), playback.joints());
    if (playback.under()) c.layers.add(measure_layers(playback));
    if (pictures && c.frames % kDrawEvery == 0) c.skin.add(pictures->draw(playback));
    ++c.frames;
    c.frames_inside += vertices.inside > 0;
    c.reported_inside += playback.report().inside;
    c.vertices.add(vertices);
    c.edges.add(measure(playback, midpoints(playback.positions(), edges)));
    c.triangles.add(measure(playback, midpoints(playback.positions(), playback.garment().triangles)));
  }
  c.strain = steadiness.all(), c.first = steadiness.first(), c.last = steadiness.last();
  c.stops = steadiness.stops();
  c.mean_speed = steadiness.mean_speed(), c.largest_speed = steadiness.largest_speed();
  return c;
}

}  // namespace billow::tool
