#include "research/comparison/measure.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <stdexcept>
#include <string>

#include "body/mesh_distance.h"
#include "evaluate/sted.h"
#include "parallel.h"
#include "research/comparison/sums.h"

namespace billow::research {
namespace {

using Eigen::Index;
using evaluate::Edge;
using Row = std::span<const float>;

constexpr uint32_t kChunk = 48;       // frames predicted together
constexpr uint32_t kLookback = 2;     // preceding frames that velocities and accelerations need
constexpr size_t kSurfaceStride = 4;  // every n-th vertex is compared with the other surface
constexpr float kQueryLimit = 0.01f;  // m, distances to the body are exact up to this

static_assert(sizeof(V3) == 3 * sizeof(float), "rows are reinterpreted as V3");

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

// Consecutive frames of one clip: [begin, end) is measured, [first, begin) precedes it.
struct Chunk {
  uint32_t first, begin, end;
};

std::vector<Chunk> make_chunks(const Frames& frames) {
  std::vector<Chunk> chunks;
  for (const Frames::ClipRange& run : frames.clips())
    for (uint32_t begin = run.begin; begin < run.end; begin += kChunk)
      chunks.push_back({std::max(run.begin, begin - std::min(begin, kLookback)), begin,
                        std::min(run.end, begin + kChunk)});
  return chunks;
}

// Flags of the frames to measure: every n-th training frame, all others.
std::vector<bool> frames_to_measure(const Frames& frames, size_t train_every) {
  std::vector<bool> measured(frames.size(), true);
  const auto train = frames.of(dataset::Part::kTrain);
  for (size_t i = 0; i < train.size(); ++i) measured[train[i]] = i % std::max<size_t>(1, train_every) == 0;
  return measured;
}

// Flags of up to `per_set` measured frames of each set, evenly spaced.
std::vector<bool> choose_frames(const Frames& frames, const std::vector<bool>& measured, size_t per_set) {
  std::vector<bool> chosen(frames.size());
  for (const dataset::Part part : kSets) {
    std::vector<uint32_t> all;
    for (const uint32_t f : frames.of(part))
      if (measured[f]) all.push_back(f);
    for (size_t k = 0; k < std::min(per_set, all.size()); ++k)
      chosen[all[(2 * k + 1) * all.size() / (2 * std::min(per_set, all.size()))]] = true;
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
        edges_(evaluate::edges_of(frames.garment())),
        measured_(frames_to_measure(frames, options.train_every)),
        compare_surface_(choose_frames(frames, measured_, options.everything ? options.surface_frames : 0)) {
    for (const Edge& e : edges_) spacing_ += static_cast<double>(e.length);
    spacing_ /= std::max(1.0, static_cast<double>(edges_.size()));
  }

  std::vector<Measured> run() {
    const std::vector<Chunk> chunks = make_chunks(frames_);
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

  // Scratch memory.
  struct Scratch {
    explicit Scratch(const Frames& frames)
        : surface(frames.character().skeleton, frames.character().colliders,
                  frames.garment().contacts.rigid_groups()) {}
    body::Surface surface;
    std::vector<V3> positions, midpoints;
    std::vector<float> distances, midpoint_distances;
    std::vector<Transform> joints;
    Matrix true_lengths;  // frames of the chunk x edges
    std::vector<float> lengths;
  };

  // The measured frames of a chunk and, for motion, those that precede them.
  std::vector<uint32_t> frames_needed(const Chunk& chunk) const {
    std::vector<uint32_t> which;
    const uint32_t lookback = options_.everything ? kLookback : 0;
    for (uint32_t f = chunk.first; f < chunk.end; ++f)
      for (uint32_t g = std::max(f, chunk.begin); g < std::min(chunk.end, f + lookback + 1); ++g)
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
    Scratch scratch(frames_);
    if (options_.everything) {
      scratch.true_lengths.resize(reference.rows(), static_cast<Index>(edges_.size()));
      for (Index i = 0; i < reference.rows(); ++i)
        measure_edges(row_of(reference, i), {scratch.true_lengths.row(i).data(), edges_.size()});
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
        measure_stretch(predicted, i, scratch, sum, counts[set]);
        measure_motion(reference, predicted, i, std::min(kLookback, f - chunk.first), sum);
        measure_penetration(f, row_of(reference, i), row_of(predicted, i), scratch, sum);
        if (compare_surface_[f]) compare_surfaces(row_of(reference, i), row_of(predicted, i), sum);
      }
      const std::lock_guard lock(counts_mutex_);
      for (size_t s = 0; s < kSets.size(); ++s) {
        counts_[p][s].errors_mm.add(counts[s].errors_mm);
        counts_[p][s].strains.add(counts[s].strains);
      }
    }
    return totals;
  }

  V3 position(Row displacements, size_t v) const {
    return rest_[v] + V3{displacements[3 * v], displacements[3 * v + 1], displacements[3 * v + 2]};
  }

  void measure_edges(Row displacements, std::span<float> lengths) const {
    for (size_t e = 0; e < edges_.size(); ++e)
      lengths[e] = length(position(displacements, edges_[e].a) - position(displacements, edges_[e].b));
  }

  // Returns the frame's RMSE in mm.
  float measure_distance(Row reference, Row predicted, Totals& sum, Counts& counts) const {
    double squares = 0, max_square = 0;
    for (size_t v = 0; v < rest_.size(); ++v) {
      const double d = squared_distance(reference, predicted, v);
      squares += d;
      max_square = std::max(max_square, d);
      counts.errors_mm.add(static_cast<float>(1000 * std::sqrt(d)));
    }
    ++sum.frames;
    sum.squares += squares;
    sum.max_error = std::max(sum.max_error, std::sqrt(max_square));
    return static_cast<float>(1000 * std::sqrt(squares / static_cast<double>(rest_.size())));
  }

  void measure_stretch(const Matrix& predicted, Index i, Scratch& scratch, Totals& sum,
                       Counts& counts) const {
    scratch.lengths.resize(edges_.size());
    measure_edges(row_of(predicted, i), scratch.lengths);
    double strain = 0;
    for (size_t e = 0; e < edges_.size(); ++e) {
      const float s = std::fabs(scratch.lengths[e] / edges_[e].length - 1);
      strain += static_cast<double>(s);
      counts.strains.add(s);
    }
    sum.strain += strain / static_cast<double>(edges_.size());
    if (options_.sted)
      sum.space +=
          evaluate::sted_space(edges_, rest_.size(), row_of(scratch.true_lengths, i), scratch.lengths);
  }

  // Velocities and accelerations as finite differences. `preceding`: number of available preceding frames.
  void measure_motion(const Matrix& reference, const Matrix& predicted, Index i, uint32_t preceding,
                      Totals& sum) const {
    if (preceding < 1) return;
    ++sum.velocity_frames;
    if (options_.sted)
      sum.time += evaluate::sted_time(row_of(reference, i - 1), row_of(reference, i),
                                      row_of(predicted, i - 1), row_of(predicted, i), spacing_);
    const auto add = [](const auto& expected, const auto& found, double& expected_squares,
                        double& found_squares, double& error_squares) {
      expected_squares += static_cast<double>(expected.squaredNorm());
      found_squares += static_cast<double>(found.squaredNorm());
      error_squares += static_cast<double>((found - expected).squaredNorm());
    };
    const auto velocity = [i](const Matrix& x) { return (x.row(i) - x.row(i - 1)).eval(); };
    add(velocity(reference), velocity(predicted), sum.true_velocity, sum.velocity, sum.velocity_error);
    if (preceding < 2) return;
    ++sum.acceleration_frames;
    const auto acceleration = [i](const Matrix& x) {
      return (x.row(i) - 2 * x.row(i - 1) + x.row(i - 2)).eval();
    };
    add(acceleration(reference), acceleration(predicted), sum.true_acceleration, sum.acceleration,
        sum.acceleration_error);
  }

  void measure_penetration(uint32_t frame, Row reference, Row predicted, Scratch& scratch,
                           Totals& sum) const {
    scratch.joints.resize(frames_.character().skeleton.size());
    frames_.joints(frame, scratch.joints);
    scratch.surface.pose(scratch.joints);
    const Transform rigid = frames_.rigid(frame);
    scratch.positions.resize(rest_.size());
    for (size_t v = 0; v < rest_.size(); ++v) scratch.positions[v] = apply(rigid, position(predicted, v));
    scratch.distances.resize(rest_.size());
    scratch.surface.query(scratch.positions, scratch.distances, {}, kQueryLimit);
    count_inside(scratch, sum.inside);

    // Push out vertices within the margin, and measure these again.
    std::vector<size_t> moved;
    std::vector<V3> points;
    for (size_t v = 0; v < rest_.size(); ++v)
      if (scratch.distances[v] < options_.margin) moved.push_back(v), points.push_back(scratch.positions[v]);
    push_out(scratch.surface, options_.margin, points);
    std::vector<float> distances(points.size());
    scratch.surface.query(points, distances, {}, kQueryLimit);
    for (size_t i = 0; i < moved.size(); ++i)
      scratch.positions[moved[i]] = points[i], scratch.distances[moved[i]] = distances[i];
    count_inside(scratch, sum.pushed);
    for (size_t v = 0; v < rest_.size(); ++v) {
      const V3 error = scratch.positions[v] - apply(rigid, position(reference, v));
      sum.pushed_squares += static_cast<double>(dot(error, error));
    }
  }

  // Counts penetrating vertices and edge midpoints, from scratch.positions and scratch.distances.
  void count_inside(Scratch& scratch, PenetrationSums& sum) const {
    const auto count = [](std::span<const float> distances, std::array<double, 4>& deeper) {
      for (size_t k = 0; k < kDepths.size(); ++k)
        deeper[k] += static_cast<double>(
            std::count_if(distances.begin(), distances.end(), [&](float d) { return d < -kDepths[k]; }));
    };
    count(scratch.distances, sum.vertices);
    const double nearest =
        static_cast<double>(*std::min_element(scratch.distances.begin(), scratch.distances.end()));
    sum.deepest = std::max(sum.deepest, -nearest);
    sum.frames += nearest < 0 ? 1 : 0;
    // The distance is 1-Lipschitz: a midpoint is outside if an end is farther out than half the edge length.
    scratch.midpoints.clear();
    for (const Edge& e : edges_) {
      const V3 a = scratch.positions[e.a], b = scratch.positions[e.b];
      const float farther = std::max(scratch.distances[e.a], scratch.distances[e.b]);
      if (2 * farther <= length(a - b)) scratch.midpoints.push_back((a + b) * 0.5f);
    }
    scratch.midpoint_distances.resize(scratch.midpoints.size());
    scratch.surface.query(scratch.midpoints, scratch.midpoint_distances, {}, kQueryLimit);
    count(scratch.midpoint_distances, sum.edges);
  }

  // Hausdorff and Chamfer distances, in both directions.
  void compare_surfaces(Row reference, Row predicted, Totals& sum) const {
    std::vector<V3> a(rest_.size()), b(rest_.size());
    for (size_t v = 0; v < rest_.size(); ++v) a[v] = position(reference, v), b[v] = position(predicted, v);
    double max_distance = 0, sum_of_distances = 0, points = 0;
    const auto compare = [&](const std::vector<V3>& from, const std::vector<V3>& to) {
      const body::TriangleTree tree(to, frames_.garment().triangles);
      for (size_t v = 0; v < from.size(); v += kSurfaceStride) {
        const auto d = static_cast<double>(tree.nearest(from[v]).distance);
        max_distance = std::max(max_distance, d), sum_of_distances += d, ++points;
      }
    };
    compare(a, b);
    compare(b, a);
    ++sum.surface_frames;
    sum.hausdorff += max_distance;
    sum.chamfer += sum_of_distances / points;
  }

  const Frames& frames_;
  std::span<const Predictor> predictors_;
  MeasureOptions options_;
  std::span<const V3> rest_;
  std::vector<Edge> edges_;
  std::vector<bool> measured_, compare_surface_;
  double spacing_ = 0;  // m, mean edge length
  std::mutex counts_mutex_;
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

}  // namespace billow::research
