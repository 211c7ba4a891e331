#include "same_garment.h"

#include <stdexcept>

namespace billow::tool {

void check_same_garment(const std::string& file, const garment::Garment& of_file, const std::string& data,
                        const garment::Garment& of_data) {
  constexpr float kSameRest = 1e-3f;  // m
  const auto fail = [&](const std::string& what, const std::string& expected, const std::string& found) {
    throw std::runtime_error(file + ": expected the garment of " + data + " with " + expected + " " + what +
                             ", found " + found);
  };
  const auto check = [&](const std::string& what, size_t expected, size_t found) {
    if (expected != found) fail(what, std::to_string(expected), std::to_string(found));
  };
  check("vertices", of_data.size(), of_file.size());
  check("bones", of_data.bones.size(), of_file.bones.size());
  for (size_t v = 0; v < of_data.size(); ++v)
    if (!(length(of_data.rest[v] - of_file.rest[v]) < kSameRest))
      fail("at rest", "vertex " + std::to_string(v),
           "it " + std::to_string(1000 * length(of_data.rest[v] - of_file.rest[v])) +
               " mm elsewhere: trained on another drape");
}

}  // namespace billow::tool
