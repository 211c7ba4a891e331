// A JSON value with its path, for error messages such as
// "accessors[3].count: expected an integer from 0 to 100, found "many"".
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
  // The accessors throw std::runtime_error if the value has another type or is out of range.
  JsonAt at(const std::string& key) const;
  JsonAt at(size_t index) const;
  size_t size() const;             // of an array
  size_t index(size_t end) const;  // an integer from 0 to end - 1
  double number() const;           // finite, from -1e9 to 1e9
  std::vector<double> numbers(size_t count) const;
  std::string string() const;
  bool boolean() const;
  const nlohmann::json& raw() const { return *value_; }
  const std::string& path() const { return path_; }

  // With a default for a missing key.
  size_t index_or(const std::string& key, size_t end, size_t fallback) const {
    return has(key) ? at(key).index(end) : fallback;
  }
  std::string string_or(const std::string& key, const std::string& fallback) const {
    return has(key) ? at(key).string() : fallback;
  }
  // The size of an array; 0 if the key is missing.
  size_t size_of(const std::string& key) const { return has(key) ? at(key).size() : 0; }

  [[noreturn]] void fail(const std::string& expected) const;

 private:
  const nlohmann::json* value_;
  std::string path_;
};

// Parses JSON; rejects duplicate keys and more than 8 levels of nesting. Throws std::runtime_error.
nlohmann::json parse_strictly(std::string_view text);
// Throws std::runtime_error if the value is not an object or has a key that is not listed.
void expect_keys(const JsonAt& at, const std::set<std::string>& known);

}  // namespace billow::importer
