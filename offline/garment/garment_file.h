// garment.json: a garment for people to read and change by hand, with two files beside it. docs/garments.md has the
// format.
//
//     cape.json       name, material, attachments with the names of joints, bones, chains
//     cape_mesh.obj   the mesh as modelled; its UV are the pattern laid flat, in metres
//     cape_rest.npy   the drape: float32, vertices x 3. Not an OBJ: it has the mesh's triangles and nothing of its own but
//                     places, and data sets keep places this way too
//
// The reader is in a library of its own (billow_garment_file), as it needs nlohmann's JSON; the writer is not.
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

// The mesh that goes beside a garment's file. Not of the same name: that is often the file the garment was
// described from.
std::filesystem::path mesh_file_of(const std::filesystem::path& garment);

// Writes all three (the last one if there is a drape), each beside its file, which is then replaced; the JSON last.
// `path` has to end in .json. Floats are read back to the last bit; joints of weight 0 are left out. Throws
// std::runtime_error where a file cannot be written, std::invalid_argument for a garment that is not valid.
void write_garment_file(const Garment& garment, const body::Skeleton& skeleton,
                        const std::filesystem::path& path);
// The JSON alone.
std::string garment_to_text(const Garment& garment, const body::Skeleton& skeleton,
                            const std::string& mesh_file, const std::string& rest_file);

// Reads it for a character: joints are found by their names. Throws std::runtime_error with the file, the place in it,
// what was expected and what was found, for joints that the character lacks too.
Garment read_garment_file(const std::filesystem::path& path, const body::Skeleton& skeleton);

// Places as a NumPy file: float32, little-endian, C order; n x 3, or frames x n x 3.
std::string places_to_npy(std::span<const V3> places);
struct NpyPlaces {
  std::vector<size_t> shape;  // {n, 3} or {frames, n, 3}
  std::vector<V3> places;
};
// Throws std::runtime_error for other kinds of content, a wrong size, and numbers that are not finite.
NpyPlaces places_from_npy(std::string_view bytes);
NpyPlaces read_npy_places(const std::filesystem::path& path);

}  // namespace billow::garment
