#include "ropes/fit_ropes.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "learn/frames.h"
#include "learn/model.h"
#include "parallel.h"

namespace billow::ropes {
namespace {

using Eigen::Index;

// A searched setting. A value below `min` becomes 0, and 0 is increased to `min`. Mass is not searched: only the ratio of forces
// to mass matters, and mass is known.
struct SearchedSetting {
  const char* name;
  float* (*of)(billow_settings&);
  float min, max;
};

constexpr SearchedSetting kSearchedSettings[] = {
    {"panel_drag", [](billow_settings& s) { return &s.panel_drag; }, 0.1f, 10},
    {"lateral_compression", [](billow_settings& s) { return &s.lateral_compression.value; }, 0.002f, 1000},
    {"panel_folds", [](billow_settings& s) { return &s.panel_folds; }, 0.05f, 1},
    {"panel_lift", [](billow_settings& s) { return &s.panel_lift; }, 0.05f, 10},
    {"lateral_shear", [](billow_settings& s) { return &s.lateral_shear.value; }, 0.05f, 1000},
    {"lateral_stretch", [](billow_settings& s) { return &s.lateral_stretch.value; }, 0.05f, 1000},
    {"damping", [](billow_settings& s) { return &s.damping.value; }, 0.1f, 100},
    {"global_damping", [](billow_settings& s) { return &s.global_damping; }, 0.02f, 100},
    {"friction", [](billow_settings& s) { return &s.friction; }, 0.02f, 2},
    {"rest_angle", [](billow_settings& s) { return &s.rest_angle.value; }, 0.0005f, 10},
    {"radius", [](billow_settings& s) { return &s.radius.value; }, 0.001f, 0.05f},
};

class SettingsSearch {
 public:
  SettingsSearch(const Frames& frames, const FitOptions& options) : frames_(frames), options_(options) {
    ClipParts parts = clip_parts(frames);
    if (parts.train.size() + parts.validation.size() < 2)
      throw std::runtime_error("ropes: expected at least two training clips, found " +
                               std::to_string(parts.train.size() + parts.validation.size()));
    if (parts.validation.empty()) {  // with two to four clips, validate on the last one
      parts.validation.push_back(parts.train.back());
      parts.train.pop_back();
    }
    const size_t all = parts.train.size(), count = options.clips == 0 ? all : std::min(all, options.clips);
    for (size_t i = 0; i < count; ++i) train_.push_back(parts.train[i * all / count]);
    validation_ = parts.validation;
    std::vector<uint32_t> all_frames(frames.size());
    std::iota(all_frames.begin(), all_frames.end(), 0u);
    embedded_ = learn::bone_matrix(frames, all_frames, learn::Source::kEmbedded);
    ropes_.resize(embedded_.rows(), embedded_.cols());
  }

  double on_train(const billow_settings& s) { return score(s, train_); }
  double on_validation(const billow_settings& s) { return score(s, validation_); }

 private:
  double score(const billow_settings& settings, const std::vector<size_t>& clips) {
    for_each_in_parallel(
        clips.size(),
        [&](size_t i) {
          const Frames::ClipRange& clip = frames_.clips()[clips[i]];
          ropes_.middleRows(clip.begin, clip.end - clip.begin) =
              simulate_clip(frames_, cloth_, clip, settings);
        },
        options_.threads);
    return measure_tracking(frames_, embedded_, ropes_, clips, 0).score;
  }

  const Frames& frames_;
  const FitOptions& options_;
  const garment::ChainCloth cloth_ = garment::chain_cloth(frames_.garment());
  std::vector<size_t> train_, validation_;
  Matrix embedded_, ropes_;
};

// Multiplies or divides a setting by a factor. Returns it unchanged at its limit.
billow_settings changed(billow_settings s, const SearchedSetting& which, double factor, bool up) {
  float& value = *which.of(s);
  if (up)
    value = value < which.min ? which.min : std::min(which.max, value * static_cast<float>(factor));
  else
    value = value / static_cast<float>(factor) < which.min ? 0 : value / static_cast<float>(factor);
  // A radius of 0 would let bones fall into the body.
  if (value == 0 && &value == &s.radius.value) value = which.min;
  return s;
}

}  // namespace

learn::Network fit_correction(const Frames& frames, const Matrix& embedded, const Matrix& ropes,
                              size_t threads) {
  constexpr uint32_t kStride = 2;  // neighbouring frames are redundant
  std::vector<uint32_t> which, groups;
  for (uint32_t c = 0; c < frames.clips().size(); ++c) {
    const Frames::ClipRange& clip = frames.clips()[c];
    for (uint32_t f = clip.begin; f < clip.end; f += kStride)
      if (frames.part(f) == dataset::Part::kTrain) which.push_back(f), groups.push_back(c);
  }
  Matrix inputs(static_cast<Eigen::Index>(which.size()), ropes.cols()), outputs = inputs;
  for (Eigen::Index i = 0; i < inputs.rows(); ++i) {
    const auto f = static_cast<Eigen::Index>(which[static_cast<size_t>(i)]);
    inputs.row(i) = ropes.row(f);
    outputs.row(i) = embedded.row(f) - ropes.row(f);
  }
  learn::RidgeOptions options;
  options.threads = threads;
  for (const double penalty : {1.0, 10.0, 100.0}) options.penalties.push_back(penalty);
  const learn::Ridge ridge = learn::fit_ridge(inputs, outputs, groups, options);
  // Discard the fit unless it improves held-out clips.
  const double uncorrected = std::sqrt(static_cast<double>(outputs.rowwise().squaredNorm().mean()));
  if (ridge.errors.empty() || *std::min_element(ridge.errors.begin(), ridge.errors.end()) >= uncorrected)
    return {};
  return ridge.network;
}

RopeTracking measure_tracking(const Frames& frames, const Matrix& embedded, const Matrix& ropes,
                              const std::vector<size_t>& clips, double from_seconds) {
  const double fps = frames.info().frames_per_second;
  std::vector<Index> which;
  double reference = 0, energy = 0;
  for (const size_t c : clips) {
    const Frames::ClipRange& clip = frames.clips()[c];
    // Velocities need the previous frame.
    const auto first =
        clip.begin + std::max<uint32_t>(1, static_cast<uint32_t>(std::ceil(from_seconds * fps)));
    for (Index f = first; f < static_cast<Index>(clip.end); ++f) {
      which.push_back(f);
      reference += static_cast<double>((embedded.row(f) - embedded.row(f - 1)).squaredNorm());
      energy += static_cast<double>((ropes.row(f) - ropes.row(f - 1)).squaredNorm());
    }
  }
  Matrix differences(static_cast<Index>(which.size()), embedded.cols());
  for (Index i = 0; i < differences.rows(); ++i)
    differences.row(i) =
        ropes.row(which[static_cast<size_t>(i)]) - embedded.row(which[static_cast<size_t>(i)]);
  RopeTracking out;
  out.gap = evaluate::split_gap(frames.garment(), differences);
  out.velocity_energy = reference > 0 ? energy / reference : 1;
  out.score =
      out.gap.rms_mm * (1 + kEnergyPenalty * std::fabs(std::log(std::max(out.velocity_energy, 1e-6))));
  return out;
}

ClipParts clip_parts(const Frames& frames) {
  constexpr size_t kValidationEvery = 5;
  ClipParts parts;
  size_t count = 0;
  for (size_t c = 0; c < frames.clips().size(); ++c)
    if (frames.part(frames.clips()[c].begin) == dataset::Part::kUnseen)
      parts.unseen.push_back(c);
    else
      (++count % kValidationEvery == 0 ? parts.validation : parts.train).push_back(c);
  return parts;
}

Report measure_ropes(const Frames& frames, const ChainDynamics& dynamics, size_t threads) {
  std::vector<uint32_t> all(frames.size());
  std::iota(all.begin(), all.end(), 0u);
  const Matrix embedded = learn::bone_matrix(frames, all, learn::Source::kEmbedded);
  Report report;
  const Matrix ropes = simulate_ropes(frames, dynamics, threads, &report.cost);
  const ClipParts parts = clip_parts(frames);
  report.train = measure_tracking(frames, embedded, ropes, parts.train, 0);
  report.validation = measure_tracking(frames, embedded, ropes, parts.validation, 0);
  const auto unseen = [&](const Matrix& bones) {
    RopeTracking f = measure_tracking(frames, embedded, bones, parts.unseen, evaluate::kSettled);
    f.gap = evaluate::rope_gap(frames, {"embedded", embedded}, {"rope", bones});
    return f;
  };
  report.unseen = unseen(ropes);
  report.shape = measure_shape(frames, ropes, parts.unseen, evaluate::kSettled);
  report.reference_shape = measure_shape(frames, embedded, parts.unseen, evaluate::kSettled);
  for (const size_t c : parts.unseen) {
    const RopeTracking f = measure_tracking(frames, embedded, ropes, {c}, evaluate::kSettled);
    Report::Clip clip{frames.info().clips[frames.clips()[c].clip].name, f.gap.rms_mm, f.velocity_energy, 0};
    for (const auto& floor : frames.info().chaos)
      if (floor.name == clip.name) clip.chaos_floor_mm = floor.bones;
    report.clips.push_back(clip);
  }
  if (!parts.train.empty())
    report.corrected = unseen(learn::corrected(fit_correction(frames, embedded, ropes, threads), ropes));
  return report;
}

Fit fit_ropes(const Frames& frames, const billow_settings& start, const FitOptions& options) {
  constexpr double kMinGain = 0.005;  // relative to the score: a smaller gain of a round reduces the factor
  SettingsSearch search(frames, options);
  Fit fit{start, {}, 0};
  billow_settings now = start;
  double best = search.on_train(now), chosen = search.on_validation(now), factor = options.factor;
  fit.rounds.push_back({best, chosen});
  size_t done = 0;
  const double all = static_cast<double>(options.rounds) * static_cast<double>(std::size(kSearchedSettings));
  for (int round = 0; round < options.rounds; ++round) {
    const double previous = best;
    for (const SearchedSetting& which : kSearchedSettings) {
      for (const bool up : {true, false}) {
        const billow_settings next = changed(now, which, factor, up);
        const float previous_value = *which.of(now);
        billow_settings copy = next;
        if (*which.of(copy) == previous_value) continue;
        const double score = search.on_train(next);
        ++fit.tries;
        if (!(score < best)) continue;
        best = score, now = next;
        break;
      }
      if (options.report)
        options.report(static_cast<double>(++done) / all, "round " + std::to_string(round + 1) + ", " +
                                                              which.name + ": " + std::to_string(best));
    }
    fit.rounds.push_back({best, search.on_validation(now)});
    if (fit.rounds.back().validation < chosen) chosen = fit.rounds.back().validation, fit.settings = now;
    if (previous - best < kMinGain * previous) factor = std::sqrt(factor);
  }
  return fit;
}

}  // namespace billow::ropes
