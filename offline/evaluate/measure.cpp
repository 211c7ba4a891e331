#include "evaluate/measure.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <stdexcept>
#include <string>

#include "body/triangle_tree.h"
#include "evaluate/sted.h"
#include "evaluate/sums.h"
#include "parallel.h"

namespace billow::evaluate {
namespace {

using Eigen::Index;
using Row = std::span<const float>;

constexpr uint32_t kChunk = 48;       // frames that are predicted at once
constexpr uint32_t kBefore = 2;       // frames that speeds and accelerations look back
constexpr size_t kSurfaceSample = 4;  // every so manieth vertex is compared with the other surface
constexpr float kReach = 0.01f;       // m from the body beyond which vertices are not looked at

static_assert(sizeof(V3) == 3 * sizeof(float), "rows are read as vectors");

Row row_of(const Matrix& m, Index row) { return {m.row(row).data(), static_cast<size_t>(m.cols())}; }

size_t set_of(dataset::Part part) {
  return static_cast<size_t>(std::find(kSets.begin(), kSets.end(), part) - kSets.begin());
}

double square(double x) { return x * x; }

double squared_distance(Row a, Row b, size_t v) {
  double sum = 0;
  for (size_t k = 3 * v; k < 3 * v + 3; ++k) sum += square(static_cast<double>(a[k] - b[k]));
  return sum;
}

// Consecutive frames of one clip: those from `begin` are measured, those from `first` are looked back at.
struct Chunk {
  uint32_t first, begin, end;
};

std::vector<Chunk> cut(const Frames& frames) {
  std::vector<Chunk> chunks;
  for (const Frames::Run& run : frames.clips())
    for (uint32_t begin = run.begin; begin < run.end; begin += kChunk)
      chunks.push_back(
          {std::max(run.begin, begin - std::min(begin, kBefore)), begin, std::min(run.end, begin + kChunk)});
  return chunks;
}

// Frames that are looked at: of the training set every so manieth.
std::vector<bool> frames_to_measure(const Frames& frames, size_t train_every) {
  std::vector<bool> measured(frames.size(), true);
  const auto train = frames.of(dataset::Part::kTrain);
  for (size_t i = 0; i < train.size(); ++i) measured[train[i]] = i % std::max<size_t>(1, train_every) == 0;
  return measured;
}

// Some of them of each set, evenly spread.
std::vector<bool> choose(const Frames& frames, const std::vector<bool>& measured, size_t of_each) {
  std::vector<bool> chosen(frames.size());
  for (const dataset::Part part : kSets) {
    std::vector<uint32_t> all;
    for (const uint32_t f : frames.of(part))
      if (measured[f]) all.push_back(f);
    for (size_t k = 0; k < std::min(of_each, all.size()); ++k)
      chosen[all[(2 * k + 1) * all.size() / (2 * std::min(of_each, all.size()))]] = true;
  }
  return chosen;
}

class Measurer {
 public:
  Measurer(const Frames& frames, std::span<const Predictor> predictors, const MeasureOptions& options)
      : frames_(frames),
        predictors_(predictors),
        options_(options),
        rest_(frames.rest()),
        edges_(edges_of(frames.garment())),
        measured_(frames_to_measure(frames, options.train_every)),
        chosen_(choose(frames, measured_, options.everything ? options.surface_frames : 0)) {
    for (const Edge& e : edges_) spacing_ += static_cast<double>(e.length);
    spacing_ /= std::max(1.0, static_cast<double>(edges_.size()));
  }

  std::vector<Measured> run() {
    const std::vector<Chunk> chunks = cut(frames_);
    counts_.resize(predictors_.size());
    rmse_.assign(predictors_.size(), std::vector<float>(frames_.size()));
    std::vector<std::vector<SetTotals>> totals(chunks.size());
    for_each_in_parallel(
        chunks.size(), [&](size_t c) { totals[c] = measure_chunk(chunks[c]); }, options_.threads);

    std::vector<Measured> out(predictors_.size());
    for (size_t p = 0; p < out.size(); ++p) {
      out[p].frame_rmse_mm = std::move(rmse_[p]);
      for (size_t s = 0; s < kSets.size(); ++s) {
        Totals sum;
        for (const auto& t : totals) sum.add(t[p][s]);
        out[p].sets[s] =
            figures(sum, counts_[p][s], rest_.size(), edges_.size(), frames_.info().frames_per_second);
      }
    }
    return out;
  }

 private:
  using SetTotals = std::array<Totals, kSets.size()>;
  using SetCounts = std::array<Counts, kSets.size()>;

  // Room for one frame, used again and again.
  struct Work {
    explicit Work(const Frames& frames) : surface(frames.person().skeleton, frames.person().colliders) {}
    body::Surface surface;
    std::vector<V3> places, middles;
    std::vector<float> distances, middle_distances;
    std::vector<Transform> joints;
    Matrix true_lengths;  // frames of the chunk x edges
    std::vector<float> lengths;
  };

  // Those that are measured and, where motion is, those before them. Frames in a row stay in a row.
  std::vector<uint32_t> frames_needed(const Chunk& chunk) const {
    std::vector<uint32_t> which;
    const uint32_t after = options_.everything ? kBefore : 0;
    for (uint32_t f = chunk.first; f < chunk.end; ++f)
      for (uint32_t g = std::max(f, chunk.begin); g < std::min(chunk.end, f + after + 1); ++g)
        if (measured_[g]) {
          which.push_back(f);
          break;
        }
    return which;
  }

  std::vector<SetTotals> measure_chunk(const Chunk& chunk) {
    std::vector<SetTotals> totals(predictors_.size());
    const std::vector<uint32_t> which = frames_needed(chunk);
    if (which.empty()) return totals;
    Matrix reference(static_cast<Index>(which.size()), 3 * static_cast<Index>(rest_.size())),
        predicted(reference.rows(), reference.cols());
    truth(frames_).predict(which, reference);
    Work work(frames_);
    if (options_.everything) {
      work.true_lengths.resize(reference.rows(), static_cast<Index>(edges_.size()));
      for (Index i = 0; i < reference.rows(); ++i)
        measure_edges(row_of(reference, i), {work.true_lengths.row(i).data(), edges_.size()});
    }

    for (size_t p = 0; p < predictors_.size(); ++p) {
      predictors_[p].predict(which, predicted);
      if (!predicted.allFinite())
        throw std::invalid_argument("measure: " + predictors_[p].name +
                                    ": expected finite displacements, found others in frames " +
                                    std::to_string(chunk.first) + " to " + std::to_string(chunk.end - 1));
      SetCounts counts;
      for (Index i = 0; i < reference.rows(); ++i) {
        const uint32_t f = which[static_cast<size_t>(i)];
        if (f < chunk.begin || !measured_[f]) continue;
        const size_t set = set_of(frames_.part(f));
        Totals& sum = totals[p][set];
        rmse_[p][f] = measure_distance(row_of(reference, i), row_of(predicted, i), sum, counts[set]);
        if (!options_.everything) continue;
        measure_stretch(predicted, i, work, sum, counts[set]);
        measure_motion(reference, predicted, i, std::min(kBefore, f - chunk.first), sum);
        measure_penetration(f, row_of(reference, i), row_of(predicted, i), work, sum);
        if (chosen_[f]) compare_surfaces(row_of(reference, i), row_of(predicted, i), sum);
      }
      const std::lock_guard lock(counting_);
      for (size_t s = 0; s < kSets.size(); ++s) {
        counts_[p][s].errors_mm.add(counts[s].errors_mm);
        counts_[p][s].strains.add(counts[s].strains);
      }
    }
    return totals;
  }

  V3 place(Row displacements, size_t v) const {
    return rest_[v] + V3{displacements[3 * v], displacements[3 * v + 1], displacements[3 * v + 2]};
  }

  void measure_edges(Row displacements, std::span<float> lengths) const {
    for (size_t e = 0; e < edges_.size(); ++e)
      lengths[e] = length(place(displacements, edges_[e].a) - place(displacements, edges_[e].b));
  }

  // Returns the frame's RMSE in mm.
  float measure_distance(Row reference, Row predicted, Totals& sum, Counts& counts) const {
    double squares = 0, most = 0;
    for (size_t v = 0; v < rest_.size(); ++v) {
      const double d = squared_distance(reference, predicted, v);
      squares += d;
      most = std::max(most, d);
      counts.errors_mm.add(static_cast<float>(1000 * std::sqrt(d)));
    }
    ++sum.frames;
    sum.squares += squares;
    sum.most = std::max(sum.most, std::sqrt(most));
    return static_cast<float>(1000 * std::sqrt(squares / static_cast<double>(rest_.size())));
  }

  void measure_stretch(const Matrix& predicted, Index i, Work& work, Totals& sum, Counts& counts) const {
    work.lengths.resize(edges_.size());
    measure_edges(row_of(predicted, i), work.lengths);
    double strain = 0;
    for (size_t e = 0; e < edges_.size(); ++e) {
      const float s = std::fabs(work.lengths[e] / edges_[e].length - 1);
      strain += static_cast<double>(s);
      counts.strains.add(s);
    }
    sum.strain += strain / static_cast<double>(edges_.size());
    if (options_.sted)
      sum.space += sted_space(edges_, rest_.size(), row_of(work.true_lengths, i), work.lengths);
  }

  // Differences of frames in a row: of the first order a speed, of the second an acceleration. `before`: frames before.
  void measure_motion(const Matrix& reference, const Matrix& predicted, Index i, uint32_t before,
                      Totals& sum) const {
    if (before < 1) return;
    ++sum.steps;
    if (options_.sted)
      sum.time += sted_time(row_of(reference, i - 1), row_of(reference, i), row_of(predicted, i - 1),
                            row_of(predicted, i), spacing_);
    const auto add = [](const auto& real, const auto& ours, double& all_real, double& all_ours,
                        double& error) {
      all_real += static_cast<double>(real.squaredNorm());
      all_ours += static_cast<double>(ours.squaredNorm());
      error += static_cast<double>((ours - real).squaredNorm());
    };
    const auto speed = [i](const Matrix& x) { return (x.row(i) - x.row(i - 1)).eval(); };
    add(speed(reference), speed(predicted), sum.true_velocity, sum.velocity, sum.velocity_error);
    if (before < 2) return;
    ++sum.turns;
    const auto turn = [i](const Matrix& x) { return (x.row(i) - 2 * x.row(i - 1) + x.row(i - 2)).eval(); };
    add(turn(reference), turn(predicted), sum.true_acceleration, sum.acceleration, sum.acceleration_error);
  }

  void measure_penetration(uint32_t frame, Row reference, Row predicted, Work& work, Totals& sum) const {
    work.joints.resize(frames_.person().skeleton.size());
    frames_.joints(frame, work.joints);
    work.surface.pose(work.joints);
    const Transform rigid = frames_.rigid(frame);
    work.places.resize(rest_.size());
    for (size_t v = 0; v < rest_.size(); ++v) work.places[v] = apply(rigid, place(predicted, v));
    work.distances.resize(rest_.size());
    work.surface.query(work.places, work.distances, {}, kReach);
    count_inside(work, sum.inside);

    // Push out the vertices that are too near, and measure these anew.
    std::vector<size_t> moved;
    std::vector<V3> points;
    for (size_t v = 0; v < rest_.size(); ++v)
      if (work.distances[v] < options_.margin) moved.push_back(v), points.push_back(work.places[v]);
    push_out(work.surface, options_.margin, points);
    std::vector<float> distances(points.size());
    work.surface.query(points, distances, {}, kReach);
    for (size_t i = 0; i < moved.size(); ++i)
      work.places[moved[i]] = points[i], work.distances[moved[i]] = distances[i];
    count_inside(work, sum.pushed);
    for (size_t v = 0; v < rest_.size(); ++v) {
      const V3 off = work.places[v] - apply(rigid, place(reference, v));
      sum.pushed_squares += static_cast<double>(dot(off, off));
    }
  }

  // Of vertices whose places and distances are known.
  void count_inside(Work& work, PenetrationSums& sum) const {
    const auto count = [](std::span<const float> distances, std::array<double, 4>& deeper) {
      for (size_t k = 0; k < kDepths.size(); ++k)
        deeper[k] += static_cast<double>(
            std::count_if(distances.begin(), distances.end(), [&](float d) { return d < -kDepths[k]; }));
    };
    count(work.distances, sum.vertices);
    const double least = static_cast<double>(*std::min_element(work.distances.begin(), work.distances.end()));
    sum.deepest = std::max(sum.deepest, -least);
    sum.frames += least < 0 ? 1 : 0;
    // A distance changes no faster than the place: the middle of an edge is outside if an end is farther out than that.
    work.middles.clear();
    for (const Edge& e : edges_) {
      const V3 a = work.places[e.a], b = work.places[e.b];
      const float farther = std::max(work.distances[e.a], work.distances[e.b]);
      if (2 * farther <= length(a - b)) work.middles.push_back((a + b) * 0.5f);
    }
    work.middle_distances.resize(work.middles.size());
    work.surface.query(work.middles, work.middle_distances, {}, kReach);
    count(work.middle_distances, sum.edges);
  }

  // The most, and the mean, that points of either surface are away from the other.
  void compare_surfaces(Row reference, Row predicted, Totals& sum) const {
    std::vector<V3> a(rest_.size()), b(rest_.size());
    for (size_t v = 0; v < rest_.size(); ++v) a[v] = place(reference, v), b[v] = place(predicted, v);
    double most = 0, mean = 0, points = 0;
    const auto compare = [&](const std::vector<V3>& from, const std::vector<V3>& to) {
      const body::TriangleTree tree(to, frames_.garment().triangles);
      for (size_t v = 0; v < from.size(); v += kSurfaceSample) {
        const auto d = static_cast<double>(tree.nearest(from[v]).distance);
        most = std::max(most, d), mean += d, ++points;
      }
    };
    compare(a, b);
    compare(b, a);
    ++sum.surface_frames;
    sum.hausdorff += most;
    sum.chamfer += mean / points;
  }

  const Frames& frames_;
  std::span<const Predictor> predictors_;
  MeasureOptions options_;
  std::span<const V3> rest_;
  std::vector<Edge> edges_;
  std::vector<bool> measured_, chosen_;
  double spacing_ = 0;  // m, the mean edge
  std::mutex counting_;
  std::vector<SetCounts> counts_;
  std::vector<std::vector<float>> rmse_;
};

}  // namespace

std::vector<Measured> measure(const Frames& frames, std::span<const Predictor> predictors,
                              const MeasureOptions& options) {
  return Measurer(frames, predictors, options).run();
}

void push_out(const body::Surface& surface, float margin, std::span<V3> points) {
  constexpr int kMaxRounds = 16;  // as the runtime's
  std::vector<float> distances(points.size());
  std::vector<V3> gradients(points.size());
  bool inside = true;
  for (int round = 0; inside && round < kMaxRounds; ++round) {
    surface.query(points, distances, gradients, margin);
    inside = false;
    for (size_t i = 0; i < points.size(); ++i) {
      if (!(distances[i] < margin)) continue;
      points[i] += gradients[i] * (margin - distances[i]);
      inside |= distances[i] < 0.5f * margin;
    }
  }
}

}  // namespace billow::evaluate
