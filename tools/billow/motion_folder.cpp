#include "motion_folder.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <stdexcept>

#include "import/character.h"
#include "motion/retarget.h"
#include "motion_file.h"

namespace billow::tool {
namespace {

namespace fs = std::filesystem;

struct ReadFile {
  std::vector<FolderClip> clips;
  std::string error;
};

ReadFile read_motion_file(const fs::path& file, const body::Skeleton& skeleton) {
  ReadFile out;
  try {
    const importer::Character character = importer::read_character(file);
    if (character.clips.empty()) throw std::runtime_error(file.string() + ": expected a clip, found none");
    for (const motion::Clip& clip : character.clips) {
      const std::string suffix = character.clips.size() > 1 ? ":" + clip.name : "";
      FolderClip one{file.string() + suffix, {}};
      one.clip.clip = motion::retarget(character.skeleton, clip, skeleton);
      one.clip.clip.name = file.stem().string() + suffix;
      one.clip.subject = motion::subject_of_clip(file.stem().string());
      out.clips.push_back(std::move(one));
    }
  } catch (const std::exception& e) {
    // Readers name the file without its folder, or not at all.
    const std::string reason = e.what(), name = file.filename().string();
    out.error = reason.starts_with(file.string())
                    ? reason
                    : file.string() + (reason.starts_with(name) ? reason.substr(name.size()) : ": " + reason);
  }
  return out;
}

}  // namespace

std::vector<FolderClip> clips_in_folder(const std::string& folder, const body::Skeleton& skeleton,
                                        std::vector<std::string>& skipped) {
  if (!fs::is_directory(folder))
    throw std::runtime_error(folder + ": expected a folder of motion files, found " +
                             (fs::exists(folder) ? "a file" : "no such folder"));
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && motion_file_named(entry.path().string())) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<FolderClip> clips;
  for (const fs::path& file : files) {
    ReadFile read = read_motion_file(file, skeleton);
    if (!read.error.empty()) skipped.push_back(read.error);
    std::move(read.clips.begin(), read.clips.end(), std::back_inserter(clips));
  }
  if (clips.empty())
    throw std::runtime_error(
        folder + ": expected motion files (.bvh, .glb, .gltf, .fbx, .dae) that can be read, found " +
        (files.empty() ? "none" : "none of " + std::to_string(files.size()) + ": " + skipped.back()));
  return clips;
}

}  // namespace billow::tool
