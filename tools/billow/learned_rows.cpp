#include "learned_rows.h"

#include <cmath>

#include "body/surface.h"

namespace billow::tool {
namespace {

std::filesystem::path asked(const std::filesystem::path& given, const char* needs) {
  if (given.empty()) throw NotMade(needs);
  return given;
}

constexpr const char* kNeeds = "needs --garment FILE and --data DIR, a trained cape and its data set";

}  // namespace

LearnedRows::LearnedRows(const FigureInputs& inputs)
    : inputs_(inputs),
      garment_(pack::read_garment_asset(asked(inputs.garment, kNeeds))),
      frames_(asked(inputs.data, kNeeds)),
      embedded_(evaluate::embedded_bones(frames_)),
      body_(frames_.person()) {
  check(garment_.garment, inputs.garment);
}

void LearnedRows::check(const garment::Garment& garment, const std::filesystem::path& file) const {
  if (garment.size() != frames_.garment().size() || garment.bones.size() != frames_.garment().bones.size())
    throw std::runtime_error(file.string() + ": expected the garment of " + inputs_.data.string() + " with " +
                             std::to_string(frames_.garment().size()) + " vertices, found one with " +
                             std::to_string(garment.size()));
}

const learn::ClothModel& LearnedRows::open(const std::filesystem::path& file) {
  others_.push_back(std::make_unique<pack::Packed>(pack::read_garment_asset(file)));
  check(others_.back()->garment, file);
  return others_.back()->model;
}

void LearnedRows::add_truth() { rows_.push_back({"reference", "", evaluate::truth(frames_)}); }

void LearnedRows::add_networks(const std::string& label, const std::string& key,
                               const learn::ClothModel& model, bool with_shape) {
  add_networks(label, key, model, with_shape, embedded_);
}

void LearnedRows::add_networks(const std::string& label, const std::string& key,
                               const learn::ClothModel& model, bool with_shape,
                               const evaluate::BoneSource& bones) {
  rows_.push_back({label, key, evaluate::networks(key, frames_, model, bones, with_shape)});
}

void LearnedRows::add_chains(const std::string& label, const learn::Matrix& bones) {
  rows_.push_back({label, "", {}, &bones});
}

std::vector<uint32_t> LearnedRows::some_of(dataset::Part part) const {
  const std::vector<uint32_t> all = frames_.of(part);
  if (all.empty()) throw NotMade("the data set has no frames of this kind");
  const size_t count = std::min<size_t>(all.size(), inputs_.quick ? 2 : 6);
  std::vector<uint32_t> some;
  for (size_t k = 0; k < count; ++k) some.push_back(all[(2 * k + 1) * all.size() / (2 * count)]);
  return some;
}

std::vector<draw::Colour> LearnedRows::inside_in_red(uint32_t frame, std::span<const V3> vertices,
                                                     const PictureStyle& style) const {
  const dress::Wearer wearer = frames_.person();
  std::vector<Transform> joints(wearer.skeleton.size());
  frames_.joints(frame, joints);
  body::Surface surface(wearer.skeleton, wearer.colliders);
  surface.pose(joints);
  std::vector<float> distance(vertices.size());
  surface.query(vertices, distance);
  std::vector<draw::Colour> colours;
  for (const float d : distance)
    colours.push_back(d < 0 ? draw::srgb(0xff2020) : draw::mix(style.cloth, {0.85f, 0.85f, 0.85f}, 0.85f));
  return colours;
}

draw::Image LearnedRows::draw(const std::vector<uint32_t>& which, bool red) const {
  const garment::Garment& g = frames_.garment();
  PictureStyle style = style_for(g);
  style.width = 300, style.height = 380, style.rays = 16, style.distance = 4.4f;
  if (inputs_.quick) style.width = 90, style.height = 114, style.rays = 1;
  std::vector<draw::Image> panels;
  std::vector<V3> bone_rest(g.bones.size());
  garment::places_of_bones(g, g.rest, bone_rest);
  for (const Row& row : rows_)
    for (const uint32_t f : which) {
      const Transform moved = frames_.rigid(f);
      std::vector<Transform> joints(frames_.person().skeleton.size());
      frames_.joints(f, joints);
      Picture picture(style, body_, joints);
      const auto placed = [&](std::span<const V3> rest, const float* d) {
        std::vector<V3> out;
        for (size_t v = 0; v < rest.size(); ++v, d += 3)
          out.push_back(apply(moved, rest[v] + V3{d[0], d[1], d[2]}));
        return out;
      };
      if (row.bones != nullptr) {
        picture.add_chains(g, placed(bone_rest, row.bones->row(static_cast<Eigen::Index>(f)).data()));
      } else {
        learn::Matrix cloth(1, static_cast<Eigen::Index>(frames_.cloth_values()));
        row.predictor.predict({&f, 1}, cloth);
        const std::vector<V3> vertices = placed(g.rest, cloth.data());
        const std::vector<draw::Colour> colours =
            red ? inside_in_red(f, vertices, style) : std::vector<draw::Colour>();
        picture.add_cloth({&vertices[0].x, 3 * vertices.size()}, g.triangles, 1, colours);
      }
      panels.push_back(picture.make(following(joints), f == which[0] ? row.label : ""));
    }
  return draw::strip(panels, static_cast<int>(which.size()), 3);
}

nlohmann::ordered_json LearnedRows::numbers(dataset::Part part) const {
  std::vector<evaluate::Predictor> asked;
  for (const Row& row : rows_)
    if (!row.key.empty()) asked.push_back(row.predictor);
  const std::vector<evaluate::Measured> measured =
      evaluate::measure(frames_, asked, evaluate::quick_measures());
  nlohmann::ordered_json out;
  for (size_t i = 0; i < asked.size(); ++i)
    for (size_t s = 0; s < evaluate::kSets.size(); ++s)
      if (evaluate::kSets[s] == part)
        out[asked[i].name] = {{"rmse_mm", measured[i].sets[s].rmse_mm},
                              {"deeper_than_1mm_percent", measured[i].sets[s].penetration.vertices[1]}};
  return out;
}

}  // namespace billow::tool
