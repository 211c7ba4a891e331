// A garment file that is being written: sections, and the texts that they share.
#pragma once

#include <string>
#include <vector>

#include "asset/format.h"

namespace billow::pack {

// Throws std::invalid_argument with what was expected, unless it is so.
void expect(bool right, const std::string& what);

class SectionFile {
 public:
  asset::Text text(const std::string& s);
  void add(const std::string& name, std::string bytes);
  template <class T> void add_records(const std::string& name, const std::vector<T>& records) {
    add(name, {reinterpret_cast<const char*>(records.data()), records.size() * sizeof(T)});
  }
  // All of it, with the table and its checksums.
  std::string finish();

 private:
  struct Named {
    std::string name, bytes;
  };
  std::string text_;
  std::vector<Named> sections_;
};

}  // namespace billow::pack
