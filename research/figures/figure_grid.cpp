// `billow figures cape skirt`: a grid with one row each for rope chains, skinning, shape and reference cloth
// in the same motion (paper: Figures cape_grid and skirt_grid).
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "research/figures/figures.h"
#include "tools/billow/picture.h"
#include "tools/billow/playback.h"
#include "tools/billow/progress.h"

namespace billow::tool {
namespace {

struct Row {
  const char* label;
  std::vector<std::vector<float>> cloth = {};  // one per recorded frame; empty: the row shows chains
  std::vector<std::vector<V3>> bones = {};
};

// Plays a motion and records the frames `wanted`, in ascending order. Adds the vertices left inside the body
// to *inside.
Row record(const char* label, PlaybackOptions options, bool shape, const std::vector<size_t>& wanted,
           bool chains, size_t* inside) {
  options.shape = shape;
  Playback playback(options);
  Row row{label};
  for (size_t next = 0; next < wanted.size() && playback.step();) {
    if (inside != nullptr) *inside += playback.report().inside;
    if (playback.frame() != wanted[next]) continue;
    ++next;
    if (chains)
      row.bones.push_back(playback.bones());
    else
      row.cloth.emplace_back(playback.positions().begin(), playback.positions().end());
  }
  return row;
}

double rms_mm(const std::vector<std::vector<float>>& a, const std::vector<std::vector<float>>& b) {
  double sum = 0, count = 0;
  for (size_t f = 0; f < a.size(); ++f)
    for (size_t i = 0; i < a[f].size(); ++i) sum += std::pow(double{a[f][i]} - b[f][i], 2), ++count;
  return 1000 * std::sqrt(3 * sum / count);
}

// Strain |l / L - 1| over the edges of all recorded frames, in percent.
struct Strain {
  double mean, p99;
};
Strain strain(const garment::Garment& g, const std::vector<std::vector<float>>& cloth) {
  std::vector<double> strains;
  for (const std::vector<float>& p : cloth)
    for (const garment::Triangle& t : g.triangles)
      for (size_t k = 0; k < 3; ++k) {
        const uint32_t a = t[k], b = t[(k + 1) % 3];
        const double now = std::hypot(double{p[3 * a]} - p[3 * b], double{p[3 * a + 1]} - p[3 * b + 1],
                                      double{p[3 * a + 2]} - p[3 * b + 2]);
        strains.push_back(100 * std::fabs(now / double{garment::rest_distance(g, a, b)} - 1));
      }
  const auto at = strains.begin() + static_cast<std::ptrdiff_t>(0.99 * static_cast<double>(strains.size()));
  std::nth_element(strains.begin(), at, strains.end());
  return {std::accumulate(strains.begin(), strains.end(), 0.0) / static_cast<double>(strains.size()), *at};
}

Figure grid(const FigureInputs& inputs, const std::string& name, const std::filesystem::path& file,
            const std::string& motion, double from) {
  if (file.empty())
    throw NotMade("needs " + std::string(name == "skirt" ? "--skirt" : "--garment") + " FILE, a trained " +
                  name);
  const size_t columns = inputs.quick ? 2 : 8;
  PlaybackOptions options{file.string(), motion, inputs.quick ? 0.4 : from + 3, 60};
  Playback playback(options);
  std::vector<size_t> wanted;
  const auto first = inputs.quick ? 0 : static_cast<size_t>(from * options.rate);
  for (size_t k = 0; k < columns; ++k)
    wanted.push_back(first + (playback.frames() - 1 - first) * (k + 1) / columns);

  size_t inside = 0;
  std::vector<Row> rows;
  rows.push_back(record("rope chains", options, true, wanted, true, nullptr));
  rows.push_back(record("skinning", options, false, wanted, false, nullptr));
  rows.push_back(record("skinning + shape", options, true, wanted, false, &inside));
  Row reference{"reference cloth"};
  Progress progress("reference cloth");
  for (const std::vector<V3>& p : reference_of(playback, wanted, std::ref(progress)))
    reference.cloth.emplace_back(&p[0].x, &p[0].x + 3 * p.size());
  rows.push_back(std::move(reference));

  PictureStyle style = style_for(playback.garment());
  style.width = 180, style.height = 228, style.rays = 40,
  style.distance = playback.garment().closed ? 4.2f : 4.8f;
  if (inputs.quick) style.width = 90, style.height = 114, style.rays = 1;
  const DrawnBody body(playback.character_body());
  std::vector<V3> pelvis;
  for (size_t f = 0; f < playback.frames(); ++f) pelvis.push_back(playback.joints_at(f)[0].position);
  const std::vector<Following> camera =
      follow(pelvis, following(playback.joints_at(0)).heading, playback.clip().frames_per_second);
  std::vector<draw::Image> panels;
  for (const Row& row : rows)
    for (size_t k = 0; k < wanted.size(); ++k) {
      Picture picture(style, body, playback.joints_at(wanted[k]));
      if (row.cloth.empty())
        picture.add_chains(playback.garment(), row.bones[k]);
      else
        picture.add_cloth(row.cloth[k], playback.garment().triangles);
      panels.push_back(picture.make(camera[wanted[k]], k == 0 ? row.label : ""));
    }

  Figure figure;
  add_picture(figure, inputs, name, draw::strip(panels, static_cast<int>(columns), 3));
  const auto ours = strain(playback.garment(), rows[2].cloth),
             theirs = strain(playback.garment(), rows[3].cloth);
  figure.numbers = {{"vertices", playback.garment().size()},
                    {"seconds", options.seconds},
                    {"vertices_left_inside_all_frames", inside},
                    {"rms_to_reference_mm", rms_mm(rows[2].cloth, rows[3].cloth)},
                    {"skinning_rms_to_reference_mm", rms_mm(rows[1].cloth, rows[3].cloth)},
                    {"strain_mean_percent", ours.mean},
                    {"strain_p99_percent", ours.p99},
                    {"reference_strain_mean_percent", theirs.mean},
                    {"reference_strain_p99_percent", theirs.p99}};
  figure.shows = "The " + name + " in the motion '" + motion +
                 "', time from left to right: rope chains (green, lateral springs purple), skinning on them, "
                 "shape on top, "
                 "and the reference cloth of the same motion. Loose cloth is chaotic: the last row is what "
                 "cloth may do, not "
                 "what it has to.";
  figure.differs.push_back(
      "In the paper the simulated reference overstretches. Here it does not: what stretches is the cloth "
      "that the "
      "networks make of rope chains, as the strains in the table say.");
  if (figure.numbers["rms_to_reference_mm"] >
      0.99 * figure.numbers["skinning_rms_to_reference_mm"].get<double>())
    figure.differs.push_back(
        "On rope chains, which swing on their own, shape is hardly nearer to the reference than skinning is, "
        "and has more folds than it; on bones of the reference it is nearer, as the figures of learning "
        "show.");
  return figure;
}

}  // namespace

// The last argument skips the start in seconds: the runner begins standing.
Figure figure_cape(const FigureInputs& inputs) { return grid(inputs, "cape", inputs.garment, "run", 1.4); }
Figure figure_skirt(const FigureInputs& inputs) { return grid(inputs, "skirt", inputs.skirt, "dance", 0.4); }

}  // namespace billow::tool
