// Attaches a garment to its character: selects vertices and skins them to joints.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "body/skin.h"
#include "garment/garment.h"
#include "garment/mesh_file.h"

namespace billow::garment {

// Copies the skinning weights of the nearest skin vertex.
Attachment attach(const body::Skin& skin, uint32_t vertex, V3 position);

// Smooths the weights of neighbouring attachments: nearest skin vertices may have very different weights,
// which would tear a seam. `neighbours`: indices into `attachments`, one list each.
void smooth_weights(std::span<Attachment> attachments, size_t joints,
                    const std::vector<std::vector<uint32_t>>& neighbours);

// A set of vertices, one bit per vertex. The functions throw std::invalid_argument if the region is empty or
// unknown.
using Region = std::vector<bool>;
Region region_of_group(const GarmentMesh& mesh, std::string_view name);
Region region_of_material(const GarmentMesh& mesh, std::string_view name);
Region region_above(const GarmentMesh& mesh, float height);
// Vertices within `reach` of skin whose largest weight is that of the joint.
Region region_near_joint(const GarmentMesh& mesh, const body::Skeleton& skeleton, const body::Skin& skin,
                         std::string_view joint, float reach = 0.05f);

// Height above which a garment is attached that hangs from "waist", "neck" or "shoulders"; everything above
// is, as a dress fits closely above the waist. The waist is slightly above the lowest joint of the spine, the
// neckline slightly below the neck, the shoulder line slightly above the upper arm joints. Joints are found
// by motion/human.h. Throws std::invalid_argument for other names and for characters without the joint.
const std::vector<std::string>& attachment_sites();
float attach_height(const body::Skeleton& skeleton, std::string_view position);

// A mesh's own weights, for a skeleton with joints of the same names; nothing where a joint that it follows is missing.
std::optional<body::Skin> own_weights(body::Skin mesh, const body::Skeleton& from, const body::Skeleton& to);

// Fills garment.attachments with the region's vertices at their current positions. Weights are smoothed along
// edges. Throws std::invalid_argument if the region is empty or the whole garment.
void attach_region(Garment& garment, const Region& region, const body::Skin& skin);

}  // namespace billow::garment
