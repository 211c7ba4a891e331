// Places as NumPy's arrays.
#include "files/npy.h"

#include <cmath>
#include <cstring>
#include <stdexcept>

#include "files/whole_file.h"
#include "garment/garment_file.h"

namespace billow::garment {

static_assert(sizeof(V3) == 12);

std::string places_to_npy(std::span<const V3> places) {
  std::string out = files::npy_header("(" + std::to_string(places.size()) + ", 3), ");
  out.append(reinterpret_cast<const char*>(places.data()), sizeof(V3) * places.size());
  return out;
}

NpyPlaces places_from_npy(std::string_view bytes) {
  const files::NpyLayout layout = files::npy_layout(bytes);
  NpyPlaces out{layout.shape, {}};
  if ((out.shape.size() != 2 && out.shape.size() != 3) || out.shape.back() != 3)
    throw std::runtime_error("expected the shape (n, 3) or (frames, n, 3)");
  out.places.resize(layout.count / 3);
  if (layout.count > 0) std::memcpy(out.places.data(), bytes.data() + layout.start, 4 * layout.count);
  for (size_t v = 0; v < out.places.size(); ++v)
    if (const V3 p = out.places[v]; !std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z))
      throw std::runtime_error("place " + std::to_string(v) + " is not finite");
  return out;
}

NpyPlaces read_npy_places(const std::filesystem::path& path) {
  const std::string bytes = files::read_whole_file(path, size_t{8} << 30);
  try {
    return places_from_npy(bytes);
  } catch (const std::runtime_error& e) {
    throw std::runtime_error(path.string() + ": " + e.what());
  }
}

}  // namespace billow::garment
