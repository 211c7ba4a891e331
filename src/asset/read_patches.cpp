// The decoder by patches: networks, bases and tiles.
#include <algorithm>
#include <cstdio>

#include "asset/reader.h"

namespace billow::asset {
namespace {

// The offsets of a network's parameters, and their number.
struct ParameterLayout {
  size_t mean, scale, linear_bias, bias[kMaxLayers], count;

  explicit ParameterLayout(const PatchesRecord& r) : bias{} {
    size_t next = 0;
    const auto take = [&](uint32_t n) {
      const size_t at = next;
      next += round_up_to_panels(n);
      return at;
    };
    const uint32_t inputs = 3 * (r.input_bones + 1);
    mean = take(inputs), scale = take(inputs);
    linear_bias = take(r.coefficients());
    for (uint32_t k = 0; k < r.layers; ++k) bias[k] = take(r.units[k]);
    count = next;
  }
};

}  // namespace

size_t PatchesView::network_stride() const { return ParameterLayout(*record).count; }

PatchParameters PatchesView::parameters_of(size_t network) const {
  const ParameterLayout layout(*record);
  const float* at = parameters.data() + network * layout.count;
  PatchParameters n{at + layout.mean, at + layout.scale, at + layout.linear_bias, {}};
  for (uint32_t k = 0; k < record->layers; ++k) n.bias[k] = at + layout.bias[k];
  return n;
}

bool Reader::read_patches() {
  if (!read_patches_record()) return false;
  const PatchesRecord& r = *view_.patches.record;
  if (!find_array("patches.input_bones", uint64_t{r.patches} * r.input_bones, view_.patches.input_bones) ||
      !find_array("patches.tiles", r.tiles, view_.patches.tiles) ||
      !find_array("patches.blocks", r.blocks, view_.patches.blocks) ||
      !find_array("patches.numbers", uint64_t{r.networks} * view_.patches.network_stride(),
                  view_.patches.parameters) ||
      !check_floats("patches.numbers", view_.patches.parameters) ||
      !find_array("patches.bases", uint64_t{r.patches} * view_.patches.basis_stride(), view_.patches.bases) ||
      !check_floats("patches.bases", view_.patches.bases))
    return false;
  for (size_t p = 0; p < r.patches; ++p)
    if (!check_patch(p)) return false;
  uint32_t block = 0;
  for (size_t t = 0; t < r.tiles; ++t) {
    if (!check_tile(t, block)) return false;
    block += view_.patches.tiles[t].blocks;
  }
  if (block != r.blocks)
    return fail("section 'patches': expected %u blocks, found %u in tiles", r.blocks, block);
  return read_patch_matrices();
}

bool Reader::read_patches_record() {
  const Section* s = find("patches");
  if (!s || s->size < sizeof(PatchesRecord)) return fail("expected a section 'patches' with its record");
  const auto& r = *reinterpret_cast<const PatchesRecord*>(bytes_ + s->offset);
  const struct {
    const char* name;
    uint32_t found, min, max;
  } counts[] = {{"patches", r.patches, 1, kMaxBones},
                {"networks", r.networks, 1, kMaxBones},
                {"input_bones", r.input_bones, 0, kMaxInputBones},
                {"components", r.components, 1, kMaxUnits / 3},
                {"tiles", r.tiles, 1, kMaxBlocks},
                {"blocks", r.blocks, 1, kMaxBlocks},
                {"layers", r.layers, 0, kMaxLayers},
                {"activation", r.activation, 0, 2},
                {"linear", r.linear, r.layers == 0 ? 1u : 0, 1}};
  for (const auto& c : counts)
    if (c.found < c.min || c.found > c.max)
      return fail("section 'patches', %s: expected %u to %u, found %u", c.name, c.min, c.max, c.found);
  for (uint32_t k = 0; k < kMaxLayers; ++k) {
    uint32_t min = 0, max = 0;  // after the last layer
    if (k + 1 < r.layers) min = 1, max = kMaxUnits;
    if (k + 1 == r.layers) min = max = r.coefficients();
    if (r.units[k] < min || r.units[k] > max)
      return fail("section 'patches', layer %u: expected %u to %u units, found %u", k + 1, min, max,
                  r.units[k]);
  }
  if (s->size != sizeof r + uint64_t{r.patches} * sizeof(PatchRecord))
    return fail("section 'patches': expected %llu bytes, found %llu",
                static_cast<unsigned long long>(sizeof r + uint64_t{r.patches} * sizeof(PatchRecord)),
                static_cast<unsigned long long>(s->size));
  view_.patches.record = &r;
  view_.patches.patches = {reinterpret_cast<const PatchRecord*>(bytes_ + s->offset + sizeof r), r.patches};
  return true;
}

bool Reader::check_patch(size_t patch) {
  const PatchesRecord& r = *view_.patches.record;
  const PatchRecord& p = view_.patches.patches[patch];
  const uint32_t bones = view_.record->bones;
  for (const uint32_t b : {p.bone, p.above, p.below, p.left, p.right})
    if (!check_below("patches", patch, "a bone", b, bones)) return false;
  if (!check_below("patches", patch, "a network", p.network, r.networks) ||
      !check_below("patches", patch, "flipped", p.flipped, 2))
    return false;
  for (const int32_t b : view_.patches.input_bones.subspan(patch * r.input_bones, r.input_bones))
    if (b < -1 || b >= static_cast<int64_t>(bones))
      return fail("section 'patches.input_bones', patch %zu: expected a bone below %u or -1, found %d", patch,
                  bones, b);
  return true;
}

bool Reader::check_tile(size_t tile, uint32_t first_block) {
  const PatchesView& v = view_.patches;
  const TileRecord& t = v.tiles[tile];
  for (const uint32_t vertex : t.vertices)
    if (!check_below("patches.tiles", tile, "vertices", vertex, view_.record->vertices + 1)) return false;
  if (t.first_block != first_block || t.blocks == 0 || t.blocks > v.record->blocks - first_block)
    return fail(
        "section 'patches.tiles', record %zu: expected blocks from %u on and no more than are left, found %u "
        "from %u on",
        tile, first_block, t.blocks, t.first_block);
  for (uint32_t b = first_block; b < first_block + t.blocks; ++b)
    if (!check_below("patches.blocks", b, "a patch", v.blocks[b], v.record->patches)) return false;
  return true;
}

bool Reader::read_patch_matrices() {
  PatchesView& v = view_.patches;
  const PatchesRecord& r = *v.record;
  char name[32];
  for (uint32_t k = 0; k < r.layers; ++k) {
    std::snprintf(name, sizeof name, "patches.%u", k + 1);
    if (!read_matrix(name, uint64_t{r.networks} * round_up_to_panels(r.units[k]),
                     k == 0 ? v.inputs() : r.units[k - 1], v.layer[k]))
      return false;
  }
  if (r.linear && !read_matrix("patches.linear", uint64_t{r.networks} * round_up_to_panels(r.coefficients()),
                               v.inputs(), v.linear))
    return false;
  return read_matrix("patches.basis", uint64_t{kPanelRows} * r.blocks, r.basis_columns(), v.basis);
}

bool check_tiles(const GarmentView& view, uint32_t* counts, Problem& problem) {
  const PatchesView& v = view.patches;
  if (!v.record) return true;
  for (uint32_t i = 0; i <= view.record->vertices; ++i) counts[i] = 0;
  for (const TileRecord& t : v.tiles)
    for (const uint32_t vertex : t.vertices) ++counts[vertex];
  for (uint32_t i = 0; i < view.record->vertices; ++i)
    if (counts[i] != 1) {
      std::snprintf(problem.text, sizeof problem.text,
                    "section 'patches.tiles': expected vertex %u in one tile, found it in %u", i, counts[i]);
      return false;
    }
  return true;
}

}  // namespace billow::asset
