#include "evaluate/page.h"

#include <algorithm>
#include <cstdio>

namespace billow::evaluate {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string number(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value + 0.0);  // adding 0 turns -0 into 0
  return text;
}

std::string key_to_text(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

std::string html_table(const std::vector<std::string>& head,
                       const std::vector<std::vector<std::string>>& rows) {
  std::string out = "<table><tr>";
  for (const std::string& h : head) out += "<th>" + escaped(h) + "</th>";
  out += "</tr>\n";
  for (const auto& row : rows) {
    out += "<tr>";
    for (const std::string& c : row) out += "<td>" + escaped(c) + "</td>";
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

}  // namespace billow::evaluate
