// The words and numbers of a BVH file, with the line they stand on. Words are separated by blanks, tabs,
// commas and line ends of any kind; braces stand for themselves.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace billow::importer {

class BvhText {
 public:
  BvhText(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  // The next word in lower case. Throws at the end of the file.
  std::string lower_word();
  // Skips a word, whatever its case; throws if it is another.
  void expect(std::string_view word);
  // A finite number of at most 1e6 either way.
  float number();
  // A whole number from 0 to `most`.
  size_t count(size_t most, std::string_view of_what);
  // The rest of the line, up to a brace: names may have blanks.
  std::string name();
  bool at_end();
  size_t bytes_left() const { return text_.size() - at_; }

  // Throws std::runtime_error: "file.bvh:12: expected ..., found ...".
  [[noreturn]] void fail(std::string_view expected, std::string_view found) const;

 private:
  void skip_blanks();
  std::string_view word();

  std::string_view text_;
  std::string file_;
  size_t at_ = 0;
  size_t line_ = 1;
};

}  // namespace billow::importer
