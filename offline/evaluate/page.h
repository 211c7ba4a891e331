// Pieces of HTML pages.
#pragma once

#include <string>
#include <vector>

namespace billow::evaluate {

// Text with HTML's special characters escaped.
std::string escaped(const std::string& text);
// A number with a fixed number of digits after the decimal point.
std::string number(double value, int digits);
// A key as text: patch_floor becomes "patch floor".
std::string key_to_text(std::string key);
// A table of texts, which are escaped.
std::string html_table(const std::vector<std::string>& head,
                       const std::vector<std::vector<std::string>>& rows);

}  // namespace billow::evaluate
