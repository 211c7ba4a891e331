// Bytes of all kinds as a garment file: a view whose every number can be used, or a problem with a text.
//
// The input is taken as changes to a sound file, eight bytes each: where (three), how many bytes (one), which (four); a byte
// more, and it is the file of a whole cloth instead of one by patches. Chance would hardly find the way through the table of sections otherwise. An input that begins with the file's own first letters
// is taken as it is.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

#include "asset/garment_view.h"
#include "pack/pack_matrix.h"
#include "pack/sample_garment.h"

using namespace billow;

namespace {

// By patches, or of the whole cloth.
const std::string& sound_file(bool patches) {
  const auto made = [](bool by_patches) {
    pack::Packed p = pack::sample_garment(body::make_person(), {.across = 5,
                                                                .down = 5,
                                                                .chains = 3,
                                                                .bones_per_chain = 3,
                                                                .patches = by_patches,
                                                                .components = 3,
                                                                .units = 9});
    p.extra["blob"] = "opaque";
    return pack::pack_garment(p);
  };
  static const std::string files[2] = {made(false), made(true)};
  return files[patches];
}

std::string changed(const uint8_t* data, size_t size) {
  std::string file = sound_file(size % 2 == 0);
  for (size_t i = 0; i + 8 <= size; i += 8) {
    const size_t where = data[i] | data[i + 1] << 8 | data[i + 2] << 16;
    const size_t count = 1 + data[i + 3] % 4;
    // One kind of change cuts the file off.
    if (data[i + 3] >= 252) {
      file.resize(std::max(sizeof(asset::Header), std::min(where, file.size())));
    } else if (where + count <= file.size()) {
      std::memcpy(file.data() + where, data + i + 4, count);
    }
  }
  const uint64_t length = file.size();
  std::memcpy(file.data() + offsetof(asset::Header, file_size), &length, sizeof length);
  return file;
}

float sum_of(const PackedMatrix& m) { return m.rows > 0 ? pack::unpack_matrix(m).sum() : 0.0f; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const bool as_it_is = size >= 8 && std::memcmp(data, asset::kMagic, 8) == 0;
  const pack::AlignedBytes bytes(as_it_is ? std::string(reinterpret_cast<const char*>(data), size)
                                          : changed(data, size));
  asset::GarmentView view;
  asset::Problem problem;
  if (!asset::read_garment(bytes.data(), bytes.size(), view, problem, false)) {
    if (problem.text[0] == '\0') std::abort();
    return 0;
  }
  // Use everything that a view leads to.
  float sum = sum_of(view.basis) + sum_of(view.skinning.linear) + sum_of(view.shape.linear);
  for (const asset::NetworkView* n : {&view.skinning, &view.shape})
    for (uint32_t k = 0; n->record && k < n->record->layers; ++k)
      sum += sum_of(n->layer[k]) + n->bias[k][n->record->units[k] - 1];
  const asset::PatchesView& patches = view.patches;
  sum += sum_of(patches.basis) + sum_of(patches.linear);
  for (uint32_t k = 0; patches.record && k < patches.record->layers; ++k) sum += sum_of(patches.layer[k]);
  for (size_t p = 0; p < patches.patches.size(); ++p) {
    const asset::PatchRecord& r = patches.patches[p];
    for (const uint32_t b : {r.bone, r.above, r.below, r.left, r.right}) sum += view.bones[b].weights[1];
    const asset::PatchNumbers numbers = patches.numbers_of(p);
    for (uint32_t k = 0; k < patches.record->layers; ++k)
      sum += numbers.bias[k][round_up_to_panels(patches.record->units[k]) - 1];
    sum += numbers.mean[patches.inputs() - 1] + numbers.scale[0];
  }
  for (const TileRecord& t : patches.tiles)
    for (size_t b = t.first_block; b < t.first_block + t.blocks; ++b)
      for (size_t k = 0; k < kPanelRows; ++k)
        if (t.vertices[k] < view.record->vertices)
          sum += view.rest[3 * t.vertices[k]] + patches.numbers_of(patches.blocks[b]).scale[0];
  for (const int32_t b : patches.seen) sum += b < 0 ? 0 : view.bones[static_cast<size_t>(b)].weights[2];
  const asset::BlendView& blend = view.blend;
  for (const uint32_t b : blend.bones_in_bytes) sum += view.bones[b].weights[0];
  for (const uint32_t b : blend.bones_in_words) sum += view.bones[b].weights[0];
  for (const uint32_t v : view.triangles) sum += view.rest[3 * v + 2];
  for (const asset::BoneRecord& b : view.bones) sum += view.rest[3 * b.vertices[2]];
  for (const asset::ChainBoneRecord& b : view.chain_bones) sum += view.bones[b.bone].weights[0];
  for (const asset::JointRecord& j : view.joints) sum += static_cast<float>(view.text_of(j.name).size());
  for (const asset::Section& s : view.sections) sum += static_cast<float>(view.bytes_of(s).size());
  volatile float kept = sum;
  (void)kept;
  return 0;
}
