#include "evaluate/judge.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "body/surface.h"
#include "character/clothed_character.h"
#include "dataset/measure.h"
#include "evaluate/body_probe.h"
#include "evaluate/cloth_ruler.h"
#include "motion/motions.h"
#include "parallel.h"

namespace billow::evaluate {
namespace {

constexpr double kJudgedFrom = 1;  // s of a clip

using Vertices = std::vector<V3>;

// Of one cloth by itself.
struct ClothSums {
  double clips = 0, frames = 0;
  double strain = 0, squared_bend = 0, hem_area = 0;
  Histogram strains;
  std::array<CurvatureHistogram, kScales> curvature;
  Turns turns;
  double velocity = 0, acceleration = 0;  // sums of squares
  InsideSums inside;
  double crossing_frames = 0, crossings = 0, tangled = 0;

  void add(const ClothSums& o) {
    clips += o.clips, frames += o.frames;
    strain += o.strain, squared_bend += o.squared_bend, hem_area += o.hem_area;
    strains.add(o.strains);
    for (size_t s = 0; s < kScales; ++s) curvature[s].add(o.curvature[s]);
    turns.along.add(o.turns.along), turns.across.add(o.turns.across);
    velocity += o.velocity, acceleration += o.acceleration;
    inside.add(o.inside);
    crossing_frames += o.crossing_frames, crossings += o.crossings, tangled += o.tangled;
  }
};

// Of one cloth against the reference.
struct PairSums {
  double squares = 0, space = 0, time = 0, hem_difference = 0;

  void add(const PairSums& o) {
    squares += o.squares, space += o.space, time += o.time, hem_difference += o.hem_difference;
  }
};

// A cloth and the reference over the same clips.
struct Compared {
  ClothSums cloth, reference;
  PairSums pair;

  void add(const Compared& o) { cloth.add(o.cloth), reference.add(o.reference), pair.add(o.pair); }
};

struct ClipSums {
  Compared product;
  std::optional<Compared> floor;
};

// The last frames of one cloth, in the frame of the key joint: motion is measured there.
struct Recent {
  Vertices now, before, earlier;
  std::vector<float> lengths;
  double hem_area = 0;

  void push(Vertices next) { earlier = std::move(before), before = std::move(now), now = std::move(next); }
};

std::span<const float> floats_of(const Vertices& x) { return {&x[0].x, 3 * x.size()}; }

double squared_difference(const Vertices& a, const Vertices& b) {
  double sum = 0;
  for (size_t v = 0; v < a.size(); ++v) sum += static_cast<double>(dot(a[v] - b[v], a[v] - b[v]));
  return sum;
}

double squared_acceleration(const Recent& x) {
  double sum = 0;
  for (size_t v = 0; v < x.now.size(); ++v) {
    const V3 a = x.now[v] - x.before[v] * 2.0f + x.earlier[v];
    sum += static_cast<double>(dot(a, a));
  }
  return sum;
}

Vertices moved(const Transform& by, Vertices x) {
  for (V3& p : x) p = apply(by, p);
  return x;
}

class ClipJudge {
 public:
  ClipJudge(const Frames& frames, const ClothRuler& ruler, const cloth::Sheet& sheet,
            const Frames::ClipRange& clip, const JudgeOptions& options)
      : frames_(frames),
        ruler_(ruler),
        sheet_(sheet),
        clip_(clip),
        options_(options),
        body_(frames.character().skeleton, frames.character().colliders,
              frames.garment().contacts.rigid_groups()),
        probe_(ruler.edges(), frames.garment().triangles),
        joints_(frames.character().skeleton.size()) {}

  ClipSums judge(std::vector<Vertices> product) {
    if (product.size() != clip_.end - clip_.begin)
      throw std::invalid_argument("judge: expected " + std::to_string(clip_.end - clip_.begin) +
                                  " frames of cloth, found " + std::to_string(product.size()));
    std::optional<files::NpyMap> chaos;
    if (const auto file = frames_.info().chaos_file(clip_.clip); std::filesystem::exists(file)) {
      chaos.emplace(file);
      if (chaos->shape() != std::vector<size_t>{clip_.end - clip_.begin, frames_.garment().size(), 3})
        throw std::runtime_error(file.string() + ": expected the frames and vertices of clip " +
                                 std::to_string(clip_.clip));
    }
    const auto settled = static_cast<uint32_t>(std::lround(kJudgedFrom * frames_.info().frames_per_second));
    const uint32_t first = clip_.begin + std::min(settled, (clip_.end - clip_.begin) / 2);
    ClipSums sums;
    if (chaos) sums.floor.emplace();
    Recent reference, shown, floor;
    for (uint32_t f = clip_.begin; f < clip_.end; ++f) {
      const Transform to_world = frames_.rigid(f), to_rest = inverse(to_world);
      reference.push(reference_at(f));
      shown.push(moved(to_rest, std::move(product[f - clip_.begin])));
      if (chaos) floor.push(moved(to_rest, vertices_of(chaos->row(f - clip_.begin))));
      if (f < first) continue;
      frames_.joints(f, joints_);
      body_.pose(joints_);
      const bool count_crossings = (f - first) % options_.crossings_every == 0;
      measure(reference, to_world, count_crossings, sums.product.reference);
      measure(shown, to_world, count_crossings, sums.product.cloth);
      compare(reference, shown, sums.product.pair);
      if (!chaos) continue;
      measure(floor, to_world, count_crossings, sums.floor->cloth);
      compare(reference, floor, sums.floor->pair);
    }
    if (chaos) sums.floor->reference = sums.product.reference;
    return sums;
  }

 private:
  Vertices reference_at(uint32_t frame) const {
    Vertices x(frames_.garment().size());
    frames_.cloth(frame, {&x[0].x, 3 * x.size()});
    for (size_t v = 0; v < x.size(); ++v) x[v] += frames_.rest()[v];
    return x;
  }
  static Vertices vertices_of(std::span<const float> row) {
    Vertices x(row.size() / 3);
    for (size_t v = 0; v < x.size(); ++v) x[v] = {row[3 * v], row[3 * v + 1], row[3 * v + 2]};
    return x;
  }

  void measure(Recent& x, const Transform& to_world, bool count_crossings, ClothSums& sums) {
    sums.clips = 1, sums.frames += 1;
    const std::vector<Edge>& edges = ruler_.edges();
    x.lengths.resize(edges.size());
    double strain = 0;
    for (size_t e = 0; e < edges.size(); ++e) {
      x.lengths[e] = length(x.now[edges[e].a] - x.now[edges[e].b]);
      const float s = std::fabs(x.lengths[e] / edges[e].length - 1);
      strain += static_cast<double>(s);
      sums.strains.add(s);
    }
    sums.strain += strain / static_cast<double>(edges.size());
    sums.squared_bend += ruler_.squared_bend(x.now);
    for (size_t s = 0; s < kScales; ++s) ruler_.add_curvature(x.now, s, sums.curvature[s]);
    ruler_.add_turns(x.now, sums.turns);
    if (!x.before.empty()) sums.velocity += squared_difference(x.now, x.before);
    if (!x.earlier.empty()) sums.acceleration += squared_acceleration(x);
    if (count_crossings) {
      const dataset::Crossings c = dataset::count_crossings(sheet_, x.now);
      sums.crossing_frames += 1;
      sums.crossings += static_cast<double>(c.all), sums.tangled += static_cast<double>(c.tangled);
    }
    const Vertices world = moved(to_world, x.now);
    x.hem_area = ruler_.hem_area(world);
    sums.hem_area += x.hem_area;
    sums.inside.add(probe_.measure(body_, world));
  }

  void compare(const Recent& reference, const Recent& x, PairSums& sums) const {
    sums.squares += squared_difference(reference.now, x.now);
    sums.space += sted_space(ruler_.edges(), x.now.size(), reference.lengths, x.lengths);
    if (!x.before.empty())
      sums.time += sted_time(floats_of(reference.before), floats_of(reference.now), floats_of(x.before),
                             floats_of(x.now), ruler_.mean_edge());
    if (reference.hem_area > 0) sums.hem_difference += std::fabs(x.hem_area / reference.hem_area - 1);
  }

  const Frames& frames_;
  const ClothRuler& ruler_;
  const cloth::Sheet& sheet_;
  const Frames::ClipRange& clip_;
  const JudgeOptions& options_;
  body::Surface body_;
  BodyProbe probe_;
  std::vector<Transform> joints_;
};

double ratio_of(double part, double whole) { return whole > 0 ? part / whole : 0; }

ClothFigures figures_of(const Compared& c, const ClothRuler& ruler, const garment::Garment& garment) {
  const ClothSums &x = c.cloth, &reference = c.reference;
  const double frames = std::max(1.0, x.frames), vertices = static_cast<double>(garment.size()),
               edges = static_cast<double>(ruler.edges().size()),
               faces = static_cast<double>(garment.triangles.size()),
               hinges = std::max(1.0, static_cast<double>(ruler.hinges()));
  ClothFigures f;
  f.clips = x.clips, f.frames = x.frames;
  f.rmse_mm = 1000 * std::sqrt(c.pair.squares / (frames * vertices));
  f.sted_space = c.pair.space / frames, f.sted_time = c.pair.time / frames;
  f.sted = sted(f.sted_space, f.sted_time);
  f.strain_mean = 100 * x.strain / frames, f.strain_p99 = 100 * x.strains.percentile(0.99);
  f.bend_rad = std::sqrt(x.squared_bend / (frames * hinges));
  f.bend_ratio = std::sqrt(ratio_of(x.squared_bend, reference.squared_bend));
  constexpr double ClothFigures::*kCurvature[] = {&ClothFigures::curvature_edge, &ClothFigures::curvature_3cm,
                                                  &ClothFigures::curvature_10cm};
  constexpr double ClothFigures::*kDistance[] = {&ClothFigures::curvature_distance_edge,
                                                 &ClothFigures::curvature_distance_3cm,
                                                 &ClothFigures::curvature_distance_10cm};
  for (size_t s = 0; s < kScales; ++s) {
    f.*kCurvature[s] = x.curvature[s].mean_absolute() / ruler.scale_length(s);
    f.*kDistance[s] = x.curvature[s].distance(reference.curvature[s]);
  }
  f.calm_along_rad = x.turns.along.percentile(0.25), f.calm_across_rad = x.turns.across.percentile(0.25);
  f.hem_area_m2 = x.hem_area / frames, f.hem_ratio = ratio_of(x.hem_area, reference.hem_area);
  f.hem_difference = 100 * c.pair.hem_difference / frames;
  f.velocity_energy = ratio_of(x.velocity, reference.velocity);
  f.acceleration_energy = ratio_of(x.acceleration, reference.acceleration);
  f.inside_vertices = 100 * x.inside.vertices / (frames * vertices);
  f.inside_edges = 100 * x.inside.edges / (frames * edges);
  f.inside_faces = 100 * x.inside.faces / (frames * faces);
  f.deepest_vertex_mm = 1000 * x.inside.deepest_vertex, f.deepest_edge_mm = 1000 * x.inside.deepest_edge;
  f.deepest_face_mm = 1000 * x.inside.deepest_face;
  f.crossings = ratio_of(x.crossings, x.crossing_frames), f.tangled = ratio_of(x.tangled, x.crossing_frames);
  return f;
}

}  // namespace

std::span<const FigureRow> figure_rows() {
  using F = ClothFigures;
  static constexpr FigureRow kRows[] = {
      {"strain_mean", "edge strain, mean %", &F::strain_mean, 2, false},
      {"strain_p99", "edge strain, p99 %", &F::strain_p99, 1, false},
      {"bend_rad", "bend, RMS rad", &F::bend_rad, 3, false},
      {"bend_ratio", "bend / reference", &F::bend_ratio, 2, true},
      {"curvature_edge", "curvature at edges, 1/m", &F::curvature_edge, 1, false},
      {"curvature_3cm", "curvature at 3 cm, 1/m", &F::curvature_3cm, 1, false},
      {"curvature_10cm", "curvature at 10 cm, 1/m", &F::curvature_10cm, 1, false},
      {"curvature_distance_edge", "distribution, edges", &F::curvature_distance_edge, 3, true},
      {"curvature_distance_3cm", "distribution, 3 cm", &F::curvature_distance_3cm, 3, true},
      {"curvature_distance_10cm", "distribution, 10 cm", &F::curvature_distance_10cm, 3, true},
      {"calm_along_rad", "calm quarter along, rad", &F::calm_along_rad, 3, false},
      {"calm_across_rad", "calm quarter across, rad", &F::calm_across_rad, 3, false},
      {"hem_area_m2", "hem's outline, m2", &F::hem_area_m2, 3, false},
      {"hem_ratio", "hem / reference", &F::hem_ratio, 2, true},
      {"hem_difference", "hem, difference %", &F::hem_difference, 1, true},
      {"velocity_energy", "velocity energy / ref.", &F::velocity_energy, 2, true},
      {"acceleration_energy", "acceleration energy / ref.", &F::acceleration_energy, 2, true},
      {"inside_vertices", "vertices in the body, %", &F::inside_vertices, 4, false},
      {"inside_edges", "edges in the body, %", &F::inside_edges, 4, false},
      {"inside_faces", "faces in the body, %", &F::inside_faces, 4, false},
      {"deepest_vertex_mm", "deepest vertex, mm", &F::deepest_vertex_mm, 1, false},
      {"deepest_edge_mm", "deepest edge, mm", &F::deepest_edge_mm, 1, false},
      {"deepest_face_mm", "deepest face, mm", &F::deepest_face_mm, 1, false},
      {"crossings", "edges through the cloth", &F::crossings, 0, false},
      {"tangled", "of these tangled", &F::tangled, 0, false},
      {"sted", "STED", &F::sted, 4, true},
      {"sted_space", "STED, space", &F::sted_space, 4, true},
      {"sted_time", "STED, time", &F::sted_time, 4, true},
      {"rmse_mm", "RMSE, mm", &F::rmse_mm, 1, true},
      {"stranger_auc", "stranger's AUC, pieces", &F::stranger_auc, 3, true},
      {"stranger_clip_auc", "stranger's AUC, clips", &F::stranger_clip_auc, 3, true},
  };
  return kRows;
}

std::string set_name(const dataset::DatasetInfo& info, size_t clip) {
  // Built-in motions are named by kind and seed: "walk 7".
  const std::string& name = info.clips[clip].name;
  const size_t space = std::min(name.find(' '), name.size());
  const std::string kind = name.substr(0, space), seed = name.substr(std::min(space + 1, name.size()));
  const auto& kinds = motion::motion_kinds();
  const bool built_in =
      !seed.empty() && seed.find_first_not_of("0123456789") == std::string::npos &&
      std::any_of(kinds.begin(), kinds.end(), [&](const auto& k) { return k.name == kind; });
  return built_in || info.imported ? "unseen" : "captured_test";
}

std::vector<Frames::ClipRange> judged_clips(const Frames& frames) {
  std::vector<Frames::ClipRange> clips;
  for (const Frames::ClipRange& clip : frames.clips())
    if (frames.part(clip.begin) == dataset::Part::kUnseen) clips.push_back(clip);
  return clips;
}

Judgement judge(const Frames& frames, const JudgeOptions& options) {
  const Product product(options.file, frames, options.rate);
  Judgement out = judge(
      frames, [&](const Frames::ClipRange& clip) { return product.play(clip); }, options);
  out.rate = product.rate();
  return out;
}

Judgement judge(const Frames& frames, const ClothOfClip& cloth, const JudgeOptions& options) {
  const std::vector<Frames::ClipRange> clips = judged_clips(frames);
  const ClothRuler ruler(frames.garment());
  const cloth::Sheet sheet = character::sheet_of(frames.garment());
  std::vector<ClipSums> sums(clips.size());
  for_each_in_parallel(
      clips.size(),
      [&](size_t c) { sums[c] = ClipJudge(frames, ruler, sheet, clips[c], options).judge(cloth(clips[c])); },
      options.threads);

  Judgement out;
  out.rate = frames.info().frames_per_second;
  for (const dataset::ClipInfo& clip : frames.info().clips)
    out.unusable +=
        !clip.usable && clip.parts.find(static_cast<char>(dataset::Part::kUnseen)) != std::string::npos;
  for (const char* name : kSetsOfProduct) {
    Compared product, floor;
    for (size_t c = 0; c < clips.size(); ++c) {
      if (set_name(frames.info(), clips[c].clip) != name) continue;
      product.add(sums[c].product);
      if (sums[c].floor) floor.add(*sums[c].floor);
    }
    if (product.cloth.clips == 0) continue;
    const garment::Garment& garment = frames.garment();
    out.sets.push_back({name, figures_of(product, ruler, garment),
                        figures_of({product.reference, product.reference, {}}, ruler, garment),
                        figures_of(floor, ruler, garment), floor.cloth.clips > 0});
  }
  return out;
}

}  // namespace billow::evaluate
