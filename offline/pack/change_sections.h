// A garment file with some of its sections changed, and all others byte for byte as they were.
#pragma once

#include <billow/billow.h>

#include <string>
#include <vector>

#include "learn/blend_weights.h"

namespace billow::pack {

// Without the sections of these names; with these settings of its chains; with these weights for linear blend skinning in place of those
// that it may have (none: without any). Throws std::runtime_error for a file that is not sound, std::invalid_argument for weights that are not of its garment.
std::string changed_sections(const std::string& file, const std::vector<std::string>& without,
                             const billow_settings& settings, const std::vector<learn::BlendWeights>& blend);

}  // namespace billow::pack
