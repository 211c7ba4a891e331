// A value of a JSON file with its path, so that what is wrong with it can be said:
// "accessors[3].count: expected a whole number from 0 to 100, found "many"".
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace billow::importer {

class JsonAt {
 public:
  JsonAt(const nlohmann::json& value, std::string path) : value_(&value), path_(std::move(path)) {}

  bool has(const std::string& key) const { return value_->is_object() && value_->contains(key); }
  // Throw std::runtime_error where the value is not of that kind.
  JsonAt at(const std::string& key) const;
  JsonAt at(size_t place) const;
  size_t size() const;  // of an array
  size_t index(size_t end) const;
  double number() const;  // finite, up to 1e9 either way
  std::vector<double> numbers(size_t count) const;
  std::string string() const;
  bool boolean() const;
  const nlohmann::json& raw() const { return *value_; }
  const std::string& path() const { return path_; }

  // With a default where the key is missing.
  size_t index_or(const std::string& key, size_t end, size_t otherwise) const {
    return has(key) ? at(key).index(end) : otherwise;
  }
  std::string string_or(const std::string& key, const std::string& otherwise) const {
    return has(key) ? at(key).string() : otherwise;
  }
  // An array's size, 0 where it is missing.
  size_t size_of(const std::string& key) const { return has(key) ? at(key).size() : 0; }

  [[noreturn]] void fail(const std::string& expected) const;

 private:
  const nlohmann::json* value_;
  std::string path_;
};

// A text as JSON: each key of an object once, values at most 8 deep in each other. Throws std::runtime_error.
nlohmann::json parse_strictly(std::string_view text);
// Throws std::runtime_error where the value is no object or has other keys than these.
void expect_keys(const JsonAt& at, const std::set<std::string>& known);

}  // namespace billow::importer
