#include "research/figures/learned_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "body/surface.h"
#include "tools/billow/frames_for.h"

namespace billow::tool {
namespace {

std::filesystem::path required_path(const std::filesystem::path& given, const char* needs) {
  if (given.empty()) throw NotMade(needs);
  return given;
}

constexpr const char* kNeeds = "needs --garment FILE and --data DIR, a trained cape and its data set";

}  // namespace

LearnedRows::LearnedRows(const FigureInputs& inputs)
    : inputs_(inputs),
      garment_(pack::read_garment_asset(required_path(inputs.garment, kNeeds))),
      frames_(frames_for(inputs.garment, garment_.garment, required_path(inputs.data, kNeeds))),
      embedded_(evaluate::embedded_bones(frames_)),
      body_(frames_.character()) {}

const learn::ClothModel& LearnedRows::open(const std::filesystem::path& file) {
  others_.push_back(std::make_unique<pack::GarmentData>(pack::read_garment_asset(file)));
  check_same_rest(file, others_.back()->garment, frames_);
  return others_.back()->model;
}

void LearnedRows::add_truth() { rows_.push_back({"reference", "", research::truth(frames_)}); }

void LearnedRows::add_networks(const std::string& label, const std::string& key,
                               const learn::ClothModel& model, bool with_shape) {
  add_networks(label, key, model, with_shape, embedded_);
}

void LearnedRows::add_networks(const std::string& label, const std::string& key,
                               const learn::ClothModel& model, bool with_shape,
                               const evaluate::BoneSource& bones) {
  rows_.push_back({label, key, research::networks(key, frames_, model, bones, with_shape)});
}

void LearnedRows::add_chains(const std::string& label, const learn::Matrix& bones) {
  rows_.push_back({label, "", {}, &bones});
}

std::vector<uint32_t> LearnedRows::all_of(dataset::Part part) const {
  std::vector<uint32_t> all = frames_.of(part);
  if (all.empty()) throw NotMade("the data set has no frames of this kind");
  return all;
}

size_t LearnedRows::wanted(const std::vector<uint32_t>& all) const {
  return std::min<size_t>(all.size(), inputs_.quick ? 2 : 6);
}

std::vector<uint32_t> LearnedRows::some_of(dataset::Part part) const {
  const std::vector<uint32_t> all = all_of(part);
  const learn::Matrix& bones = embedded_.bones;
  // Farthest-point sampling, started at the frame farthest from the mean.
  learn::Matrix mean = learn::Matrix::Zero(1, bones.cols());
  for (const uint32_t f : all) mean += bones.row(f) / static_cast<float>(all.size());
  std::vector<float> distance_to_nearest;
  for (const uint32_t f : all) distance_to_nearest.push_back((bones.row(f) - mean).squaredNorm());
  std::vector<uint32_t> selected;
  while (selected.size() < wanted(all)) {
    const auto farthest = std::max_element(distance_to_nearest.begin(), distance_to_nearest.end());
    const uint32_t farthest_frame = all[static_cast<size_t>(farthest - distance_to_nearest.begin())];
    if (selected.empty())
      std::fill(distance_to_nearest.begin(), distance_to_nearest.end(), std::numeric_limits<float>::max());
    selected.push_back(farthest_frame);
    for (size_t k = 0; k < all.size(); ++k)
      distance_to_nearest[k] =
          std::min(distance_to_nearest[k], (bones.row(all[k]) - bones.row(farthest_frame)).squaredNorm());
  }
  std::sort(selected.begin(), selected.end());
  return selected;
}

std::vector<uint32_t> LearnedRows::deepest_of(dataset::Part part) const {
  std::vector<uint32_t> all = all_of(part);
  std::map<uint32_t, size_t> count;
  for (const uint32_t f : all) count[f] = inside(f, cloth_of(rows_.at(0), f)).size();
  std::stable_sort(all.begin(), all.end(), [&](uint32_t a, uint32_t b) { return count[a] > count[b]; });
  constexpr uint32_t kMinFramesApart = 6;  // a fifth of a second
  std::vector<uint32_t> selected;
  for (const uint32_t f : all)
    if (selected.size() < wanted(all) && std::none_of(selected.begin(), selected.end(), [&](uint32_t other) {
          return std::max(f, other) - std::min(f, other) < kMinFramesApart;
        }))
      selected.push_back(f);
  std::sort(selected.begin(), selected.end());
  return selected;
}

std::vector<V3> LearnedRows::placed(uint32_t frame, std::span<const V3> rest, const float* d) const {
  const Transform moved = frames_.rigid(frame);
  std::vector<V3> out;
  for (size_t v = 0; v < rest.size(); ++v, d += 3)
    out.push_back(apply(moved, rest[v] + V3{d[0], d[1], d[2]}));
  return out;
}

std::vector<V3> LearnedRows::cloth_of(const Row& row, uint32_t frame) const {
  learn::Matrix cloth(1, static_cast<Eigen::Index>(frames_.cloth_values()));
  row.predictor.predict({&frame, 1}, cloth);
  return placed(frame, frames_.garment().rest, cloth.data());
}

std::vector<V3> LearnedRows::inside(uint32_t frame, std::span<const V3> vertices) const {
  const character::CharacterBody character_body = frames_.character();
  std::vector<Transform> joints(character_body.skeleton.size());
  frames_.joints(frame, joints);
  body::Surface surface(character_body.skeleton, character_body.colliders);
  surface.pose(joints);
  std::vector<float> distance(vertices.size());
  std::vector<V3> normals(vertices.size()), projected;
  surface.query(vertices, distance, normals);
  for (size_t v = 0; v < vertices.size(); ++v)
    if (distance[v] < 0) projected.push_back(vertices[v] - normals[v] * distance[v]);
  return projected;
}

draw::Image LearnedRows::draw(const std::vector<uint32_t>& which, bool mark_inside) const {
  const garment::Garment& g = frames_.garment();
  PictureStyle style = style_for(g);
  style.width = 220, style.height = 280, style.rays = 32, style.distance = 4.4f, style.behind = 0.2f;
  if (inputs_.quick) style.width = 90, style.height = 114, style.rays = 1;
  // Pale cloth, so that red dots stand out.
  if (mark_inside) style.cloth = style.lining = draw::mix(style.cloth, {0.85f, 0.85f, 0.85f}, 0.85f);
  std::vector<draw::Image> panels;
  std::vector<V3> bone_rest(g.bones.size());
  garment::bone_positions(g, g.rest, bone_rest);
  for (const Row& row : rows_)
    for (const uint32_t f : which) {
      std::vector<Transform> joints(frames_.character().skeleton.size());
      frames_.joints(f, joints);
      // Raise the camera target with a jumping person.
      constexpr float kStandingPelvisHeight = 0.95f;  // m
      PictureStyle frame_style = style;
      frame_style.look_at += std::max(0.0f, joints[0].position.y - kStandingPelvisHeight);
      Picture picture(frame_style, body_, joints);
      if (row.bones != nullptr) {
        picture.add_chains(g, placed(f, bone_rest, row.bones->row(static_cast<Eigen::Index>(f)).data()));
      } else {
        const std::vector<V3> vertices = cloth_of(row, f);
        picture.add_cloth({&vertices[0].x, 3 * vertices.size()}, g.triangles);
        if (mark_inside) picture.add_dots(inside(f, vertices), draw::srgb(0xe01010));
      }
      panels.push_back(picture.make(following(joints), f == which[0] ? row.label : ""));
    }
  return draw::strip(panels, static_cast<int>(which.size()), 3);
}

nlohmann::ordered_json LearnedRows::numbers(dataset::Part part) const {
  std::vector<research::Predictor> predictors;
  for (const Row& row : rows_)
    if (!row.key.empty()) predictors.push_back(row.predictor);
  const std::vector<research::Measured> measured =
      research::measure(frames_, predictors, research::quick_measures());
  nlohmann::ordered_json out;
  for (size_t i = 0; i < predictors.size(); ++i)
    for (size_t s = 0; s < research::kSets.size(); ++s) {
      const double rmse = measured[i].sets[s].rmse_mm;
      if (research::kSets[s] == part)
        out[predictors[i].name].update(
            {{"rmse_mm", rmse}, {"deeper_than_1mm_percent", measured[i].sets[s].penetration.vertices[1]}});
      else if (part == dataset::Part::kTrain && research::kSets[s] != dataset::Part::kValidation &&
               !frames_.of(research::kSets[s]).empty())
        out[predictors[i].name][std::string(research::kSetNames[s]) + "_rmse_mm"] = rmse;
    }
  return out;
}

}  // namespace billow::tool
