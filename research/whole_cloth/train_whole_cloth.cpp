#include "research/whole_cloth/train_whole_cloth.h"

#include <algorithm>
#include <stdexcept>

#include "learn/pca.h"
#include "learn/ridge.h"
#include "parallel.h"
#include "research/whole_cloth/bases.h"
#include "train/vertex_losses.h"

namespace billow::research {

using namespace train;  // whose stages and losses these are

namespace {

using learn::Basis;
using learn::Rows;
using learn::Source;

// A consecutive range of samples: frames with bones of one source.
struct Samples {
  std::vector<uint32_t> frames;
  Source source = Source::kEmbedded;
  bool in_data_term = true;  // else in the collision term only
  bool validation = false;
};

std::vector<Samples> choose_samples(const FrameSplit& split, const Options& options) {
  std::vector<Samples> all;
  for (const bool validation : {false, true}) {
    const auto& frames = validation ? split.validation : split.train;
    if (options.bones != Bones::kRope) all.push_back({frames, Source::kEmbedded, true, validation});
    if (options.bones != Bones::kEmbedded) all.push_back({frames, Source::kRope, true, validation});
    if (options.bones == Bones::kEmbedded && options.rope_in_collision)
      all.push_back({frames, Source::kRope, false, validation});
  }
  return all;
}

Matrix inputs_of(const learn::Frames& frames, const std::vector<Samples>& samples) {
  Eigen::Index count = 0, at = 0;
  for (const Samples& s : samples) count += static_cast<Eigen::Index>(s.frames.size());
  Matrix inputs(count, static_cast<Eigen::Index>(frames.bone_values()));
  for (const Samples& s : samples) {
    inputs.middleRows(at, static_cast<Eigen::Index>(s.frames.size())) =
        bone_matrix(frames, s.frames, s.source);
    at += static_cast<Eigen::Index>(s.frames.size());
  }
  return inputs;
}

// Cloth that a stage learns: displacements, or the residual of the previous stage.
Rows truth_of(const learn::Frames& frames, const Samples& samples, const learn::Stage* previous) {
  return previous ? residual_rows(frames, samples.frames, bone_matrix(frames, samples.frames, samples.source),
                                  *previous)
                  : cloth_rows(frames, samples.frames);
}

// Concatenates rows.
Rows joined(std::vector<Rows> blocks) {
  if (blocks.size() == 1) return blocks[0];
  Rows all{0, blocks.at(0).values, {}};
  for (const Rows& part : blocks) all.count += part.count;
  all.fill = [blocks](size_t first, Eigen::Ref<Matrix> out) {
    Eigen::Index done = 0;
    for (const Rows& part : blocks) {
      if (first < part.count && done < out.rows()) {
        const auto rows = std::min(static_cast<Eigen::Index>(part.count - first), out.rows() - done);
        part.fill(first, out.middleRows(done, rows));
        done += rows, first = 0;
      } else if (done == 0) {
        first -= part.count;
      }
    }
  };
  return all;
}

// Projects rows onto a basis. Writes coefficients and squared residuals from row `at` on.
void project(const Rows& rows, const Basis& basis, Eigen::Index at, Matrix& coefficients,
             Vector& pca_residual) {
  constexpr size_t kBlock = 32;
  for_each_in_parallel((rows.count + kBlock - 1) / kBlock, [&](size_t b) {
    const size_t first = b * kBlock;
    const auto count = static_cast<Eigen::Index>(std::min(kBlock, rows.count - first));
    Matrix block(count, static_cast<Eigen::Index>(rows.values));
    rows.fill(first, block);
    block.rowwise() -= basis.mean.transpose();
    const Matrix c = block * basis.modes.transpose();
    const Eigen::Index to = at + static_cast<Eigen::Index>(first);
    coefficients.middleRows(to, count) = c;
    pca_residual.segment(to, count) = (block.rowwise().squaredNorm() - c.rowwise().squaredNorm()).cwiseMax(0);
  });
}

class WholeClothTraining {
 public:
  WholeClothTraining(const learn::Frames& frames, const Options& options, const TrainRun& run)
      : frames_(frames), options_(options), run_(run), scene_(frames) {
    record_.garment = frames.info().garment;
    record_.options = options;
    record_.device = device_name(options.device);
    record_.frames = split_frames(frames, options);
    samples_ = choose_samples(record_.frames, options);
    inputs_ = inputs_of(frames, samples_);
    record_.samples = static_cast<size_t>(inputs_.rows());
  }

  Result train() {
    const auto began = Clock::now();
    learn::Model model;
    model.skinning = stage("skinning", options_.skinning, nullptr);
    if (options_.with_shape) model.shape = stage("shape", options_.shape, &model.skinning);
    record_.seconds = seconds_since(began);
    return {std::move(model), std::move(record_)};
  }

 private:
  learn::Stage stage(const std::string& name, const StageOptions& options, const learn::Stage* previous) {
    StageRecord record;
    record.name = name, record.options = options;
    learn::Stage stage;
    stage.basis = make_basis(record, previous);
    StageTask task = make_task(record, stage.basis, previous);

    // Losses on vertices.
    Vector base = stage.basis.mean + rest();
    if (previous) base += previous->basis.mean;
    const Expansion expansion(std::move(base), stage.basis.modes,
                              previous ? previous->basis.modes : Matrix());
    CollisionTerm collision(scene_, options.collision, expansion);
    const EdgeTerm edges(options.length_weight > 0 ? pattern_edges(frames_.garment()) : std::vector<Edge>(),
                         expansion);
    if (options.collision.weight > 0) task.collision = &collision;
    if (options.length_weight > 0) task.edges = &edges;

    Run run{options_.seed, options_.device, {}, run_.checkpoint_seconds, run_.report};
    if (!run_.checkpoints.empty()) run.checkpoint = run_.checkpoints + name;
    log(name + ": " + std::to_string(task.train.data.size()) + " training samples, " +
        std::to_string(task.validation.data.size()) + " for validation, " + std::to_string(options.epochs) +
        " epochs on the " + record_.device);
    record.result = train_stage(task, options, run);
    stage.network = record.result.network;
    record_.stages.push_back(std::move(record));
    return stage;
  }

  Basis make_basis(StageRecord& record, const learn::Stage* previous) const {
    const auto began = Clock::now();
    log(record.name + ": principal components of " + std::to_string(record_.frames.train.size()) + " frames");
    std::vector<Rows> blocks;
    for (const Samples& s : samples_)
      if (s.in_data_term && !s.validation) {
        blocks.push_back(truth_of(frames_, s, previous));
        if (!previous) break;  // the cloth does not depend on the source
      }
    learn::PcaOptions pca_options;
    pca_options.components = static_cast<size_t>(record.options.components);
    const learn::Pca pca = principal_components(joined(std::move(blocks)), pca_options);
    record.basis_seconds = seconds_since(began);
    record.components = pca.basis.components();
    record.basis_explained = pca.explained(pca.basis.components());
    record.basis_floor_mm = 1e3 * pca.rms_residual(pca.basis.components());
    return pca.basis;
  }

  StageTask make_task(StageRecord& record, const Basis& basis, const learn::Stage* previous) const {
    StageTask task;
    task.name = record.name;
    task.inputs = inputs_;
    task.vertices = frames_.garment().size();
    task.truth.setZero(inputs_.rows(), basis.components());
    task.pca_residual.setZero(inputs_.rows());
    if (previous) task.frozen = previous->network(inputs_);
    Eigen::Index at = 0;
    for (const Samples& s : samples_) {
      SampleSet& part = s.validation ? task.validation : task.train;
      for (size_t i = 0; i < s.frames.size(); ++i)
        (s.in_data_term ? part.data : part.collision_only)
            .push_back(static_cast<uint32_t>(at) + static_cast<uint32_t>(i));
      task.frames.insert(task.frames.end(), s.frames.begin(), s.frames.end());
      if (s.in_data_term) project(truth_of(frames_, s, previous), basis, at, task.truth, task.pca_residual);
      at += static_cast<Eigen::Index>(s.frames.size());
    }
    task.start = make_start(record, task);
    return task;
  }

  // Standardisation of the inputs, and the linear path if there is one.
  learn::Network make_start(StageRecord& record, const StageTask& task) const {
    const auto& rows = task.train.data;
    const Matrix inputs = task.inputs(rows, Eigen::all);
    const learn::Scaling scaling =
        record.options.scaling == Scaling::kFeature ? learn::Scaling::kFeature : learn::Scaling::kOne;
    if (record.options.linear) {
      std::vector<uint32_t> groups;
      for (uint32_t row : rows) groups.push_back(clip_of(task.frames[row]));
      learn::RidgeOptions options;
      options.scaling = scaling;
      learn::Ridge ridge = fit_ridge(inputs, task.truth(rows, Eigen::all), groups, options);
      record.ridge_penalty = ridge.penalty;
      return std::move(ridge.network);
    }
    learn::Network start;
    start.mean = Vector::Zero(inputs.cols()), start.scale = Vector::Ones(inputs.cols());
    if (record.options.scaling != Scaling::kNone) {
      const learn::Standardisation standard = standardise(inputs, scaling);
      start.mean = standard.mean, start.scale = standard.scale;
    }
    return start;
  }

  uint32_t clip_of(uint32_t frame) const {
    const auto clips = frames_.clips();
    const auto after = std::upper_bound(clips.begin(), clips.end(), frame,
                                        [](uint32_t f, const auto& run) { return f < run.begin; });
    return static_cast<uint32_t>(after - clips.begin()) - 1;
  }

  Vector rest() const {
    return Eigen::Map<const Vector>(&frames_.rest()[0].x, static_cast<Eigen::Index>(frames_.cloth_values()));
  }
  void log(const std::string& line) const {
    if (run_.log) run_.log(line);
  }

  const learn::Frames& frames_;
  const Options& options_;
  const TrainRun& run_;
  FramesScene scene_;
  Record record_;
  std::vector<Samples> samples_;
  Matrix inputs_;
};

}  // namespace

Options paper_options() {
  Options o;
  o.form = Form::kWhole;
  for (StageOptions* s : {&o.skinning, &o.shape}) {
    s->activation = learn::Activation::kRelu;
    s->scaling = Scaling::kNone;
    s->scale_outputs = s->linear = s->tune_linear = false;
    s->weight_decay = s->dropout = s->noise = 0;
    s->edge_weight = s->length_weight = 0;
  }
  o.skinning.rate = 1e-4, o.shape.rate = 1e-5;
  o.validation = Validation::kFrames;
  o.bones = Bones::kEmbedded;
  o.rope_in_collision = false;
  return o;
}

Result train_whole_cloth(const learn::Frames& frames, const Options& options, const TrainRun& run) {
  validate(options);
  if (options.form != Form::kWhole)
    throw std::invalid_argument("whole cloth: expected options of that form, found those of patches");
  return WholeClothTraining(frames, options, run).train();
}

}  // namespace billow::research
