// The comparison as tables for a terminal.
#include "evaluate/page.h"
#include "research/comparison/comparison.h"

namespace billow::research {
namespace {

using evaluate::key_to_text;
using evaluate::number;
using evaluate::RopeGap;

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

std::string to_text(const Results& r) {
  std::string out;
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

}  // namespace billow::research
