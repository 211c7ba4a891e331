// Reads glTF with morph targets: one mesh, static or with animated target weights. The node's world transform
// is applied. Skinned meshes and animated nodes are rejected, because their motion would be lost.
#include <Eigen/Geometry>
#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "cache/formats.h"
#include "import/character.h"
#include "import/gltf_file.h"

namespace billow::cache {
namespace {

using importer::GltfFile;
using importer::JsonAt;

// The weights of all targets, key by key. With cubic interpolation a key has in-tangents, weights and
// out-tangents.
struct WeightTrack {
  enum class Interpolation { step, linear, cubic } interpolation = Interpolation::linear;
  std::vector<float> times, values;
  size_t targets = 0;

  float value(size_t key, size_t part, size_t target) const {
    return interpolation == Interpolation::cubic ? values[(3 * key + part) * targets + target]
                                                 : values[key * targets + target];
  }
  std::vector<float> at(double seconds) const;
};

std::vector<float> WeightTrack::at(double seconds) const {
  const auto after = std::upper_bound(times.begin(), times.end(), seconds,
                                      [](double t, float key) { return t < static_cast<double>(key); });
  const size_t next = std::min<size_t>(static_cast<size_t>(after - times.begin()), times.size() - 1);
  const size_t key = after == times.begin() ? 0 : static_cast<size_t>(after - times.begin()) - 1;
  const double gap = static_cast<double>(times[next]) - static_cast<double>(times[key]);
  const double elapsed = seconds - static_cast<double>(times[key]);
  const double t = gap > 0 && interpolation != Interpolation::step ? std::clamp(elapsed / gap, 0.0, 1.0) : 0;
  std::vector<float> out(targets);
  for (size_t k = 0; k < targets; ++k) {
    const double a = static_cast<double>(value(key, 1, k)), b = static_cast<double>(value(next, 1, k));
    double w = (1 - t) * a + t * b;
    if (interpolation == Interpolation::cubic && t > 0) {
      // Cubic Hermite spline (glTF 2.0, appendix C.5).
      const double t2 = t * t, t3 = t2 * t;
      w = (2 * t3 - 3 * t2 + 1) * a + gap * (t3 - 2 * t2 + t) * static_cast<double>(value(key, 2, k)) +
          (3 * t2 - 2 * t3) * b + gap * (t3 - t2) * static_cast<double>(value(next, 0, k));
    }
    out[k] = static_cast<float>(w);
  }
  return out;
}

class GltfReader : public Reader {
 public:
  GltfReader(const std::filesystem::path& path, double fps)
      : file_(std::in_place, importer::read_bytes(path), path.parent_path()) {
    path_ = path;
    info_.format = "glTF";
    info_.name = path.stem().string();
    find_node();
    find_ancestors();
    refuse_other_motion();
    read_mesh();
    weld();
    apply_node_transforms();
    if (track_) choose_frame_times(fps);
    info_.frames = track_ ? times_.size() : 1;
    file_.reset();
  }

 private:
  JsonAt root() const { return file_->root(); }
  JsonAt node(size_t i) const { return root().at("nodes").at(i); }
  JsonAt accessor(const JsonAt& at) const {
    const JsonAt accessors = root().at("accessors");
    return accessors.at(at.index(accessors.size()));
  }
  std::vector<V3> vectors(const JsonAt& at) {
    const std::vector<float> values = file_->read_floats(accessor(at), "VEC3");
    std::vector<V3> out;
    for (size_t k = 0; k + 2 < values.size(); k += 3)
      out.push_back({values[k], values[k + 1], values[k + 2]});
    return out;
  }
  void find_node();
  void find_ancestors();
  void refuse_other_motion();
  void read_track(const JsonAt& animation, const JsonAt& channel);
  void read_mesh();
  void read_primitive(const JsonAt& primitive);
  void read_targets(const JsonAt& primitive, size_t first, size_t count);
  std::vector<uint32_t> find_duplicates() const;
  void weld();
  void apply_node_transforms();
  void choose_frame_times(double fps);
  void fetch(size_t frame, std::span<V3> positions) override;

  std::optional<GltfFile> file_;  // released at the end of the constructor
  size_t node_ = 0;
  std::vector<size_t> ancestors_;  // the node, its parent, and so on
  std::optional<WeightTrack> track_;
  std::vector<V3> base_;
  std::vector<std::vector<V3>> targets_;  // offsets from the base; empty: all zero
  std::vector<uint32_t> vertex_;          // the surface's vertex of each vertex in the file
  std::vector<double> times_;             // time of each frame, s
};

// Finds the node with animated target weights, else the only node with a mesh.
void GltfReader::find_node() {
  const size_t count = root().size_of("nodes");
  for (size_t a = 0; a < root().size_of("animations") && !track_; ++a) {
    const JsonAt animation = root().at("animations").at(a);
    for (size_t c = 0; c < animation.size_of("channels"); ++c) {
      const JsonAt channel = animation.at("channels").at(c), target = channel.at("target");
      if (target.at("path").string() != "weights" || !target.has("node")) continue;
      const size_t found = target.at("node").index(count);
      if (track_)
        channel.fail("one mesh with animated morph targets and not nodes " + std::to_string(node_) + " and " +
                     std::to_string(found));
      node_ = found;
      read_track(animation, channel);
    }
  }
  if (track_) return;
  size_t meshes = 0;
  for (size_t i = 0; i < count; ++i)
    if (node(i).has("mesh")) node_ = i, ++meshes;
  if (meshes != 1)
    fail("expected a mesh with animated morph targets, or a single mesh, found ", meshes, " static meshes");
}

void GltfReader::read_track(const JsonAt& animation, const JsonAt& channel) {
  const JsonAt samplers = animation.at("samplers"),
               sampler = samplers.at(channel.at("sampler").index(samplers.size()));
  WeightTrack track;
  const std::string interpolation = sampler.string_or("interpolation", "LINEAR");
  if (interpolation != "LINEAR" && interpolation != "STEP" && interpolation != "CUBICSPLINE")
    sampler.at("interpolation").fail("LINEAR, STEP or CUBICSPLINE");
  using Interpolation = WeightTrack::Interpolation;
  track.interpolation = interpolation == "STEP"     ? Interpolation::step
                        : interpolation == "LINEAR" ? Interpolation::linear
                                                    : Interpolation::cubic;
  const JsonAt input = accessor(sampler.at("input")), output = accessor(sampler.at("output"));
  track.times = file_->read_floats(input, "SCALAR");
  if (track.times.empty()) input.fail("at least one key");
  for (size_t k = 1; k < track.times.size(); ++k)
    if (!(track.times[k] > track.times[k - 1]))
      fail(input.path(), ": expected increasing times, found ", track.times[k], " as key ", k);
  track.values = file_->read_floats(output, "SCALAR");
  const size_t keys = track.times.size() * (track.interpolation == Interpolation::cubic ? 3 : 1);
  if (track.values.empty() || track.values.size() % keys != 0)
    output.at("count").fail("weights for each of " + std::to_string(track.times.size()) + " keys");
  track.targets = track.values.size() / keys;
  track_ = std::move(track);
}

void GltfReader::find_ancestors() {
  const size_t count = root().size_of("nodes");
  std::vector<size_t> parent(count, count);
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < node(i).size_of("children"); ++k)
      parent[node(i).at("children").at(k).index(count)] = i;
  for (size_t i = node_; i < count; i = parent[i]) {
    if (ancestors_.size() == count) node(i).fail("a node that is not its own ancestor");
    ancestors_.push_back(i);
  }
}

// Rejects skinning and node animation, which are not read.
void GltfReader::refuse_other_motion() {
  if (node(node_).has("skin"))
    node(node_).fail("a mesh animated by morph targets only: bake its skinning into morph targets");
  const size_t count = root().size_of("nodes");
  std::vector<bool> moves(count, false);
  for (const size_t i : ancestors_) moves[i] = true;
  for (size_t a = 0; a < root().size_of("animations"); ++a)
    for (size_t c = 0; c < root().at("animations").at(a).size_of("channels"); ++c) {
      const JsonAt target = root().at("animations").at(a).at("channels").at(c).at("target");
      if (target.has("node") && moves[target.at("node").index(count)] &&
          target.at("path").string() != "weights")
        target.fail("a mesh animated by morph targets only: bake its node's motion into morph targets");
    }
}

void GltfReader::read_mesh() {
  const JsonAt meshes = root().at("meshes"), mesh = meshes.at(node(node_).at("mesh").index(meshes.size()));
  for (size_t p = 0; p < mesh.at("primitives").size(); ++p) read_primitive(mesh.at("primitives").at(p));
  // Keep UVs only if all primitives have them.
  if (info_.topology.uvs.size() == base_.size())
    info_.topology.uv_triangles = info_.topology.triangles;
  else
    info_.topology.uvs.clear();
}

void GltfReader::read_primitive(const JsonAt& primitive) {
  if (primitive.index_or("mode", 7, 4) != 4) primitive.at("mode").fail("triangles (4)");
  const JsonAt attributes = primitive.at("attributes");
  const std::vector<V3> positions = vectors(attributes.at("POSITION"));
  const uint32_t first = static_cast<uint32_t>(base_.size()), count = static_cast<uint32_t>(positions.size());
  base_.insert(base_.end(), positions.begin(), positions.end());

  std::vector<uint32_t> index(count);
  std::iota(index.begin(), index.end(), 0u);
  if (primitive.has("indices")) index = file_->read_indices(accessor(primitive.at("indices")), "SCALAR");
  for (const uint32_t k : index)
    if (k >= count) fail(primitive.path(), ".indices: expected indices below ", count, ", found ", k);
  for (size_t k = 0; k + 2 < index.size(); k += 3)
    info_.topology.triangles.push_back({first + index[k], first + index[k + 1], first + index[k + 2]});

  if (track_) read_targets(primitive, first, count);
  if (attributes.has("TEXCOORD_0")) {
    const std::vector<float> uv = file_->read_floats(accessor(attributes.at("TEXCOORD_0")), "VEC2");
    for (size_t k = 0; k + 1 < uv.size(); k += 2)
      info_.topology.uvs.push_back({uv[k], 1 - uv[k + 1]});  // v runs down in glTF
  }
  // Billow's own files store the surface's vertex of each vertex.
  if (attributes.has("_VERTEX")) {
    const JsonAt vertices = accessor(attributes.at("_VERTEX"));
    for (const float v : file_->read_floats(vertices, "SCALAR")) {
      if (!(v >= 0 && v < static_cast<float>(count)))
        fail(vertices.path(), ": expected vertices below ", count, ", found ", v);
      vertex_.push_back(static_cast<uint32_t>(v));
    }
  }
}

void GltfReader::read_targets(const JsonAt& primitive, size_t first, size_t count) {
  if (primitive.size_of("targets") != track_->targets)
    primitive.fail(concat(track_->targets, " targets, as many as have animated weights"));
  targets_.resize(track_->targets);
  for (size_t t = 0; t < targets_.size(); ++t) {
    const JsonAt target = primitive.at("targets").at(t);
    if (!target.has("POSITION")) continue;
    const std::vector<V3> moved = vectors(target.at("POSITION"));
    if (moved.size() != count)
      fail(target.path(), ": expected ", count, " vertices as the mesh has, found ", moved.size(),
           " (target ", t, ")");
    targets_[t].resize(first, V3{0, 0, 0});
    targets_[t].insert(targets_[t].end(), moved.begin(), moved.end());
  }
}

// Numbers vertices such that those with equal positions in the base and all targets share a number.
std::vector<uint32_t> GltfReader::find_duplicates() const {
  const auto compare = [&](uint32_t a, uint32_t b) {
    const auto compare_in = [&](const std::vector<V3>& p) {
      return std::tie(p[a].x, p[a].y, p[a].z) <=> std::tie(p[b].x, p[b].y, p[b].z);
    };
    auto order = compare_in(base_);
    for (size_t t = 0; t < targets_.size() && order == 0; ++t)
      if (!targets_[t].empty()) order = compare_in(targets_[t]);
    return order;
  };
  std::vector<uint32_t> sorted(base_.size()), out(base_.size());
  std::iota(sorted.begin(), sorted.end(), 0u);
  std::stable_sort(sorted.begin(), sorted.end(), [&](uint32_t a, uint32_t b) { return compare(a, b) < 0; });
  for (size_t k = 0; k < sorted.size(); ++k)
    out[sorted[k]] = k > 0 && compare(sorted[k - 1], sorted[k]) == 0 ? out[sorted[k - 1]] : sorted[k];
  // Renumber without gaps.
  uint32_t next = 0;
  for (uint32_t v = 0; v < out.size(); ++v) out[v] = out[v] == v ? next++ : out[out[v]];
  return out;
}

// Welds vertices that exporters split where normals or UVs differ.
void GltfReader::weld() {
  for (std::vector<V3>& target : targets_)
    if (!target.empty()) target.resize(base_.size(), V3{0, 0, 0});
  if (vertex_.size() != base_.size()) vertex_ = find_duplicates();
  if (vertex_.empty()) return;  // validate() rejects a mesh without vertices
  const size_t count = *std::max_element(vertex_.begin(), vertex_.end()) + size_t{1};
  const auto gather = [&](std::vector<V3>& from) {
    std::vector<V3> out(count, V3{0, 0, 0});
    for (size_t k = 0; k < from.size(); ++k) out[vertex_[k]] = from[k];
    if (!from.empty()) from = std::move(out);
  };
  gather(base_);
  for (std::vector<V3>& target : targets_) gather(target);
  for (Triangle& t : info_.topology.triangles)
    for (uint32_t& v : t) v = vertex_[v];
  info_.topology.vertices = count;
}

// Transforms base and targets to world space.
void GltfReader::apply_node_transforms() {
  Eigen::Affine3d matrix = Eigen::Affine3d::Identity();
  for (const size_t i : ancestors_) {
    const JsonAt at = node(i);
    Eigen::Affine3d own = Eigen::Affine3d::Identity();
    if (at.has("matrix")) {
      const std::vector<double> m = at.at("matrix").numbers(16);
      own.matrix() = Eigen::Map<const Eigen::Matrix4d>(m.data());
      own.makeAffine();
    }
    if (at.has("translation")) own.translate(Eigen::Vector3d(at.at("translation").numbers(3).data()));
    if (at.has("rotation")) {
      const Eigen::Quaterniond q(Eigen::Vector4d(at.at("rotation").numbers(4).data()));
      if (!(q.norm() > 1e-6)) at.at("rotation").fail("a quaternion that is not 0");
      own.rotate(q.normalized());
    }
    if (at.has("scale")) own.scale(Eigen::Vector3d(at.at("scale").numbers(3).data()));
    matrix = own * matrix;
  }
  if (matrix.matrix() == Eigen::Matrix4d::Identity()) return;  // keeps positions bit-exact
  const auto apply = [](V3& v, const auto& by) {
    const Eigen::Vector3d out =
        by * Eigen::Vector3d(static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z));
    v = {static_cast<float>(out.x()), static_cast<float>(out.y()), static_cast<float>(out.z())};
  };
  for (V3& v : base_) apply(v, matrix);
  for (std::vector<V3>& target : targets_)
    for (V3& v : target) apply(v, matrix.linear());
}

// Places frames at the given rate if there is one, else at the keys, which must be evenly spaced.
void GltfReader::choose_frame_times(double fps) {
  const std::vector<float>& keys = track_->times;
  const double first = static_cast<double>(keys.front()), last = static_cast<double>(keys.back());
  if (fps > 0) {
    const double count = std::floor((last - first) * fps + 1e-3) + 1;
    if (count > static_cast<double>(kMaxFrames))
      fail("expected at most ", kMaxFrames, " frames, found ", count);
    for (size_t k = 0; k < static_cast<size_t>(count); ++k)
      times_.push_back(first + static_cast<double>(k) / fps);
    return;
  }
  const double gap = (last - first) / static_cast<double>(std::max<size_t>(keys.size() - 1, 1));
  for (size_t k = 0; k < keys.size(); ++k) {
    times_.push_back(static_cast<double>(keys[k]));
    if (std::abs(times_[k] - first - static_cast<double>(k) * gap) > 0.02 * gap)
      fail("expected keys at even times, found key ", k, " at ", times_[k],
           " s: give a frame rate to resample at");
  }
  if (keys.size() > 1) info_.fps = tidy_rate(1 / gap);
}

void GltfReader::fetch(size_t frame, std::span<V3> positions) {
  std::copy(base_.begin(), base_.end(), positions.begin());
  if (!track_) return;
  const std::vector<float> weights = track_->at(times_[frame]);
  for (size_t t = 0; t < weights.size(); ++t)
    if (weights[t] != 0)
      for (size_t v = 0; v < targets_[t].size(); ++v) positions[v] += weights[t] * targets_[t][v];
}

}  // namespace

std::unique_ptr<Reader> open_gltf(const std::filesystem::path& path, double fps) {
  try {
    return std::make_unique<GltfReader>(path, fps);
  } catch (const std::exception& e) {
    fail(path.string(), ": ", e.what());
  }
}

}  // namespace billow::cache
