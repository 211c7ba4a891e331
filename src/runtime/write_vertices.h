// The mesh of the last frame into a caller's buffers.
#pragma once

#include "runtime/instance.h"

namespace billow {

enum class Attribute { kPosition, kNormal, kTangent };

struct VertexOutput {
  Attribute attribute = Attribute::kPosition;
  bool halves = false;
  std::byte* out = nullptr;
  size_t stride = 0;                   // bytes from one vertex to the next
  const uint32_t* vertices = nullptr;  // null: all in their order
  uint32_t count = 0;                  // of vertices to write
  V3 origin{0, 0, 0};                  // of positions
};

// Components of a vertex.
constexpr size_t components_of(Attribute attribute) { return attribute == Attribute::kTangent ? 4 : 3; }

void write_vertices(const Instance& instance, const VertexOutput& output);

}  // namespace billow
