// The HTML report of `billow figures`.
#include <cstdio>

#include "evaluate/page.h"
#include "research/figures/figures.h"

namespace billow::tool {
namespace {

using evaluate::escaped;
using evaluate::key_to_text;

constexpr const char* kHead = R"(<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Billow: the figures of the paper</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 1100px; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.6em; } h2 { font-size: 1.2em; margin-top: 2.5em; }
img { max-width: 100%; height: auto; border-radius: 4px; margin: .3em 0; }
table { border-collapse: collapse; font-size: 13px; margin: .6em 0; display: block; overflow-x: auto; }
th, td { padding: 3px 9px; text-align: right; border-bottom: 1px solid #e6e6e6; } th, td:first-child { text-align: left; font-weight: 500; }
.but { border-left: 3px solid #d9a13b; padding-left: .8em; } .missing { color: #777; }
</style>
<h1>The figures of the paper, made by Billow</h1>
<p>Each picture was made by <code>billow figures</code>, and the numbers below it are measured on what it shows; <code>NAME.json</code> beside this page has them too.</p>
)";

std::string number_text(const nlohmann::ordered_json& value) {
  if (!value.is_number_float()) return value.is_string() ? value.get<std::string>() : value.dump();
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value.get<double>());
  return text;
}

void add_row(std::string& out, const std::string& head, const nlohmann::ordered_json& values) {
  out += "<tr><td>" + escaped(key_to_text(head)) + "</td>";
  for (const auto& v : values) out += "<td>" + escaped(number_text(v)) + "</td>";
  out += "</tr>\n";
}

// Numbers become rows of key and value. Objects become rows of several values; consecutive objects with the
// same keys share a header row.
std::string table(const nlohmann::ordered_json& numbers) {
  std::string out = "<table>\n";
  std::vector<std::string> head;
  for (const auto& [key, value] : numbers.items()) {
    if (!value.is_object()) {
      add_row(out, key, nlohmann::ordered_json::array({value}));
      continue;
    }
    std::vector<std::string> keys;
    for (const auto& item : value.items()) keys.push_back(item.key());
    if (keys != head) {
      out += "<tr><th></th>";
      for (const std::string& k : keys) out += "<th>" + escaped(key_to_text(k)) + "</th>";
      out += "</tr>\n";
      head = keys;
    }
    add_row(out, key, value);
  }
  return out + "</table>\n";
}

}  // namespace

std::string figures_page(const std::vector<MadeFigure>& made) {
  std::string out = kHead;
  for (const MadeFigure& m : made) {
    out += "<h2 id=\"" + std::string(m.kind->name) + "\">" + escaped(m.kind->title) + "</h2>\n";
    if (!m.missing.empty()) {
      out += "<p class=\"missing\">Not made: " + escaped(m.missing) + "</p>\n";
      continue;
    }
    for (const std::string& p : m.figure.pictures)
      out += "<img src=\"" + escaped(p) + "\" alt=\"" + escaped(m.kind->title) + "\">\n";
    out += "<p>" + escaped(m.figure.shows) + "</p>\n";
    for (const std::string& line : m.figure.differs) out += "<p class=\"but\">" + escaped(line) + "</p>\n";
    if (!m.figure.numbers.empty()) out += table(m.figure.numbers);
  }
  return out + "</html>\n";
}

}  // namespace billow::tool
