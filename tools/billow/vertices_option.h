// The --vertices option of commands that make a built-in garment.
#pragma once

#include <CLI/CLI.hpp>

#include "garment/tailor.h"

namespace billow::tool {

inline void add_vertices_option(CLI::App& command, size_t& vertices) {
  std::string help = "Number of vertices; default:";
  for (const garment::BuiltIn& b : garment::built_in_garments())
    help += (&b == &garment::built_in_garments().front() ? " " : ", ") + std::to_string(b.vertices) + " (" +
            b.name + ")";
  command.add_option("--vertices", vertices, help)
      ->check(CLI::Range(garment::kMinVertices, garment::kMaxVertices));
}

}  // namespace billow::tool
