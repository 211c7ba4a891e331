#include "shipped.h"

#include <array>
#include <stdexcept>

namespace billow::tool {

namespace fs = std::filesystem;

namespace {

// The installed folder, and the folder in the source tree of the build.
std::array<fs::path, 2> garment_folders() {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
  return {program.parent_path() / "share/billow/garments", (program / "../../../assets").lexically_normal()};
}

}  // namespace

fs::path shipped_garment(const std::string& name) {
  for (const fs::path& folder : garment_folders()) {
    const fs::path file = folder / (name + ".billow");
    if (fs::is_regular_file(file)) return fs::canonical(file);
  }
  return {};
}

std::string garment_file(const std::string& given) {
  // A folder of that name, such as a data set, does not count as a garment file.
  if ((given != "cape" && given != "skirt") || (fs::exists(given) && !fs::is_directory(given))) return given;
  const fs::path shipped = shipped_garment(given);
  if (!shipped.empty()) return shipped.string();
  const auto folders = garment_folders();
  throw std::runtime_error(given + ": expected the garment that comes with Billow, found no " + given +
                           ".billow in " + folders[0].string() + " or " + folders[1].string());
}

}  // namespace billow::tool
