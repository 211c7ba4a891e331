// OBJ sequences: one file per frame, numbered without gaps.
#include <algorithm>
#include <charconv>
#include <optional>

#include "cache/formats.h"
#include "files/whole_file.h"
#include "import/character.h"

namespace billow::cache {
namespace {

namespace fs = std::filesystem;

// cape_####.obj and cape_%04d.obj: the name is prefix, number, suffix.
struct Pattern {
  fs::path folder;
  std::string prefix, suffix;
  size_t width = 1;  // minimum number of digits

  std::string name(uint64_t number) const {
    std::string digits = std::to_string(number);
    if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
    return prefix + digits + suffix;
  }
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<Pattern> pattern_of(const fs::path& path) {
  const std::string name = path.filename().string();
  Pattern out{path.parent_path(), "", "", 1};
  if (const size_t first = name.find('#'); first != std::string::npos) {
    const size_t end = std::min(name.find_first_not_of('#', first), name.size());
    out.prefix = name.substr(0, first), out.suffix = name.substr(end), out.width = end - first;
  } else if (const size_t percent = name.find('%'); percent != std::string::npos) {
    size_t at = percent + 1, width = 0;
    for (; at < name.size() && is_digit(name[at]) && width < 100; ++at)
      width = 10 * width + static_cast<size_t>(name[at] - '0');
    if (at >= name.size() || name[at] != 'd' || width > 18) return std::nullopt;
    out.prefix = name.substr(0, percent), out.suffix = name.substr(at + 1),
    out.width = std::max<size_t>(width, 1);
  } else {
    return std::nullopt;
  }
  return out;
}

// The frame number of a name that matches the pattern.
std::optional<uint64_t> match(const std::string& name, const Pattern& pattern) {
  const size_t affixes = pattern.prefix.size() + pattern.suffix.size();
  if (name.size() <= affixes || !name.starts_with(pattern.prefix) || !name.ends_with(pattern.suffix))
    return {};
  uint64_t number = 0;
  const char *first = name.data() + pattern.prefix.size(),
             *last = name.data() + name.size() - pattern.suffix.size();
  const auto [end, error] = std::from_chars(first, last, number);
  if (error != std::errc{} || end != last || pattern.name(number) != name) return {};
  return number;
}

struct Numbered {
  uint64_t number;
  fs::path path;
};

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code error;
  for (fs::directory_iterator at(folder.empty() ? "." : folder, error), end; !error && at != end;
       at.increment(error))
    out.push_back(folder / at->path().filename());
  if (error) fail("cannot read the folder ", folder.string(), ": ", error.message());
  std::sort(out.begin(), out.end());
  return out;
}

// The common pattern of the .obj files in a folder; the last digits of a name are its number.
Pattern find_pattern(const fs::path& folder) {
  std::optional<Pattern> found;
  fs::path example;
  for (const fs::path& path : files_in(folder)) {
    if (lower_extension(path) != ".obj") continue;
    const std::string stem = path.stem().string();
    size_t end = stem.size();
    while (end > 0 && !is_digit(stem[end - 1])) --end;
    size_t first = end;
    while (first > 0 && is_digit(stem[first - 1])) --first;
    if (first == end) fail(path.string(), ": expected a frame number in its name");
    const Pattern pattern{folder, stem.substr(0, first), stem.substr(end) + path.extension().string(),
                          end - first};
    if (found && (found->prefix != pattern.prefix || found->suffix != pattern.suffix))
      fail(folder.string(), ": expected one sequence, found ", example.filename().string(), " and ",
           path.filename().string(), "; choose by a pattern such as cape_####.obj");
    const size_t width = found ? std::min(found->width, pattern.width) : pattern.width;
    found = pattern, found->width = width, example = path;
  }
  if (!found) fail(folder.string(), ": expected .obj files, found none");
  // Skip no file silently, such as cape_2.obj among cape_01.obj and cape_03.obj.
  for (const fs::path& path : files_in(folder))
    if (lower_extension(path) == ".obj" && !match(path.filename().string(), *found))
      fail(path.string(), ": expected a number with ", found->width, " digits as in ",
           example.filename().string());
  return *found;
}

std::vector<Numbered> find_frames(const Pattern& pattern) {
  std::vector<Numbered> out;
  for (const fs::path& path : files_in(pattern.folder))
    if (const auto number = match(path.filename().string(), pattern)) out.push_back({*number, path});
  std::sort(out.begin(), out.end(), [](const Numbered& a, const Numbered& b) { return a.number < b.number; });
  return out;
}

class ObjReader : public Reader {
 public:
  explicit ObjReader(const fs::path& path) {
    path_ = path;
    info_.format = "OBJ sequence";
    std::string stem = path.stem().string();
    if (fs::is_directory(path) || is_pattern(path)) {
      uint64_t last = 0;
      const Pattern pattern = fs::is_directory(path) ? find_pattern(path) : *pattern_of(path);
      for (const Numbered& file : find_frames(pattern)) {
        if (!files_.empty() && file.number != last + 1)
          fail(path.string(), ": frame ", files_.size(), ": expected the file ", pattern.name(last + 1),
               ", found ", file.path.filename().string(), " next");
        files_.push_back(file.path), last = file.number;
      }
      if (files_.empty()) fail(path.string(), ": expected files of that pattern, found none");
      stem = pattern.prefix.substr(0, pattern.prefix.find_last_not_of("_-. ") + 1);
    } else {
      files_.push_back(path);
    }
    info_.name = stem.empty() ? "cache" : stem;
    info_.frames = files_.size();
    info_.topology = load(0).topology;
  }

 private:
  ObjMesh load(size_t frame) const { return parse_obj(importer::read_bytes(files_[frame]), file_of(frame)); }
  std::string file_of(size_t frame) const override { return files_[frame].string(); }

  void fetch(size_t frame, std::span<V3> positions) override {
    const ObjMesh mesh = load(frame);
    const std::string where = file_of(frame) + ": frame " + std::to_string(frame) + ": expected ";
    const std::string first = " as in " + files_[0].filename().string();
    if (mesh.positions.size() != positions.size())
      fail(where, positions.size(), " vertices", first, ", found ", mesh.positions.size());
    if (mesh.topology.triangles.size() != info_.topology.triangles.size())
      fail(where, info_.topology.triangles.size(), " triangles", first, ", found ",
           mesh.topology.triangles.size());
    if (mesh.topology.triangles != info_.topology.triangles)
      fail(where, "the same triangles", first, ", found others");
    std::copy(mesh.positions.begin(), mesh.positions.end(), positions.begin());
  }

  std::vector<fs::path> files_;
};

// All files are written under temporary names and renamed after the last.
class ObjWriter : public Writer {
  void begin() override {
    std::error_code error;
    if (is_pattern(path_)) {
      pattern_ = *pattern_of(path_);
    } else if (lower_extension(path_) == ".obj" && !fs::is_directory(path_, error)) {
      single_ = true;
    } else {
      created_folder_ = fs::create_directories(path_, error);
      if (!fs::is_directory(path_)) fail("cannot write ", path_.string(), ": not a folder");
      const fs::path named = fs::absolute(path_ / "").lexically_normal().parent_path();
      pattern_ = {path_, named.filename().string() + "_", ".obj", 4};
    }
    // Reject leftover frames of a longer cache, which readers would append to this one.
    if (!single_ && fs::is_directory(pattern_.folder.empty() ? "." : pattern_.folder))
      for (const Numbered& old : find_frames(pattern_))
        if (old.number < 1 || old.number > frames_)
          fail("cannot write ", path_.string(), ": expected no other frames there, found ",
               old.path.filename().string(), "; remove it or choose another name");
    constant_text_ = obj_uvs(topology_) + obj_faces(topology_);
  }
  void add(std::span<const V3> positions) override {
    outputs_.push_back(
        std::make_unique<files::AtomicFile>(single_ ? path_ : pattern_.folder / pattern_.name(written_ + 1)));
    outputs_.back()->write(obj_vertices(positions) + constant_text_);
    outputs_.back()->close();
  }
  void end() override {
    for (const auto& output : outputs_) output->commit();
  }

 public:
  ~ObjWriter() override {
    if (!created_folder_ || finished_) return;
    outputs_.clear();
    std::error_code ignored;
    fs::remove(path_, ignored);  // only if it is empty
  }

 private:
  Pattern pattern_;
  std::string constant_text_;  // UVs and faces, the same in all files
  bool single_ = false, created_folder_ = false;
  std::vector<std::unique_ptr<files::AtomicFile>> outputs_;
};

}  // namespace

bool is_pattern(const fs::path& path) {
  return lower_extension(path) == ".obj" && pattern_of(path).has_value();
}

std::unique_ptr<Reader> open_obj_sequence(const fs::path& path) { return std::make_unique<ObjReader>(path); }
std::unique_ptr<Writer> make_obj_writer() { return std::make_unique<ObjWriter>(); }

}  // namespace billow::cache
