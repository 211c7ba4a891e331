// Patches as sections, and back.
#include <algorithm>
#include <cmath>

#include "pack/model_sections.h"
#include "pack/pack_matrix.h"
#include "pack/parts.h"
#include "pack/tiles.h"

namespace billow::pack {
namespace {

using namespace asset;
using Eigen::Index;

std::string of_patch(size_t patch) { return "patch " + std::to_string(patch); }

void expect_size(size_t patch, const char* what, Index expected, Index found) {
  expect(found == expected, of_patch(patch) + ", " + what + ": expected " + std::to_string(expected) +
                                ", found " + std::to_string(found));
}

void check_patch(const learn::Patch& p, size_t patch, const learn::Patch& first,
                 const garment::Garment& garment) {
  const auto bone = [&](int64_t b) {
    expect(b >= 0 && b < static_cast<int64_t>(garment.bones.size()),
           of_patch(patch) + ": expected bones below " + std::to_string(garment.bones.size()) + ", found " +
               std::to_string(b));
  };
  for (const uint32_t b : {p.bone, p.above, p.below, p.left, p.right}) bone(b);
  for (const int32_t b : p.seen)
    if (b != learn::kNoBone) bone(b);
  expect_size(patch, "bones seen", static_cast<Index>(first.seen.size()), static_cast<Index>(p.seen.size()));
  expect_size(patch, "shares", static_cast<Index>(p.vertices.size()), static_cast<Index>(p.shares.size()));
  for (size_t i = 0; i < p.vertices.size(); ++i)
    expect(p.vertices[i] < garment.size() && p.shares[i] > 0 && p.shares[i] <= 1,
           of_patch(patch) + ": expected vertices of the cloth with shares above 0 and up to 1");
}

// Layers are alike in all patches, but for the outputs of the last.
void check_stage(const learn::Stage& stage, size_t patch, const learn::Network& first,
                 const learn::Patch& of) {
  const learn::Basis& b = stage.basis;
  const learn::Network& n = stage.network;
  expect_size(patch, "values of the mean", static_cast<Index>(3 * of.vertices.size()), b.mean.size());
  expect_size(patch, "values of the modes", b.mean.size(), b.modes.cols());
  expect_size(patch, "deviations", b.components(), b.deviation.size());
  const auto inputs = static_cast<Index>(learn::feature_count(of));
  expect_size(patch, "inputs", inputs, n.mean.size());
  expect_size(patch, "scales of inputs", inputs, n.scale.size());
  expect_size(patch, "layers", static_cast<Index>(first.layers.size()), static_cast<Index>(n.layers.size()));
  expect(n.activation == first.activation, of_patch(patch) + ": expected the activation of the others");
  expect((n.linear.size() > 0) == (first.linear.size() > 0),
         of_patch(patch) + ": expected a linear path in all patches or in none");
  Index before = inputs;
  for (size_t k = 0; k < n.layers.size(); ++k) {
    const bool last = k + 1 == n.layers.size();
    const Index units = last ? b.components() : first.layers[k].weights.rows();
    expect_size(patch, "outputs of a layer", units, n.layers[k].weights.rows());
    expect_size(patch, "biases of a layer", units, n.layers[k].bias.size());
    expect_size(patch, "inputs of a layer", before, n.layers[k].weights.cols());
    before = units;
  }
  if (n.linear.size() > 0) {
    expect_size(patch, "outputs of the linear path", b.components(), n.linear.rows());
    expect_size(patch, "inputs of the linear path", inputs, n.linear.cols());
  }
  if (n.bias.size() > 0) expect_size(patch, "biases of the linear path", b.components(), n.bias.size());
}

PatchesRecord record_of(const learn::PatchModel& model) {
  PatchesRecord r{};
  const learn::Network& n = model.stages[0].network;
  r.patches = static_cast<uint32_t>(model.patches.size());
  r.seen = static_cast<uint32_t>(model.patches[0].seen.size());
  r.components = static_cast<uint32_t>(most_components(model));
  r.layers = static_cast<uint32_t>(n.layers.size());
  r.activation = static_cast<uint32_t>(n.activation);
  r.linear = n.linear.size() > 0;
  for (size_t k = 0; k < n.layers.size(); ++k)
    r.units[k] = k + 1 == n.layers.size() ? r.components : static_cast<uint32_t>(n.layers[k].bias.size());
  return r;
}

// Floats, each vector filled up with zeros to as many as the file has of it.
class Numbers {
 public:
  void put(const Eigen::Ref<const learn::Vector>& v, uint32_t size) {
    all_.insert(all_.end(), v.data(), v.data() + v.size());
    all_.resize(all_.size() + in_panels(size) - static_cast<size_t>(v.size()));
  }
  const std::vector<float>& all() const { return all_; }

 private:
  std::vector<float> all_;
};

std::vector<float> numbers_of(const learn::PatchModel& model, const PatchesRecord& r) {
  const learn::Matrix scales = basis_scales(model);
  const uint32_t inputs = 3 * (r.seen + 1);
  Numbers numbers;
  for (size_t p = 0; p < model.patches.size(); ++p) {
    const learn::Network& n = model.stages[p].network;
    numbers.put(n.mean, inputs), numbers.put(n.scale, inputs);
    numbers.put(model.stages[p].basis.deviation, r.components);
    numbers.put(scales.row(static_cast<Index>(p)).transpose(), r.components + 1);
    numbers.put(n.bias, r.components);
    for (uint32_t k = 0; k < r.layers; ++k) numbers.put(n.layers[k].bias, r.units[k]);
  }
  return numbers.all();
}

learn::Network network_of(const PatchesView& view, size_t patch, const std::vector<learn::Matrix>& layers,
                          const learn::Matrix& linear) {
  const PatchesRecord& r = *view.record;
  const PatchNumbers numbers = view.numbers_of(patch);
  const auto components = static_cast<Index>(view.patches[patch].components);
  learn::Network n;
  n.activation = static_cast<learn::Activation>(r.activation);
  n.mean = vector_of({numbers.mean, view.inputs()});
  n.scale = vector_of({numbers.scale, view.inputs()});
  const auto rows_of = [&](const learn::Matrix& stacked, Index rows) {
    const Index block = stacked.rows() / static_cast<Index>(r.patches);
    return stacked.middleRows(static_cast<Index>(patch) * block, rows);
  };
  for (uint32_t k = 0; k < r.layers; ++k) {
    const Index units = k + 1 == r.layers ? components : static_cast<Index>(r.units[k]);
    n.layers.push_back({rows_of(layers[k], units), vector_of({numbers.bias[k], static_cast<size_t>(units)})});
  }
  n.bias = vector_of({numbers.linear_bias, static_cast<size_t>(components)});
  if (r.linear) n.linear = rows_of(linear, components);
  return n;
}

// A vertex of a patch: where it stands in the tiles.
struct Place {
  uint32_t vertex;
  size_t block, lane;
};
std::vector<std::vector<Place>> places_of(const PatchesView& view, uint32_t vertices) {
  std::vector<std::vector<Place>> places(view.patches.size());
  for (const TileRecord& t : view.tiles)
    for (size_t block = t.first_block; block < t.first_block + t.blocks; ++block)
      for (size_t lane = 0; lane < kPanelRows; ++lane)
        if (t.vertices[lane] < vertices && view.shares[kPanelRows * block + lane] > 0)
          places[view.blocks[block]].push_back({t.vertices[lane], block, lane});
  for (std::vector<Place>& p : places)
    std::sort(p.begin(), p.end(), [](const Place& a, const Place& b) { return a.vertex < b.vertex; });
  return places;
}

// `stored`: of all patches.
learn::Basis basis_of(const PatchesView& view, size_t patch, const std::vector<Place>& places,
                      const std::vector<float>& shares, const learn::Matrix& stored) {
  const PatchRecord& record = view.patches[patch];
  const PatchNumbers numbers = view.numbers_of(patch);
  const auto components = static_cast<Index>(record.components),
             mean = static_cast<Index>(view.record->components);
  learn::Basis b;
  b.mean.resize(static_cast<Index>(3 * places.size()));
  b.modes.resize(components, b.mean.size());
  b.deviation = vector_of({numbers.deviation, record.components});
  const learn::Vector scale = vector_of({numbers.basis_scale, record.components});
  for (size_t v = 0; v < places.size(); ++v)
    for (size_t axis = 0; axis < 3; ++axis) {
      const auto row =
          stored.row(static_cast<Index>((3 * places[v].block + axis) * kPanelRows + places[v].lane));
      const auto value = static_cast<Index>(3 * v + axis);
      const float root = std::sqrt(shares[v]);
      b.modes.col(value) = row.head(components).transpose().cwiseProduct(scale) * root;
      b.mean[value] = row[mean] * numbers.basis_scale[mean] * root;
    }
  return b;
}

}  // namespace

void check_model(const learn::PatchModel& model, const garment::Garment& garment) {
  expect(!model.patches.empty() && model.stages.size() == model.patches.size(),
         "expected patches with a stage each, found " + std::to_string(model.patches.size()) + " and " +
             std::to_string(model.stages.size()));
  expect(model.rest.size() == garment.size(), "patches: expected the garment's rest");
  const learn::Network& first = model.stages[0].network;
  expect(first.layers.size() <= kMostLayers && (!first.layers.empty() || first.linear.size() > 0),
         "patches: expected up to 8 layers, or a linear path, or both");
  std::vector<float> sums(garment.size());
  for (size_t p = 0; p < model.patches.size(); ++p) {
    check_patch(model.patches[p], p, model.patches[0], garment);
    check_stage(model.stages[p], p, first, model.patches[p]);
    for (size_t i = 0; i < model.patches[p].vertices.size(); ++i)
      sums[model.patches[p].vertices[i]] += model.patches[p].shares[i];
  }
  expect(most_components(model) > 0, "patches: expected components, found none");
  for (size_t v = 0; v < sums.size(); ++v)
    expect(std::fabs(sums[v] - 1) < 1e-3f, "patches: expected the shares of vertex " + std::to_string(v) +
                                               " to add up to 1, found " + std::to_string(sums[v]));
}

void add_numbers(SectionFile& file, const learn::PatchModel& model) {
  PatchesRecord record = record_of(model);
  std::vector<TileRecord> tiles;
  std::vector<uint32_t> blocks;
  std::vector<uint16_t> shares;
  for (const Tile& t : tiles_of(model.patches, static_cast<uint32_t>(model.rest.size()))) {
    TileRecord r{{}, static_cast<uint32_t>(blocks.size()), static_cast<uint32_t>(t.blocks.size())};
    std::copy(t.vertices.begin(), t.vertices.end(), r.vertices);
    tiles.push_back(r);
    for (const Block& b : t.blocks) {
      blocks.push_back(b.patch);
      shares.insert(shares.end(), b.share.begin(), b.share.end());
    }
  }
  record.tiles = static_cast<uint32_t>(tiles.size()), record.blocks = static_cast<uint32_t>(blocks.size());
  std::string patches(reinterpret_cast<const char*>(&record), sizeof record);
  std::vector<int32_t> seen;
  for (size_t k = 0; k < model.patches.size(); ++k) {
    const learn::Patch& p = model.patches[k];
    const PatchRecord r{p.bone, p.above, p.below,
                        p.left, p.right, static_cast<uint32_t>(model.stages[k].basis.components())};
    patches.append(reinterpret_cast<const char*>(&r), sizeof r);
    seen.insert(seen.end(), p.seen.begin(), p.seen.end());
  }
  file.add("patches", patches);
  file.add_records("patches.seen", seen);
  file.add_records("patches.tiles", tiles);
  file.add_records("patches.blocks", blocks);
  file.add_records("patches.shares", shares);
  file.add_records("patches.numbers", numbers_of(model, record));
}

learn::PatchModel patch_model_of(const GarmentView& view, const garment::Garment& garment) {
  const PatchesView& v = view.patches;
  learn::PatchModel model;
  model.rest = garment.rest;
  model.bone_rest.resize(garment.bones.size());
  garment::places_of_bones(garment, garment.rest, model.bone_rest);
  const learn::Matrix basis = unpack_matrix(v.basis), linear = unpack_matrix(v.linear);
  std::vector<learn::Matrix> layers;
  for (uint32_t k = 0; k < v.record->layers; ++k) layers.push_back(unpack_matrix(v.layer[k]));
  const std::vector<std::vector<Place>> places = places_of(v, static_cast<uint32_t>(garment.size()));
  for (size_t p = 0; p < v.patches.size(); ++p) {
    const PatchRecord& r = v.patches[p];
    learn::Patch patch{r.bone, r.above, r.below, r.left, r.right, {}, {}, {}};
    const auto seen = v.seen.subspan(p * v.record->seen, v.record->seen);
    patch.seen.assign(seen.begin(), seen.end());
    for (const Place& at : places[p]) {
      patch.vertices.push_back(at.vertex);
      patch.shares.push_back(static_cast<float>(v.shares[kPanelRows * at.block + at.lane]) /
                             static_cast<float>(kWholeShare));
    }
    model.stages.push_back(
        {basis_of(v, p, places[p], patch.shares, basis), network_of(v, p, layers, linear)});
    model.patches.push_back(std::move(patch));
  }
  return model;
}

}  // namespace billow::pack
