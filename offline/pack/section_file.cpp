#include "pack/section_file.h"

#include <cstring>
#include <stdexcept>

namespace billow::pack {

using namespace asset;

void expect(bool right, const std::string& what) {
  if (!right) throw std::invalid_argument("garment file: " + what);
}

Text SectionFile::text(const std::string& s) {
  const Text t{static_cast<uint32_t>(text_.size()), static_cast<uint32_t>(s.size())};
  text_ += s;
  return t;
}

void SectionFile::add(const std::string& name, std::string bytes) {
  expect(!name.empty() && name.size() < sizeof(Section::name),
         "section '" + name + "': expected a name of 1 to 31 letters");
  sections_.push_back({name, std::move(bytes)});
}

std::string SectionFile::finish() {
  add("text", text_);
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = kVersion;
  header.section_count = static_cast<uint32_t>(sections_.size());
  std::vector<Section> table(sections_.size(), Section{});
  uint64_t end = sizeof(Header) + table.size() * sizeof(Section);
  std::string body;
  for (size_t i = 0; i < table.size(); ++i) {
    const std::string& bytes = sections_[i].bytes;
    std::memcpy(table[i].name, sections_[i].name.data(), sections_[i].name.size());
    table[i].offset = round_up(end);
    table[i].size = bytes.size();
    table[i].checksum = checksum(bytes.data(), bytes.size());
    body.append(table[i].offset - end, '\0');
    body += bytes;
    end = table[i].offset + bytes.size();
  }
  header.file_size = end;
  const uint64_t sums[2] = {checksum(&header, sizeof header),
                            checksum(table.data(), table.size() * sizeof(Section))};
  header.checksum = checksum(sums, sizeof sums);
  std::string out(reinterpret_cast<const char*>(&header), sizeof header);
  out.append(reinterpret_cast<const char*>(table.data()), table.size() * sizeof(Section));
  return out + body;
}

}  // namespace billow::pack
