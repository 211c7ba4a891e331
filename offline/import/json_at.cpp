#include "import/json_at.h"

#include <cmath>
#include <stdexcept>

namespace billow::importer {

void JsonAt::fail(const std::string& expected) const {
  std::string found = value_->is_structured()
                          ? std::string(value_->type_name()) + " of " + std::to_string(value_->size())
                          : value_->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  if (found.size() > 60) found = found.substr(0, 60) + "...";
  throw std::runtime_error((path_.empty() ? "" : path_ + ": ") + "expected " + expected + ", found " + found);
}

JsonAt JsonAt::at(const std::string& key) const {
  if (!has(key)) fail("an object with '" + key + "'");
  return {(*value_)[key], path_.empty() ? key : path_ + "." + key};
}

JsonAt JsonAt::at(size_t index) const {
  if (index >= size()) fail("more than " + std::to_string(index) + " entries");
  return {(*value_)[index], path_ + "[" + std::to_string(index) + "]"};
}

size_t JsonAt::size() const {
  if (!value_->is_array()) fail("an array");
  return value_->size();
}

size_t JsonAt::index(size_t end) const {
  const std::string expected =
      end == 0 ? "no index into an empty list" : "an integer from 0 to " + std::to_string(end - 1);
  if (!value_->is_number_unsigned() || value_->get<uint64_t>() >= end) fail(expected);
  return value_->get<size_t>();
}

double JsonAt::number() const {
  if (!value_->is_number()) fail("a number");
  const double number = value_->get<double>();
  if (!std::isfinite(number) || std::fabs(number) > 1e9) fail("a number from -1e9 to 1e9");
  return number;
}

std::vector<double> JsonAt::numbers(size_t count) const {
  if (size() != count) fail(std::to_string(count) + " numbers");
  std::vector<double> out;
  for (size_t k = 0; k < count; ++k) out.push_back(at(k).number());
  return out;
}

std::string JsonAt::string() const {
  if (!value_->is_string()) fail("a string");
  return value_->get<std::string>();
}

bool JsonAt::boolean() const {
  if (!value_->is_boolean()) fail("true or false");
  return value_->get<bool>();
}

nlohmann::json parse_strictly(std::string_view text) {
  constexpr int kMaxNesting = 8;
  std::vector<std::set<std::string>> keys;
  const auto check_event = [&](int depth, nlohmann::json::parse_event_t event, nlohmann::json& value) {
    using Event = nlohmann::json::parse_event_t;
    if (depth > kMaxNesting)
      throw std::runtime_error("expected at most " + std::to_string(kMaxNesting) +
                               " levels of nesting, found more");
    if (event == Event::object_start) {
      keys.resize(static_cast<size_t>(depth) + 1);
      keys.emplace_back();
    }
    if (event == Event::key && !keys[static_cast<size_t>(depth)].insert(value.get<std::string>()).second)
      throw std::runtime_error("expected each key once, found '" + value.get<std::string>() + "' again");
    return true;
  };
  try {
    return nlohmann::json::parse(text.begin(), text.end(), check_event);
  } catch (const nlohmann::json::exception& e) {
    throw std::runtime_error(std::string("expected JSON: ") + e.what());
  }
}

void expect_keys(const JsonAt& at, const std::set<std::string>& known) {
  if (!at.raw().is_object()) at.fail("an object");
  for (const auto& [key, value] : at.raw().items()) {
    if (known.count(key) > 0) continue;
    std::string names;
    for (const std::string& k : known) names += (names.empty() ? "" : ", ") + k;
    throw std::runtime_error((at.path().empty() ? "" : at.path() + ": ") + "expected only " + names +
                             ", found '" + key.substr(0, 60) + "'");
  }
}

}  // namespace billow::importer
