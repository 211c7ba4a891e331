// Pictures of the fit of colliders to a character's skin.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "body/skin.h"
#include "fit/fit_colliders.h"

namespace billow::tool {

// Draws the skin at rest without and with colliders and the colliders' zero set, each from three sides, and
// the colliders in up to three poses.
void draw_fitted_colliders(const body::Skeleton& skeleton, const body::Skin& skin,
                           std::span<const fit::NamedCollider> colliders, std::span<const body::Pose> poses,
                           const std::filesystem::path& file);

// Draws the skin at rest, coloured by its distance from the zero set, with a colour scale.
void draw_fit_error(const body::Skeleton& skeleton, const body::Skin& skin,
                    const fit::ColliderFitError& error, const std::filesystem::path& file);

}  // namespace billow::tool
