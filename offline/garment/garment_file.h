// garment.json: a garment as a human-readable file with two companions. The format is in docs/garments.md.
//
//     cape.json       name, material, attachments with joint names, bones, chains
//     cape_mesh.obj   the mesh as modelled; its UVs are the flat pattern, in metres
//     cape_rest.npy   the drape: float32, vertices x 3, as positions are stored in data sets
//
// The reader is in a separate library (billow_garment_file) because it needs nlohmann's JSON; the writer does
// not.
#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "body/skeleton.h"
#include "garment/garment.h"

namespace billow::garment {

inline constexpr const char* kGarmentFormat = "billow garment";
inline constexpr size_t kGarmentVersion = 1;

// Path of the mesh that belongs to a garment file. Its name differs from the garment's, which is often that
// of the mesh the garment was described from.
std::filesystem::path mesh_file_of(const std::filesystem::path& garment);

// Writes all three files (the drape if there is one), each atomically, the JSON last. `path` has to end in
// .json. Floats round-trip exactly; joints of weight 0 are omitted. Throws std::runtime_error if a file
// cannot be written, std::invalid_argument for an invalid garment.
void write_garment_file(const Garment& garment, const body::Skeleton& skeleton,
                        const std::filesystem::path& path);
// The JSON alone.
std::string garment_to_text(const Garment& garment, const body::Skeleton& skeleton,
                            const std::string& mesh_file, const std::string& rest_file);

// Reads a garment for a skeleton, whose joints are found by name. Throws std::runtime_error with the file and
// the location in it, also for joints that the skeleton lacks.
Garment read_garment_file(const std::filesystem::path& path, const body::Skeleton& skeleton);

// Positions as a NumPy array: float32, little-endian, C order; n x 3, or frames x n x 3.
std::string positions_to_npy(std::span<const V3> positions);
struct NpyPositions {
  std::vector<size_t> shape;  // {n, 3} or {frames, n, 3}
  std::vector<V3> positions;
};
// Throws std::runtime_error for another type or shape, a wrong size, and values that are not finite.
NpyPositions positions_from_npy(std::string_view bytes);
NpyPositions read_npy_positions(const std::filesystem::path& path);

}  // namespace billow::garment
