// Weights for linear blend skinning as sections of the garment file, and back.
#include <algorithm>
#include <cmath>

#include "pack/model_sections.h"

namespace billow::pack {
namespace {

// Whole numbers with the sum that they need: rounded down, and what is missing goes to those that lost most.
std::array<uint8_t, kBonesPerVertex> rounded(const std::array<float, kBonesPerVertex>& weights) {
  std::array<uint8_t, kBonesPerVertex> out{};
  std::array<float, kBonesPerVertex> lost{};
  uint32_t missing = kWholeWeight;
  for (size_t k = 0; k < out.size(); ++k) {
    const float exact = weights[k] * static_cast<float>(kWholeWeight);
    out[k] = static_cast<uint8_t>(std::min(std::floor(exact), static_cast<float>(missing)));
    lost[k] = exact - static_cast<float>(out[k]);
    missing -= out[k];
  }
  for (; missing > 0; --missing) {
    const auto most = static_cast<size_t>(std::max_element(lost.begin(), lost.end()) - lost.begin());
    ++out[most], --lost[most];
  }
  return out;
}

}  // namespace

void check_blend(const std::vector<learn::BlendWeights>& blend, size_t vertices, size_t bones) {
  expect(blend.empty() || blend.size() == vertices,
         "expected blend weights of all " + std::to_string(vertices) + " vertices or none, found " +
             std::to_string(blend.size()));
  for (size_t v = 0; v < blend.size(); ++v) {
    float sum = 0;
    for (size_t k = 0; k < kBonesPerVertex; ++k) {
      expect(blend[v].bones[k] < bones && blend[v].weights[k] >= 0,
             "blend weights of vertex " + std::to_string(v) + ": expected bones below " +
                 std::to_string(bones) + " and weights from 0 on");
      sum += blend[v].weights[k];
    }
    expect(std::fabs(sum - 1) < 1e-3f, "blend weights of vertex " + std::to_string(v) +
                                           ": expected a sum of 1, found " + std::to_string(sum));
  }
}

void add_blend(SectionFile& file, const std::vector<learn::BlendWeights>& blend, size_t bones) {
  if (blend.empty()) return;
  std::vector<uint8_t> in_bytes, weights;
  std::vector<uint16_t> in_words;
  for (const learn::BlendWeights& w : blend) {
    const auto whole = rounded(w.weights);
    weights.insert(weights.end(), whole.begin(), whole.end());
    for (const uint32_t b : w.bones) {
      in_bytes.push_back(static_cast<uint8_t>(b));
      in_words.push_back(static_cast<uint16_t>(b));
    }
  }
  if (bones <= asset::kMaxBonesInBytes)
    file.add_records("blend.bones", in_bytes);
  else
    file.add_records("blend.bones", in_words);
  file.add_records("blend.weights", weights);
}

std::vector<learn::BlendWeights> blend_of(const asset::GarmentView& view) {
  const asset::BlendView& stored = view.blend;
  std::vector<learn::BlendWeights> blend(stored.weights.size() / kBonesPerVertex);
  for (size_t i = 0; i < stored.weights.size(); ++i) {
    learn::BlendWeights& w = blend[i / kBonesPerVertex];
    w.bones[i % kBonesPerVertex] =
        stored.bones_in_words.empty() ? stored.bones_in_bytes[i] : stored.bones_in_words[i];
    w.weights[i % kBonesPerVertex] = static_cast<float>(stored.weights[i]) / static_cast<float>(kWholeWeight);
  }
  return blend;
}

}  // namespace billow::pack
