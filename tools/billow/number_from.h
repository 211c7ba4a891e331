// A range check for numeric options.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace billow::tool {

// Accepts numbers from `low` to `high`. Unlike CLI::Range, it rejects "nan".
inline CLI::Validator number_from(double low, double high) {
  const auto check = [low, high](const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (!text.empty() && *end == 0 && value >= low && value <= high) return std::string();
    char message[128];
    std::snprintf(message, sizeof message, "expected a number from %g to %g, found ", low, high);
    return message + text;
  };
  char range[64];
  std::snprintf(range, sizeof range, "%g to %g", low, high);
  return {check, range};
}

}  // namespace billow::tool
