// Arbitrary bytes as a garment file: the reader returns a view of which every value is valid, or a problem
// with a text.
//
// The input is a list of changes to a valid file, eight bytes each: offset (three), how many bytes (one), new
// bytes (four). Random bytes would hardly get past the table of sections. With an even input size the file
// has patches, with an odd size the whole-cloth decoder. An input that begins with the magic number is read
// as the file itself.
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

// With a decoder by patches, or of the whole cloth.
const std::string& valid_file(bool patches) {
  const auto make = [](bool by_patches) {
    pack::GarmentData p = pack::sample_garment(body::make_person(), {.across = 5,
                                                                     .down = 5,
                                                                     .chains = 3,
                                                                     .bones_per_chain = 3,
                                                                     .patches = by_patches,
                                                                     .components = 3,
                                                                     .units = 9});
    p.extra["blob"] = "opaque";
    return pack::pack_garment(p);
  };
  static const std::string files[2] = {make(false), make(true)};
  return files[patches];
}

std::string changed(const uint8_t* data, size_t size) {
  std::string file = valid_file(size % 2 == 0);
  for (size_t i = 0; i + 8 <= size; i += 8) {
    const size_t where = data[i] | data[i + 1] << 8 | data[i + 2] << 16;
    const size_t count = 1 + data[i + 3] % 4;
    // One kind of change truncates the file.
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
  const bool whole_file = size >= 8 && std::memcmp(data, asset::kMagic, 8) == 0;
  const pack::AlignedBytes bytes(whole_file ? std::string(reinterpret_cast<const char*>(data), size)
                                            : changed(data, size));
  asset::GarmentView view;
  asset::Problem problem;
  if (!asset::read_garment(bytes.data(), bytes.size(), view, problem, false)) {
    if (problem.text[0] == '\0') std::abort();
    return 0;
  }
  // Read everything that the view refers to.
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
    const asset::PatchParameters parameters = patches.parameters_of(r.network);
    for (uint32_t k = 0; k < patches.record->layers; ++k)
      sum += parameters.bias[k][round_up_to_panels(patches.record->units[k]) - 1];
    sum += parameters.mean[patches.inputs() - 1] + parameters.scale[0];
  }
  for (const TileRecord& t : patches.tiles)
    for (size_t b = t.first_block; b < t.first_block + t.blocks; ++b)
      for (size_t k = 0; k < kPanelRows; ++k)
        if (t.vertices[k] < view.record->vertices)
          sum += view.rest[3 * t.vertices[k]] + patches.deviations_of(patches.blocks[b])[0];
  for (const int32_t b : patches.input_bones)
    sum += b < 0 ? 0 : view.bones[static_cast<size_t>(b)].weights[2];
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
