// The report as an HTML page and as tables for a terminal.
#include <algorithm>
#include <cmath>

#include "evaluate/page.h"
#include "evaluate/report.h"

namespace billow::evaluate {
namespace {

// A description of the model's size.
std::string components_of(const Report& r) {
  if (r.patches > 0)
    return std::to_string(r.patches) + " patches of " + std::to_string(r.patch_components) + " components";
  return std::to_string(r.skinning_components) + " + " + std::to_string(r.shape_components) + " components";
}

// A figure of one column of the product's table.
std::string product_cell(const FigureRow& row, const ClothFigures& f, const char* none) {
  return std::isfinite(f.*row.value) ? number(f.*row.value, row.digits) : none;
}

bool is_measured(const FigureRow& row, const JudgedSet& set) { return std::isfinite(set.product.*row.value); }

std::string title_of(const Judgement& product, const JudgedSet& set) {
  std::string title = set.name == "captured_test" ? "captured motion never trained on" : "unseen clips";
  title += ", " + number(set.product.clips, 0) + (set.product.clips > 1 ? " clips, " : " clip, ") +
           number(set.product.frames, 0) + " frames at " + number(product.rate, 0) + " Hz";
  return title;
}

std::string product_tables(const Judgement& product) {
  std::string out;
  for (const JudgedSet& set : product.sets) {
    std::vector<std::vector<std::string>> rows;
    for (const FigureRow& row : figure_rows())
      if (is_measured(row, set))
        rows.push_back({row.label, product_cell(row, set.product, "–"),
                        row.relative ? "–" : product_cell(row, set.reference, "–"),
                        set.has_floor ? product_cell(row, set.floor, "–") : "–"});
    out += "<h3>" + escaped(title_of(product, set)) + "</h3>\n" +
           html_table({"", "product", "reference", "floor"}, rows);
  }
  return out;
}

constexpr const char* kStyle = R"(
body { font: 15px/1.45 system-ui, sans-serif; color: #222; background: #fff; max-width: 980px; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin-top: 2em; }
table { border-collapse: collapse; font-size: 13px; margin: .6em 0 1.4em; }
th, td { padding: 3px 9px; text-align: right; border-bottom: 1px solid #e6e6e6; } th:first-child, td:first-child { text-align: left; }
p.note { color: #555; })";

constexpr int kFirstColumn = 28, kColumn = 12;

std::string cell(const std::string& text) {
  const size_t width = kColumn;
  return text.size() < width ? std::string(width - text.size(), ' ') + text : " " + text;
}

}  // namespace

std::string to_text(const Judgement& product) {
  std::string out;
  const auto line = [&](std::string label, const std::string& a, const std::string& b, const std::string& c) {
    label.resize(std::max<size_t>(label.size(), kFirstColumn), ' ');
    out += label + cell(a) + cell(b) + cell(c) + '\n';
  };
  for (const JudgedSet& set : product.sets) {
    out += '\n';
    line("the product", "product", "reference", "floor");
    for (const FigureRow& row : figure_rows())
      if (is_measured(row, set))
        line(std::string("  ") + row.label, product_cell(row, set.product, "-"),
             row.relative ? "-" : product_cell(row, set.reference, "-"),
             set.has_floor ? product_cell(row, set.floor, "-") : "-");
    out += "  (" + title_of(product, set) + ")\n";
  }
  if (product.unusable > 0)
    out += "  left out: " + std::to_string(product.unusable) +
           " unseen clips whose reference is torn, caught or tangled\n";
  return out;
}

std::string to_text(const Report& r) {
  std::string out = r.garment + ": " + std::to_string(r.vertices) + " vertices, " + std::to_string(r.bones) +
                    " bones, " + components_of(r) + "\n";
  if (r.product) out += to_text(*r.product);
  if (r.comparison) out += r.comparison->text;
  return out;
}

std::string to_html(const Report& r) {
  const std::string title = "Evaluation of " + escaped(r.garment);
  std::string out = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + title +
                    "</title><style>" + kStyle + (r.comparison ? r.comparison->style : "") +
                    "</style></head><body>\n<h1>" + title + "</h1>\n<p class=\"note\">" +
                    std::to_string(r.vertices) + " vertices, " + std::to_string(r.bones) + " bones, " +
                    components_of(r) + ". docs/evaluation.md says what each number means.</p>\n";
  if (r.product) out += "<h2>Product</h2>\n" + product_tables(*r.product);
  if (r.comparison) out += r.comparison->html;
  return out + "</body></html>\n";
}

}  // namespace billow::evaluate
