// The report as an HTML page and as tables for a terminal.
#include <algorithm>
#include <cmath>

#include "evaluate/report.h"
#include "evaluate/svg.h"

namespace billow::evaluate {
namespace {

// A key as text: patch_floor becomes "patch floor".
std::string key_to_text(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

// A description of the model's size.
std::string components_of(const Report& r) {
  if (r.patches > 0)
    return std::to_string(r.patches) + " patches of " + std::to_string(r.patch_components) + " components";
  return std::to_string(r.skinning_components) + " + " + std::to_string(r.shape_components) + " components";
}

// ---- HTML

constexpr const char* kStyle = R"(
body { font: 15px/1.45 system-ui, sans-serif; color: #222; background: #fff; max-width: 980px; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin-top: 2em; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(420px, 1fr)); gap: 1.5em; }
svg { width: 100%; font: 11px system-ui, sans-serif; fill: #444; }
svg .title { font-size: 13px; font-weight: 600; fill: #222; }
.grid { stroke: #e4e4e4; } .mark { stroke: #bbb; stroke-dasharray: 3 3; } .line { fill: none; stroke-width: 1.6; }
table { border-collapse: collapse; font-size: 13px; margin: .6em 0 1.4em; }
th, td { padding: 3px 9px; text-align: right; border-bottom: 1px solid #e6e6e6; } th:first-child, td:first-child { text-align: left; }
p.note { color: #555; })";

enum Colour : size_t { kOurs, kRope, kFloor, kSkinning, kOther };
size_t colour_of(size_t source) { return source == 0 ? kOurs : source == 1 ? kRope : kOther + source; }

std::string table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows) {
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

std::string error_bars(const Report& r, size_t set) {
  std::vector<Bar> out;
  const auto add = [&](const std::string& name, const Measured& m, size_t colour) {
    out.push_back({name, m.sets[set].rmse_mm, colour});
  };
  for (const Named& floor : r.floors) add(key_to_text(floor.name), floor.measured, kFloor);
  for (size_t i = 0; i < r.sources.size(); ++i) {
    add(r.sources[i].name + " bones", r.sources[i].measured, colour_of(i));
    add(r.skinning_only[i].name + ", skinning", r.skinning_only[i].measured, kSkinning);
  }
  for (const Named& b : r.baselines) add(b.name, b.measured, kOther);
  return bars("RMSE, " + std::string(kSetNames[set]), "mm", out, 1);
}

std::string percentile_lines(const Report& r, size_t set) {
  std::vector<Line> out;
  for (size_t i = 0; i < r.sources.size(); ++i) {
    Line line{r.sources[i].name, {}, {}, colour_of(i)};
    for (size_t k = 0; k < kPercentiles; ++k) {
      line.x.push_back(k + 1 < kPercentiles ? 5.0 * static_cast<double>(k + 1) : 99.0);
      line.y.push_back(r.sources[i].measured.sets[set].percentiles_mm[k]);
    }
    out.push_back(line);
  }
  return lines("Error by percentile, " + std::string(kSetNames[set]), {"% of vertices", "mm"}, out);
}

// The error of every frame of the unseen clips.
std::string unseen_lines(const Report& r) {
  std::vector<Line> out;
  Axes axes{"frame of the unseen clips, one after the other", "RMSE, mm"};
  for (size_t i = 0; i < r.sources.size(); ++i) {
    Line line{r.sources[i].name, {}, {}, colour_of(i)};
    double at = 0;
    for (const auto& [begin, end] : r.unseen_clips) {
      if (i == 0 && at > 0) axes.marks.push_back(at);
      for (uint32_t f = begin; f < end; ++f, ++at) {
        line.x.push_back(at);
        line.y.push_back(static_cast<double>(r.sources[i].measured.frame_rmse_mm[f]));
      }
    }
    out.push_back(line);
  }
  return lines("Error in time", axes, out);
}

std::string spectrum(const Report& r) {
  std::vector<Line> out;
  for (const Spectrum& s : r.spectra) {
    Line line{s.name, {}, {}, out.empty() ? kSkinning : kOurs};
    for (Eigen::Index k = 0; k < s.deviation.size(); ++k) {
      line.x.push_back(static_cast<double>(k + 1));
      line.y.push_back(1000 * static_cast<double>(s.deviation[k]) /
                       std::sqrt(static_cast<double>(r.vertices)));
    }
    out.push_back(line);
  }
  return lines("RMS vertex displacement per component", {"component", "mm", true}, out);
}

std::string penetration_bars(const Report& r, size_t set) {
  std::vector<Bar> out;
  for (size_t i = 0; i < r.sources.size(); ++i) {
    const Figures& f = r.sources[i].measured.sets[set];
    for (size_t k = 0; k < kDepths.size(); ++k)
      out.push_back(
          {r.sources[i].name + ", under " + number(-1000.0 * static_cast<double>(kDepths[k]), 0) + " mm",
           f.penetration.vertices[k], colour_of(i)});
    out.push_back({r.sources[i].name + ", pushed out", f.pushed_out.vertices[0], kFloor});
  }
  return bars("Vertices in the body, " + std::string(kSetNames[set]), "%", out, 3);
}

std::string figures_table(const Report& r, const std::vector<Named>& sources, const Measured* reference) {
  const auto if_measured = [](bool measured, double value, int digits) {
    return measured ? number(value, digits) : "–";
  };
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const std::string& name, const Measured& m) {
    for (size_t s = 0; s < kSets.size(); ++s) {
      const Figures& f = m.sets[s];
      if (f.frames == 0) continue;
      rows.push_back({name + ", " + kSetNames[s], number(f.rmse_mm, 1), number(f.p95_mm, 1),
                      number(f.max_mm, 0), if_measured(r.with_surfaces, f.hausdorff_mm, 0),
                      if_measured(r.with_surfaces, f.chamfer_mm, 1), if_measured(r.with_sted, f.sted, 4),
                      number(f.strain_mean, 2), number(f.strain_p99, 1), number(f.penetration.vertices[1], 3),
                      number(f.penetration.deepest_mm, 1), number(f.pushed_out.vertices[1], 3),
                      number(f.liveliness.velocity_energy, 2), number(f.liveliness.acceleration_energy, 2)});
    }
  };
  for (const Named& s : sources) add(s.name, s.measured);
  if (reference) add("reference", *reference);
  return table({"bones, set", "RMSE mm", "p95", "max", "Hausdorff", "Chamfer", "STED", "strain %", "p99",
                "inside 1 mm %", "deepest mm", "pushed out %", "speed", "acceleration"},
               rows);
}

std::string distance_table(const Report& r) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const std::string& name, const Measured& m) {
    rows.push_back({name});
    for (const Figures& f : m.sets) rows.back().push_back(f.frames > 0 ? number(f.rmse_mm, 1) : "–");
  };
  for (const Named& s : r.sources) add(s.name + " bones", s.measured);
  for (const Named& s : r.skinning_only) add(s.name + " bones, skinning only", s.measured);
  for (const Named& floor : r.floors) add(key_to_text(floor.name), floor.measured);
  for (const Named& b : r.baselines) add(b.name, b.measured);
  for (const Named& b : r.rope_baselines) add(b.name + ", rope bones", b.measured);
  std::vector<std::string> head{"RMSE, mm"};
  head.insert(head.end(), kSetNames.begin(), kSetNames.end());
  return table(head, rows);
}

// Holdout and unseen, if they have frames: zeros of an empty set would look perfect.
std::vector<size_t> plotted_sets(const Report& r) {
  std::vector<size_t> sets;
  for (const size_t set : {size_t{2}, size_t{3}})
    if (r.truth.sets[set].frames > 0) sets.push_back(set);
  return sets;
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
           table({"", "product", "reference", "floor"}, rows);
  }
  return out;
}

// The gaps on unseen clips, measured as the chaos floor is, then on each set.
std::string gap_table(const Report& r) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const std::string& name, const RopeGap& g) {
    rows.push_back({name, number(g.rms_mm, 1), number(g.mean_mm, 1), number(g.tips_mm, 1),
                    number(g.bias_mm, 1), number(g.swing_mm, 1), number(g.chain_to_chain_mm, 1),
                    g.chaos_floor_mm > 0 ? number(g.chaos_floor_mm, 1) : "–",
                    g.ratio > 0 ? number(g.ratio, 2) : "–"});
  };
  for (const BoneGap& gap : r.gaps) {
    if (gap.unseen.frames > 0) add(gap.source + ", unseen, settled", gap.unseen);
    for (size_t s = 0; s < kSets.size(); ++s)
      if (gap.sets[s].frames > 0) add(gap.source + ", " + kSetNames[s], gap.sets[s]);
  }
  return table(
      {"bones, set", "RMS mm", "mean", "tips", "bias", "swing", "between chains", "chaos floor", "ratio"},
      rows);
}

}  // namespace

std::string to_html(const Report& r) {
  const std::string title = "Evaluation of " + escaped(r.garment);
  std::string out = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + title +
                    "</title><style>" + kStyle + "</style></head><body>\n<h1>" + title +
                    "</h1>\n<p class=\"note\">" + std::to_string(r.vertices) + " vertices, " +
                    std::to_string(r.bones) + " bones, " + components_of(r) +
                    ". docs/evaluation.md says what each number means.</p>\n";
  if (r.product) out += "<h2>Product</h2>\n" + product_tables(*r.product);
  out += "<h2>Shape</h2>\n" + distance_table(r) + "<div class=\"plots\">\n";
  for (const size_t set : plotted_sets(r)) out += error_bars(r, set);
  for (const size_t set : plotted_sets(r)) out += percentile_lines(r, set);
  if (!r.unseen_clips.empty()) out += unseen_lines(r);
  out += spectrum(r) + "</div>\n";
  out += "<h2>Body</h2>\n<div class=\"plots\">\n";
  for (const size_t set : plotted_sets(r)) out += penetration_bars(r, set);
  out += "</div>\n<h2>All figures</h2>\n<h3>Skinning and shape</h3>\n" +
         figures_table(r, r.sources, &r.truth) + "<h3>Skinning only</h3>\n" +
         figures_table(r, r.skinning_only, nullptr);
  out += "<h2>Gap to embedded bones</h2>\n" + gap_table(r);
  return out + "</body></html>\n";
}

// ---- Text

namespace {

constexpr int kFirstColumn = 28, kColumn = 12;

std::string cell(const std::string& text) {
  const size_t width = kColumn;
  return text.size() < width ? std::string(width - text.size(), ' ') + text : " " + text;
}

// One row per method, one column per set.
class Table {
 public:
  explicit Table(std::string& out) : out_(out) {}

  void head(const std::string& title) {
    out_ += '\n' + padded(title);
    for (const char* set : kSetNames) out_ += cell(set);
    out_ += '\n';
  }
  template <class Get> void row(const std::string& name, const Measured& m, int digits, Get get) {
    out_ += padded("  " + name);
    for (const Figures& f : m.sets) out_ += cell(f.frames > 0 ? number(get(f), digits) : "-");
    out_ += '\n';
  }
  template <class Get> void row(const std::string& name, const std::array<RopeGap, 4>& sets, Get get) {
    out_ += padded("  " + name);
    for (const RopeGap& g : sets) out_ += cell(g.frames > 0 ? number(get(g), 1) : "-");
    out_ += '\n';
  }

 private:
  static std::string padded(std::string text) {
    text.resize(std::max<size_t>(text.size(), kFirstColumn), ' ');
    return text;
  }
  std::string& out_;
};

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
  Table table(out);
  const auto rmse = [](const Figures& f) { return f.rmse_mm; };

  table.head("RMSE, mm");
  for (const Named& s : r.sources) table.row(s.name + " bones", s.measured, 1, rmse);
  for (const Named& s : r.skinning_only) table.row(s.name + ", skinning only", s.measured, 1, rmse);
  for (const Named& floor : r.floors) table.row(key_to_text(floor.name), floor.measured, 1, rmse);
  for (const Named& b : r.baselines) table.row(b.name, b.measured, 1, rmse);
  for (const Named& b : r.rope_baselines) table.row(b.name + ", rope", b.measured, 1, rmse);

  // Add the same rows for each figure.
  const auto block = [&](const std::string& title, int digits, bool reference, auto get) {
    table.head(title);
    for (const Named& s : r.sources) table.row(s.name + " bones", s.measured, digits, get);
    for (const Named& s : r.skinning_only) table.row(s.name + ", skinning only", s.measured, digits, get);
    if (reference) table.row("reference", r.truth, digits, get);
  };
  block("95th percentile, mm", 1, false, [](const Figures& f) { return f.p95_mm; });
  block("largest, mm", 0, false, [](const Figures& f) { return f.max_mm; });
  if (r.with_sted) block("STED", 4, false, [](const Figures& f) { return f.sted; });
  block("edge strain, mean %", 2, true, [](const Figures& f) { return f.strain_mean; });
  block("edge strain, p99 %", 1, true, [](const Figures& f) { return f.strain_p99; });
  block("vertices under -1 mm, %", 3, true, [](const Figures& f) { return f.penetration.vertices[1]; });
  block("after push-out, %", 3, true, [](const Figures& f) { return f.pushed_out.vertices[1]; });
  block("edge midpoints, pushed out", 3, true, [](const Figures& f) { return f.pushed_out.edges[1]; });
  block("velocity energy / reference", 2, false,
        [](const Figures& f) { return f.liveliness.velocity_energy; });
  block("acceleration energy / ref.", 2, false,
        [](const Figures& f) { return f.liveliness.acceleration_energy; });

  table.head("gap to embedded bones, mm");
  for (const BoneGap& gap : r.gaps)
    table.row(gap.source, gap.sets, [](const RopeGap& g) { return g.rms_mm; });
  for (const BoneGap& gap : r.gaps) {
    const RopeGap& g = gap.unseen;
    if (g.frames == 0) continue;
    out += "  " + gap.source + ", unseen clips once settled: " + number(g.rms_mm, 1) + " mm RMS (" +
           number(g.tips_mm, 1) + " at tips) = bias " + number(g.bias_mm, 1) + ", swing " +
           number(g.swing_mm, 1) + ", between chains " + number(g.chain_to_chain_mm, 1) +
           ";\n    chaos floor " + number(g.chaos_floor_mm, 1) + " mm, ratio " + number(g.ratio, 2) + "\n";
  }
  return out;
}

}  // namespace billow::evaluate
