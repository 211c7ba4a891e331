// `billow dataset export`: exports the cloth of a clip as a mesh cache for other tools.
#include <cstdio>
#include <memory>

#include "dataset/exchange/caches.h"
#include "dataset_exchange.h"
#include "files.h"
#include "progress.h"

namespace billow::tool {
namespace {

struct DatasetExportOptions {
  std::string folder, out;
  size_t clip = 0;
};

void export_clip(const DatasetExportOptions& o) {
  const dataset::DatasetInfo info = dataset::read_dataset(o.folder);
  const std::filesystem::path out = o.out;
  if (out.has_parent_path()) make_folder(out.parent_path());
  Progress progress("exporting");
  const size_t frames = dataset::export_clip(info, o.clip, out, [&](double share) { progress(share); });
  std::printf("%s: %s, %zu frames of %zu vertices at %g a second\n", o.out.c_str(),
              info.clips[o.clip].name.c_str(), frames, info.vertices, info.frames_per_second);
}

}  // namespace

void add_dataset_export(CLI::App* command) {
  auto o = std::make_shared<DatasetExportOptions>();
  CLI::App* export_command =
      command->add_subcommand("export", "Export the cloth of a clip as a cache for other tools");
  export_command->add_option("folder", o->folder, "Folder of the data set")->required();
  export_command->add_option("--clip", o->clip, "Index of the clip, from 0")->capture_default_str();
  export_command
      ->add_option("-o,--out", o->out,
                   "Cache to write: a .pc2, .mdd, .glb, .gltf or .usda file, a folder for .obj files, or "
                   "cape_####.obj")
      ->required();
  export_command->footer(
      "Metres, y up. The mesh for PC2 and MDD is garment_mesh.obj in the data set's folder.\n\n"
      "Examples\n"
      "  billow dataset export data/cape --clip 3 -o cape_3.pc2\n"
      "  billow dataset export data/cape --clip 3 -o 'cape_3/cape_####.obj'\n");
  export_command->callback([o] { export_clip(*o); });
}

}  // namespace billow::tool
