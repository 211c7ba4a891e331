// Converts patch models to and from sections.
#include <algorithm>
#include <cmath>

#include "pack/model_matrices.h"
#include "pack/pack_matrix.h"
#include "pack/sections.h"
#include "pack/tiles.h"

namespace billow::pack {
namespace {

using namespace asset;
using Eigen::Index;

std::string patch_name(size_t patch) { return "patch " + std::to_string(patch); }

void expect_size(size_t patch, const char* what, Index expected, Index found) {
  expect(found == expected, patch_name(patch) + ", " + what + ": expected " + std::to_string(expected) +
                                ", found " + std::to_string(found));
}

void check_patch(const learn::Patch& p, size_t patch, const learn::Patch& first,
                 const garment::Garment& garment) {
  const auto bone = [&](int64_t b) {
    expect(b >= 0 && b < static_cast<int64_t>(garment.bones.size()),
           patch_name(patch) + ": expected bones below " + std::to_string(garment.bones.size()) + ", found " +
               std::to_string(b));
  };
  for (const uint32_t b : {p.bone, p.above, p.below, p.left, p.right}) bone(b);
  for (const int32_t b : p.input_bones)
    if (b != learn::kNoBone) bone(b);
  expect_size(patch, "input bones", static_cast<Index>(first.input_bones.size()),
              static_cast<Index>(p.input_bones.size()));
  expect_size(patch, "shares", static_cast<Index>(p.vertices.size()), static_cast<Index>(p.shares.size()));
  for (size_t i = 0; i < p.vertices.size(); ++i)
    expect(p.vertices[i] < garment.size() && p.shares[i] > 0 && p.shares[i] <= 1,
           patch_name(patch) + ": expected vertices of the cloth with shares above 0 and up to 1");
}

// Checks basis and network of a patch, whose sizes are the same in all patches.
void check_stage(const learn::PatchModel& model, size_t patch) {
  const learn::Patch& of = model.patches[patch];
  const learn::PatchBasis& b = model.bases[patch];
  const learn::Network &n = model.network_of(patch), &first = model.networks[0];
  const auto vertices = static_cast<Index>(of.vertices.size());
  expect_size(patch, "values of the mean", 3 * vertices, b.mean.size());
  expect_size(patch, "values of the modes", vertices, b.modes.cols());
  expect_size(patch, "components", model.components(), b.components());
  expect_size(patch, "deviations", b.coefficients(), b.deviation.size());
  const auto inputs = static_cast<Index>(learn::feature_count(of));
  expect_size(patch, "inputs", inputs, n.mean.size());
  expect_size(patch, "scales of inputs", inputs, n.scale.size());
  expect_size(patch, "layers", static_cast<Index>(first.layers.size()), static_cast<Index>(n.layers.size()));
  expect(n.activation == first.activation,
         patch_name(patch) + ": expected the same activation in all patches");
  expect((n.linear.size() > 0) == (first.linear.size() > 0),
         patch_name(patch) + ": expected a linear path in all patches or in none");
  Index before = inputs;
  for (size_t k = 0; k < n.layers.size(); ++k) {
    const bool last = k + 1 == n.layers.size();
    const Index units = last ? b.coefficients() : first.layers[k].weights.rows();
    expect_size(patch, "outputs of a layer", units, n.layers[k].weights.rows());
    expect_size(patch, "biases of a layer", units, n.layers[k].bias.size());
    expect_size(patch, "inputs of a layer", before, n.layers[k].weights.cols());
    before = units;
  }
  if (n.linear.size() > 0) {
    expect_size(patch, "outputs of the linear path", b.coefficients(), n.linear.rows());
    expect_size(patch, "inputs of the linear path", inputs, n.linear.cols());
  }
  if (n.bias.size() > 0) expect_size(patch, "biases of the linear path", b.coefficients(), n.bias.size());
}

PatchesRecord record_of(const learn::PatchModel& model) {
  PatchesRecord r{};
  const learn::Network& n = model.networks[0];
  r.patches = static_cast<uint32_t>(model.patches.size());
  r.networks = static_cast<uint32_t>(model.networks.size());
  r.input_bones = static_cast<uint32_t>(model.patches[0].input_bones.size());
  r.components = static_cast<uint32_t>(model.components());
  r.layers = static_cast<uint32_t>(n.layers.size());
  r.activation = static_cast<uint32_t>(n.activation);
  r.linear = n.linear.size() > 0;
  for (size_t k = 0; k < n.layers.size(); ++k) r.units[k] = static_cast<uint32_t>(n.layers[k].bias.size());
  return r;
}

// Concatenates vectors, each padded with zeros to a multiple of eight values.
class PaddedFloats {
 public:
  void append(const Eigen::Ref<const learn::Vector>& v, uint32_t size) {
    all_.insert(all_.end(), v.data(), v.data() + v.size());
    all_.resize(all_.size() + round_up_to_panels(size) - static_cast<size_t>(v.size()));
  }
  const std::vector<float>& all() const { return all_; }

 private:
  std::vector<float> all_;
};

std::vector<float> network_floats(const learn::PatchModel& model, const PatchesRecord& r) {
  const uint32_t inputs = 3 * (r.input_bones + 1);
  PaddedFloats floats;
  for (const learn::Network& n : model.networks) {
    floats.append(n.mean, inputs), floats.append(n.scale, inputs);
    floats.append(n.bias, r.coefficients());
    for (uint32_t k = 0; k < r.layers; ++k) floats.append(n.layers[k].bias, r.units[k]);
  }
  return floats.all();
}

std::vector<float> basis_floats(const learn::PatchModel& model, const PatchesRecord& r) {
  const learn::Matrix scales = basis_scales(model);
  PaddedFloats floats;
  for (size_t p = 0; p < model.patches.size(); ++p) {
    floats.append(model.bases[p].deviation, r.coefficients());
    floats.append(scales.row(static_cast<Index>(p)).transpose(), r.basis_columns());
  }
  return floats.all();
}

learn::Network network_of(const PatchesView& view, size_t which, const std::vector<learn::Matrix>& layers,
                          const learn::Matrix& linear) {
  const PatchesRecord& r = *view.record;
  const PatchParameters parameters = view.parameters_of(which);
  learn::Network n;
  n.activation = static_cast<learn::Activation>(r.activation);
  n.mean = vector_of({parameters.mean, view.inputs()});
  n.scale = vector_of({parameters.scale, view.inputs()});
  const auto rows_of = [&](const learn::Matrix& stacked, Index rows) {
    const Index block = stacked.rows() / static_cast<Index>(r.networks);
    return stacked.middleRows(static_cast<Index>(which) * block, rows);
  };
  for (uint32_t k = 0; k < r.layers; ++k)
    n.layers.push_back(
        {rows_of(layers[k], static_cast<Index>(r.units[k])), vector_of({parameters.bias[k], r.units[k]})});
  n.bias = vector_of({parameters.linear_bias, r.coefficients()});
  if (r.linear) n.linear = rows_of(linear, static_cast<Index>(r.coefficients()));
  return n;
}

// A vertex of a patch, and its row of the stored basis.
struct VertexRow {
  uint32_t vertex;
  Index row;
};
// Vertices with a positive share, one list a patch, sorted.
std::vector<std::vector<VertexRow>> vertex_rows_of(const PatchesView& view, uint32_t vertices,
                                                   const learn::Matrix& stored) {
  std::vector<std::vector<VertexRow>> rows(view.patches.size());
  const auto share = static_cast<Index>(view.record->components);
  for (const TileRecord& t : view.tiles)
    for (size_t block = t.first_block; block < t.first_block + t.blocks; ++block)
      for (size_t lane = 0; lane < kPanelRows; ++lane) {
        const auto row = static_cast<Index>(kPanelRows * block + lane);
        if (t.vertices[lane] < vertices && stored(row, share) > 0)
          rows[view.blocks[block]].push_back({t.vertices[lane], row});
      }
  for (std::vector<VertexRow>& m : rows)
    std::sort(m.begin(), m.end(), [](const VertexRow& a, const VertexRow& b) { return a.vertex < b.vertex; });
  return rows;
}

// Reads a patch's vertices and basis. `stored`: the basis of all patches.
void add_vertices(const PatchesView& view, size_t patch, const std::vector<VertexRow>& rows,
                  const learn::Matrix& stored, learn::Patch& out, learn::PatchBasis& b) {
  const auto components = static_cast<Index>(view.record->components),
             count = static_cast<Index>(rows.size());
  const learn::Vector scale = vector_of({view.basis_scales_of(patch), view.record->basis_columns()});
  b.mean.resize(3 * count), b.modes.resize(components, count);
  b.deviation = vector_of({view.deviations_of(patch), view.record->coefficients()});
  for (Index v = 0; v < count; ++v) {
    const VertexRow& m = rows[static_cast<size_t>(v)];
    const learn::Vector row = stored.row(m.row).transpose().cwiseProduct(scale);
    const float share = row[components], inverse_root = 1 / std::sqrt(share);
    out.vertices.push_back(m.vertex), out.shares.push_back(share);
    b.modes.col(v) = row.head(components) * inverse_root;
    b.mean.segment<3>(3 * v) = row.tail<3>() * inverse_root;
  }
}

}  // namespace

void check_model(const learn::PatchModel& model, const garment::Garment& garment) {
  expect(!model.patches.empty() && model.bases.size() == model.patches.size(),
         "expected patches with a basis each, found " + std::to_string(model.patches.size()) + " and " +
             std::to_string(model.bases.size()));
  expect(!model.networks.empty(), "patches: expected networks, found none");
  expect(model.rest.size() == garment.size(), "patches: expected the garment's rest");
  const learn::Network& first = model.networks[0];
  expect(first.layers.size() <= kMaxLayers && (!first.layers.empty() || first.linear.size() > 0),
         "patches: expected up to 8 layers, or a linear path, or both");
  std::vector<float> sums(garment.size());
  for (size_t p = 0; p < model.patches.size(); ++p) {
    check_patch(model.patches[p], p, model.patches[0], garment);
    expect(model.patches[p].network < model.networks.size(),
           patch_name(p) + ": expected one of " + std::to_string(model.networks.size()) +
               " networks, found " + std::to_string(model.patches[p].network));
    check_stage(model, p);
    for (size_t i = 0; i < model.patches[p].vertices.size(); ++i)
      sums[model.patches[p].vertices[i]] += model.patches[p].shares[i];
  }
  expect(model.components() > 0, "patches: expected components, found none");
  for (size_t v = 0; v < sums.size(); ++v)
    expect(std::fabs(sums[v] - 1) < 1e-3f, "patches: expected the shares of vertex " + std::to_string(v) +
                                               " to add up to 1, found " + std::to_string(sums[v]));
}

void add_parameters(SectionFile& file, const learn::PatchModel& model) {
  PatchesRecord record = record_of(model);
  std::vector<TileRecord> tiles;
  std::vector<uint32_t> blocks;
  for (const Tile& t : tiles_of(model.patches, static_cast<uint32_t>(model.rest.size()))) {
    TileRecord r{{}, static_cast<uint32_t>(blocks.size()), static_cast<uint32_t>(t.blocks.size())};
    std::copy(t.vertices.begin(), t.vertices.end(), r.vertices);
    tiles.push_back(r);
    for (const Block& b : t.blocks) blocks.push_back(b.patch);
  }
  record.tiles = static_cast<uint32_t>(tiles.size()), record.blocks = static_cast<uint32_t>(blocks.size());
  std::string patches(reinterpret_cast<const char*>(&record), sizeof record);
  std::vector<int32_t> input_bones;
  for (const learn::Patch& p : model.patches) {
    const PatchRecord r{p.bone, p.above, p.below, p.left, p.right, p.network, p.flipped, 0};
    patches.append(reinterpret_cast<const char*>(&r), sizeof r);
    input_bones.insert(input_bones.end(), p.input_bones.begin(), p.input_bones.end());
  }
  file.add("patches", patches);
  file.add_records("patches.input_bones", input_bones);
  file.add_records("patches.tiles", tiles);
  file.add_records("patches.blocks", blocks);
  file.add_records("patches.numbers", network_floats(model, record));
  file.add_records("patches.bases", basis_floats(model, record));
}

size_t shared_vertices(const PatchesView& view) {
  const learn::Matrix basis = unpack_matrix(view.basis);
  return static_cast<size_t>((basis.col(static_cast<Index>(view.record->components)).array() > 0).count());
}

learn::PatchModel patch_model_of(const GarmentView& view, const garment::Garment& garment) {
  const PatchesView& v = view.patches;
  learn::PatchModel model;
  model.rest = garment.rest;
  model.bone_rest.resize(garment.bones.size());
  garment::bone_positions(garment, garment.rest, model.bone_rest);
  const learn::Matrix basis = unpack_matrix(v.basis), linear = unpack_matrix(v.linear);
  std::vector<learn::Matrix> layers;
  for (uint32_t k = 0; k < v.record->layers; ++k) layers.push_back(unpack_matrix(v.layer[k]));
  const auto rows = vertex_rows_of(v, static_cast<uint32_t>(garment.size()), basis);
  for (size_t n = 0; n < v.record->networks; ++n) model.networks.push_back(network_of(v, n, layers, linear));
  for (size_t p = 0; p < v.patches.size(); ++p) {
    const PatchRecord& r = v.patches[p];
    learn::Patch patch{r.bone, r.above, r.below, r.left, r.right, {}, {}, {}, r.network, r.flipped != 0};
    const auto input_bones = v.input_bones.subspan(p * v.record->input_bones, v.record->input_bones);
    patch.input_bones.assign(input_bones.begin(), input_bones.end());
    add_vertices(v, p, rows[p], basis, patch, model.bases.emplace_back());
    model.patches.push_back(std::move(patch));
  }
  return model;
}

}  // namespace billow::pack
