#include "shipped.h"

namespace billow::tool {

namespace fs = std::filesystem;

fs::path shipped_garment(const std::string& name) {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& folder : {program / "../share/billow/garments", program / "../../../assets"}) {
    const fs::path file = folder / (name + ".billow");
    if (fs::is_regular_file(file)) return fs::canonical(file);
  }
  return {};
}

std::string garment_file(const std::string& given) {
  if ((given != "cape" && given != "skirt") || fs::exists(given)) return given;
  const fs::path shipped = shipped_garment(given);
  return shipped.empty() ? given : shipped.string();
}

}  // namespace billow::tool
