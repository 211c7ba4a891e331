// The comparison as sections of an HTML page, with plots.
#include "evaluate/page.h"

#include <cmath>

#include "research/comparison/comparison.h"
#include "research/comparison/svg.h"

namespace billow::research {
namespace {

using evaluate::html_table;
using evaluate::key_to_text;
using evaluate::number;
using evaluate::RopeGap;

enum Colour : size_t { kOurs, kRope, kFloor, kSkinning, kOther };
size_t colour_of(size_t source) { return source == 0 ? kOurs : source == 1 ? kRope : kOther + source; }

std::string error_bars(const Results& r, size_t set) {
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

std::string percentile_lines(const Results& r, size_t set) {
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
std::string unseen_lines(const Results& r) {
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

std::string spectrum(const Results& r) {
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

std::string penetration_bars(const Results& r, size_t set) {
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

std::string figures_table(const Results& r, const std::vector<Named>& sources, const Measured* reference) {
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
  return html_table({"bones, set", "RMSE mm", "p95", "max", "Hausdorff", "Chamfer", "STED", "strain %", "p99",
                     "inside 1 mm %", "deepest mm", "pushed out %", "speed", "acceleration"},
                    rows);
}

std::string distance_table(const Results& r) {
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
  return html_table(head, rows);
}

// Holdout and unseen, if they have frames: zeros of an empty set would look perfect.
std::vector<size_t> plotted_sets(const Results& r) {
  std::vector<size_t> sets;
  for (const size_t set : {size_t{2}, size_t{3}})
    if (r.truth.sets[set].frames > 0) sets.push_back(set);
  return sets;
}

// The gaps on unseen clips, measured as the chaos floor is, then on each set.
std::string gap_table(const Results& r) {
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
  return html_table(
      {"bones, set", "RMS mm", "mean", "tips", "bias", "swing", "between chains", "chaos floor", "ratio"},
      rows);
}

}  // namespace

const char* const kPlotStyle = R"(
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(420px, 1fr)); gap: 1.5em; }
svg { width: 100%; font: 11px system-ui, sans-serif; fill: #444; }
svg .title { font-size: 13px; font-weight: 600; fill: #222; }
.grid { stroke: #e4e4e4; } .mark { stroke: #bbb; stroke-dasharray: 3 3; } .line { fill: none; stroke-width: 1.6; })";

std::string to_html(const Results& r) {
  std::string out = "<h2>Shape</h2>\n" + distance_table(r) + "<div class=\"plots\">\n";
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
  return out;
}

}  // namespace billow::research
