// What a garment learnt, in one of two forms: by patches around its bones, or the paper's, two bases of the whole cloth.
#pragma once

#include <variant>

#include "learn/model.h"
#include "learn/patch_model.h"

namespace billow::learn {

using ClothModel = std::variant<PatchModel, Model>;

}  // namespace billow::learn
