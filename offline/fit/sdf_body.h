// A body as rigid parts with a signed distance each, grids or networks, ready for the API; and its file.
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
  // Of all that the runtime reads: values or weights.
  size_t bytes() const;
};

// All parts as grids, or as networks. On all cores; the result does not depend on their number. The seed of part
// k is options.seed + k. `progress` is called with the share that is done, by one thread at a time.
SdfBody make_grids(std::span<const BodyPart> parts, const GridOptions& options = {},
                   const std::function<void(double)>& progress = {});
SdfBody train_networks(std::span<const BodyPart> parts, const TrainOptions& options = {},
                       const std::function<void(double)>& progress = {});

// The colliders of a body, for the API. They refer to the body, which has to stay.
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

// docs/sdf_file.md has the format. Writing goes beside the file and is then renamed. Reading trusts nothing.
// Throw std::runtime_error with the file, what was expected and what was found.
void write_sdf_file(const SdfBody& body, const std::filesystem::path& path);
SdfBody read_sdf_file(const std::filesystem::path& path);
// The same for bytes.
std::vector<unsigned char> sdf_to_bytes(const SdfBody& body);
SdfBody sdf_from_bytes(std::span<const unsigned char> bytes);

}  // namespace billow::fit
