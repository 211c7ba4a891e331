#include "import/character.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "body/mesh.h"
#include "import/bvh.h"
#include "import/scene.h"
#include "motion/human.h"

namespace billow::importer {
namespace {

constexpr float kTypicalHeight = 1.7f;  // m
// Leg length over height. Thigh and shank are 0.245 and 0.246 of the height: Drillis and Contini, "Body
// Segment Parameters" (1966).
constexpr float kLegFraction = 0.491f;

void validate_skin(const body::Skin& skin, size_t joints) {
  const size_t vertices = skin.mesh.positions.size();
  if (skin.joints.size() != vertices || skin.weights.size() != vertices ||
      (vertices > 0 && skin.joint_rest.size() != joints))
    throw std::runtime_error("skin: expected joints and weights for each vertex");
  for (size_t v = 0; v < vertices; ++v) {
    const V3 p = skin.mesh.positions[v];
    float sum = 0;
    for (size_t k = 0; k < body::kJointsPerVertex; ++k) {
      sum += skin.weights[v][k];
      if (skin.joints[v][k] >= joints) throw std::runtime_error("skin: expected joint indices in range");
    }
    if (!std::isfinite(p.x + p.y + p.z) || !(std::fabs(sum - 1) < 1e-3f))
      throw std::runtime_error(
          "skin: expected finite positions and weights that add up to 1, found others in vertex " +
          std::to_string(v));
  }
  for (const body::Triangle& t : skin.mesh.triangles)
    for (const uint32_t i : t)
      if (i >= vertices) throw std::runtime_error("skin: expected vertex indices in range");
}

// The largest side of the bounding box of skin and joints.
float size_of(const Character& character) {
  float size = extent(character.skeleton);
  if (character.skin.mesh.positions.empty()) return size;
  V3 low = character.skin.mesh.positions[0], high = low;
  for (const V3 p : character.skin.mesh.positions)
    low = body::component_min(low, p), high = body::component_max(high, p);
  return std::max({size, high.x - low.x, high.y - low.y, high.z - low.z});
}

}  // namespace

float extent(const body::Skeleton& skeleton) {
  V3 low{1e30f, 1e30f, 1e30f}, high{-1e30f, -1e30f, -1e30f};
  for (const Transform& t : body::rest_transforms(skeleton))
    low = body::component_min(low, t.position), high = body::component_max(high, t.position);
  return std::max({high.x - low.x, high.y - low.y, high.z - low.z});
}

float guess_unit(const body::Skeleton& skeleton) {
  const float leg = motion::find_human(skeleton).leg_length(skeleton);
  const float height = leg > 0 ? leg / kLegFraction : extent(skeleton);
  float best = 0, min_error = std::log(1.53f);
  for (const float unit : {1.0f, 0.3048f, kCmuUnit, 0.0254f, 0.01f, 0.001f}) {
    const float error = std::fabs(std::log(height * unit / kTypicalHeight));
    if (error < min_error) min_error = error, best = unit;
  }
  if (best > 0) return best;
  std::ostringstream message;
  message << "expected a skeleton about 1.7 m tall in metres, feet, CMU units, inches, centimetres or "
             "millimetres, found one "
          << height << " units tall; give the scale in metres per unit";
  throw std::runtime_error(message.str());
}

std::string read_bytes(const std::filesystem::path& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error) throw std::runtime_error("cannot read " + file.string() + ": " + error.message());
  if (size > kMaxBytes)
    throw std::runtime_error(file.string() + ": expected at most " + std::to_string(kMaxBytes) +
                             " bytes, found " + std::to_string(size));
  std::ifstream in(file, std::ios::binary);
  std::string bytes(size, '\0');
  if (!in.read(bytes.data(), static_cast<std::streamsize>(size)))
    throw std::runtime_error("cannot read " + file.string());
  return bytes;
}

void validate(const Character& character) {
  body::validate(character.skeleton);
  validate_skin(character.skin, character.skeleton.size());
  for (const motion::Clip& clip : character.clips) motion::validate(character.skeleton, clip);
  const float size = size_of(character);
  if (!(size >= 0.05f && size <= 100)) {
    std::ostringstream message;
    message << "expected a character from 0.05 to 100 m large, found " << size
            << " m; if the file has another unit, give the scale in metres per unit";
    throw std::runtime_error(message.str());
  }
}

Character read_character(const std::filesystem::path& file, const CharacterOptions& options) {
  if (!(options.scale >= 0 && options.scale <= 1e6f) ||
      !(options.frames_per_second >= 0 && options.frames_per_second <= 1000))
    throw std::invalid_argument("expected a scale from 0 to 1e6 and 0 to 1000 frames per second");
  std::string format = file.extension().string();
  std::transform(format.begin(), format.end(), format.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  if (format == ".bvh") {
    Character character = read_bvh(file, {.scale = options.scale});
    if (options.frames_per_second > 0)
      for (motion::Clip& clip : character.clips) clip = motion::resample(clip, options.frames_per_second);
    return character;
  }
  if (format == ".glb" || format == ".gltf")
    return parse_gltf(read_bytes(file), file.filename().string(), options, file.parent_path());
  try {
    if (format == ".fbx" || format == ".dae") return make_character(read_by_assimp(file), options);
  } catch (const std::exception& e) {
    throw std::runtime_error(file.filename().string() + ": " + e.what());
  }
  throw std::runtime_error(file.string() + ": expected .bvh, .glb, .gltf, .fbx or .dae");
}

const motion::Clip& clip_named(const Character& character, std::string_view name) {
  std::string available;
  for (const motion::Clip& clip : character.clips) {
    if (clip.name == name) return clip;
    available += (available.empty() ? "" : ", ") + clip.name;
  }
  throw std::invalid_argument(character.name + ": there is no clip '" + std::string(name) +
                              "'; there are: " + (available.empty() ? "none" : available));
}

}  // namespace billow::importer
