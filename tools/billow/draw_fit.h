// Pictures of how well colliders fit a character.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "body/skin.h"
#include "fit/fit_colliders.h"

namespace billow::tool {

// The resting skin bare and with its colliders, from three sides, and the colliders in some poses.
void draw_fitted_colliders(const body::Skeleton& skeleton, const body::Skin& skin,
                           std::span<const fit::NamedCollider> colliders, std::span<const body::Pose> poses,
                           const std::filesystem::path& file);

// The resting skin coloured by its distance from the zero set, with a scale.
void draw_fit_error(const body::Skeleton& skeleton, const body::Skin& skin,
                    const fit::ColliderFitError& error, const std::filesystem::path& file);

}  // namespace billow::tool
