#include "dataset/folder.h"

#include <stdexcept>
#include <utility>

#include "files/whole_file.h"

namespace billow::dataset {

namespace fs = std::filesystem;

std::string clip_name(size_t number) {
  std::string name = std::to_string(number);
  return name.size() < 4 ? std::string(4 - name.size(), '0') + name : name;
}

std::string hex(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + '"';
}

std::string head_text(const std::string& head) { return "{\n" + head + "\n}\n"; }

void claim_folder(const fs::path& folder, const std::string& head) {
  fs::create_directories(folder / "clips");
  fs::create_directories(folder / "chaos");
  const fs::path file = folder / "head.json";
  const std::string text = head_text(head);
  if (!fs::exists(file)) {
    files::write_whole_file(file, text);
  } else if (const std::string found = files::read_whole_file(file); found != text) {
    throw std::invalid_argument(
        folder.string() + ": this folder holds another data set; choose another one, or remove " +
        file.string() + " and what is beside it. Expected:\n" + text + "found:\n" + found);
  }
}

void write_manifest(const fs::path& folder, const std::string& head_text, size_t clips) {
  std::string out = head_text.substr(0, head_text.find_last_of('}'));
  out.resize(out.find_last_not_of("\n") + 1);
  out += ",\n\"clips\": [\n";
  for (size_t c = 0; c < clips; ++c)
    out += (c > 0 ? ",\n" : "") + files::read_whole_file(folder / "clips" / clip_name(c) / "clip.json");
  out += "\n],\n\"chaos\": [\n";
  bool first = true;
  for (size_t c = 0; c < clips; ++c)
    if (const fs::path file = folder / "chaos" / (clip_name(c) + ".json"); fs::exists(file))
      out +=
          std::exchange(first, false) ? files::read_whole_file(file) : ",\n" + files::read_whole_file(file);
  files::write_whole_file(folder / "manifest.json", out + "\n]\n}\n");
}

}  // namespace billow::dataset
