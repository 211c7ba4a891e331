#include "import/bvh_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace billow::importer {
namespace {

constexpr size_t kLongestName = 128;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == ',' || c == '\n' || c == '\r' || c == '\f'; }
bool is_brace(char c) { return c == '{' || c == '}'; }

std::string lower(std::string_view word) {
  std::string out(word);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// A word as it may be shown: short, and in printable letters.
std::string shown(std::string_view word) {
  std::string out;
  for (const char c : word.substr(0, 40)) out += std::isprint(static_cast<unsigned char>(c)) ? c : '?';
  return "'" + out + (word.size() > 40 ? "..." : "") + "'";
}

}  // namespace

void BvhText::fail(std::string_view expected, std::string_view found) const {
  throw std::runtime_error(file_ + ":" + std::to_string(line_) + ": expected " + std::string(expected) +
                           ", found " + std::string(found));
}

void BvhText::skip_blanks() {
  for (; at_ < text_.size() && is_blank(text_[at_]); ++at_) {
    // Count ends of lines of any kind: \n, \r\n, \r.
    const bool windows = text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n';
    if (text_[at_] == '\n' || (text_[at_] == '\r' && !windows)) ++line_;
  }
}

std::string_view BvhText::word() {
  skip_blanks();
  const size_t start = at_;
  while (at_ < text_.size() && !is_blank(text_[at_]) && !is_brace(text_[at_])) ++at_;
  if (at_ == start && at_ < text_.size()) ++at_;  // a brace
  return text_.substr(start, at_ - start);
}

std::string BvhText::lower_word() {
  const std::string_view found = word();
  if (found.empty()) fail("more", "the end of the file");
  return lower(found);
}

void BvhText::expect(std::string_view expected) {
  const std::string_view found = word();
  if (lower(found) != lower(expected))
    fail("'" + std::string(expected) + "'", found.empty() ? "the end of the file" : shown(found));
}

bool BvhText::at_end() {
  skip_blanks();
  return at_ == text_.size();
}

float BvhText::number() {
  std::string_view found = word();
  if (found.empty()) fail("a number", "the end of the file");
  const std::string_view digits = found.substr(found.size() > 1 && found[0] == '+' ? 1 : 0);
  float value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  // What is too small for a float is 0.
  if (error == std::errc::result_out_of_range && end == digits.data() + digits.size()) {
    double wide = 0;
    if (std::from_chars(digits.data(), end, wide).ec == std::errc{} && std::fabs(wide) < 1) return 0;
  }
  if (error != std::errc{} || end != digits.data() + digits.size()) fail("a number", shown(found));
  if (!std::isfinite(value) || std::fabs(value) > 1e6f) fail("a number from -1e6 to 1e6", shown(found));
  return value;
}

size_t BvhText::count(size_t most, std::string_view of_what) {
  const std::string_view found = word();
  size_t value = 0;
  const auto [end, error] = std::from_chars(found.data(), found.data() + found.size(), value);
  if (found.empty() || error != std::errc{} || end != found.data() + found.size() || value > most)
    fail("0 to " + std::to_string(most) + " " + std::string(of_what),
         found.empty() ? "the end of the file" : shown(found));
  return value;
}

std::string BvhText::name() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  const size_t start = at_;
  while (at_ < text_.size() && !is_brace(text_[at_]) && text_[at_] != '\n' && text_[at_] != '\r') ++at_;
  std::string_view found = text_.substr(start, at_ - start);
  while (!found.empty() && is_blank(found.back())) found.remove_suffix(1);
  if (found.empty()) fail("a name", "none");
  if (found.size() > kLongestName) fail("a name of at most 128 letters", shown(found));
  return std::string(found);
}

}  // namespace billow::importer
