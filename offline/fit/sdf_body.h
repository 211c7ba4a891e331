// A body as rigid parts with a grid or neural SDF each, its colliders for the API, and its file.
#pragma once

#include <billow/billow.h>

#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "fit/body_parts.h"
#include "fit/grid_sdf.h"
#include "fit/neural_sdf.h"

namespace billow::fit {

struct SdfPart {
  std::string name;
  uint32_t joint = 0;
  Transform frame;  // in model space at rest
  std::variant<GridSdf, NeuralSdf> field;
};

struct SdfBody {
  std::vector<SdfPart> parts;
  size_t bytes() const;  // of grid values and network weights
};

// Makes grids or trains networks for all parts, on all cores; the result does not depend on their number. The
// seed of part k is options.seed + k. `progress` is called with the completed fraction, by one thread at a
// time.
SdfBody make_grids(std::span<const BodyPart> parts, const GridOptions& options = {},
                   const std::function<void(double)>& progress = {});
SdfBody train_networks(std::span<const BodyPart> parts, const TrainOptions& options = {},
                       const std::function<void(double)>& progress = {});

// The colliders of a body, for the API. They refer to the body, which must outlive them.
class SdfColliders {
 public:
  explicit SdfColliders(const SdfBody& body);
  SdfColliders(const SdfColliders&) = delete;
  SdfColliders& operator=(const SdfColliders&) = delete;
  const std::vector<billow_collider>& colliders() const { return colliders_; }

 private:
  std::vector<billow_sdf_grid> grids_;
  std::vector<billow_neural_sdf> networks_;
  std::vector<billow_collider> colliders_;
};

// The SDF file; docs/formats.md has the format. Writing is atomic. Reading validates untrusted bytes. Both
// throw std::runtime_error with the file, what was expected and what was found.
void write_sdf_file(const SdfBody& body, const std::filesystem::path& path);
SdfBody read_sdf_file(const std::filesystem::path& path);
// The same for bytes in memory.
std::vector<unsigned char> sdf_to_bytes(const SdfBody& body);
SdfBody sdf_from_bytes(std::span<const unsigned char> bytes);

}  // namespace billow::fit
