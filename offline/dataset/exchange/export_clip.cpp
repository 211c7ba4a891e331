#include "dataset/exchange/export_clip.h"

#include <cstring>
#include <stdexcept>

#include "cache/cache.h"
#include "files/npy.h"
#include "garment/garment_file.h"

namespace billow::dataset {

size_t export_clip(const DatasetInfo& info, size_t clip, const std::filesystem::path& out,
                   const std::function<void(double)>& report) {
  if (clip >= info.clips.size())
    throw std::invalid_argument(info.folder.string() + ": expected a clip below " +
                                std::to_string(info.clips.size()) + ", found " + std::to_string(clip));
  const garment::Garment g =
      garment::read_garment_file(info.folder / "garment.json", info.character_body().skeleton);
  cache::Topology topology{g.size(), g.triangles, g.pattern_uvs, {}};
  if (!g.pattern_uvs.empty()) topology.uv_triangles = g.triangles;

  const std::filesystem::path file = info.clip_folder(clip) / "cloth.npy";
  const files::NpyMap cloth(file);
  const size_t frames = info.clips[clip].frames;
  if (cloth.shape() != std::vector<size_t>{frames, g.size(), 3})
    throw std::runtime_error(file.string() + ": expected " + std::to_string(frames) + " x " +
                             std::to_string(g.size()) + " x 3 values");
  const auto writer = cache::make_cache_writer(out, topology, info.frames_per_second, frames);
  std::vector<V3> places(g.size());
  for (size_t f = 0; f < frames; ++f) {
    std::memcpy(places.data(), cloth.row(f).data(), places.size() * sizeof(V3));
    writer->write(places);
    if (report) report(static_cast<double>(f + 1) / static_cast<double>(frames));
  }
  writer->finish();
  return frames;
}

}  // namespace billow::dataset
