// Where a garment is attached to its character: which of its vertices, and which joints they follow.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "body/skin.h"
#include "garment/garment.h"
#include "garment/mesh_file.h"

namespace billow::garment {

// Follows the skin that is nearest.
Attachment attach(const body::Skin& skin, uint32_t vertex, V3 place);

// Neighbours on a seam are nearest to different vertices of the skin: evens their weights out, so that they are not
// torn apart where the skin's change. `neighbours`: places in `attachments`, one list each.
void smooth_weights(std::span<Attachment> attachments, size_t joints,
                    const std::vector<std::vector<uint32_t>>& neighbours);

// The vertices of a region, one bit a vertex. All throw std::invalid_argument where there is none, with what there
// is.
using Region = std::vector<bool>;
Region region_of_group(const GarmentMesh& mesh, std::string_view name);
Region region_of_material(const GarmentMesh& mesh, std::string_view name);
Region region_above(const GarmentMesh& mesh, float height);
// Vertices within `reach` of skin that follows the joint more than any other.
Region region_near_joint(const GarmentMesh& mesh, const body::Skeleton& skeleton, const body::Skin& skin,
                         std::string_view joint, float reach = 0.05f);

// "waist", "neck" or "shoulders": the height from which a garment that hangs from there is attached. Everything
// above it is: what a dress has above the waist lies close. The waist is a little above the lowest joint of the
// spine, the neckline a little below the neck, the shoulders' line a little above the joints of the upper arms.
// Joints are found as motion/human.h finds them. Throws std::invalid_argument for other names and for characters that
// lack the joint.
const std::vector<std::string>& attach_places();
float attach_height(const body::Skeleton& skeleton, std::string_view place);

// Sews the region's vertices to the character where they are: fills garment.attachments. Weights are smoothed along the
// garment's edges. Throws std::invalid_argument where the region is empty or the whole garment.
void sew_on(Garment& garment, const Region& region, const body::Skin& skin);

}  // namespace billow::garment
