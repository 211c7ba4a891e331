#include "ropes/fit_ropes.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "learn/rows.h"
#include "parallel.h"

namespace billow::ropes {
namespace {

// A setting that is searched. Mass is none: only what forces are to it counts, and it is known. Where it is 0 it starts from `least`, and what falls under that is 0 again.
struct Searched {
  const char* name;
  float* (*of)(billow_settings&);
  float least, most;
};

constexpr Searched kSearched[] = {
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

class Search {
 public:
  Search(const Frames& frames, const FitOptions& options) : frames_(frames), options_(options) {
    ClipParts parts = clip_parts(frames);
    if (parts.train.size() + parts.validation.size() < 2)
      throw std::runtime_error("ropes: expected at least two clips to learn from, found " +
                               std::to_string(parts.train.size() + parts.validation.size()));
    if (parts.validation.empty()) {  // of two to four clips the last one judges
      parts.validation.push_back(parts.train.back());
      parts.train.pop_back();
    }
    const size_t all = parts.train.size(), take = options.clips == 0 ? all : std::min(all, options.clips);
    for (size_t i = 0; i < take; ++i) train_.push_back(parts.train[i * all / take]);
    validation_ = parts.validation;
    std::vector<uint32_t> every(frames.size());
    std::iota(every.begin(), every.end(), 0u);
    embedded_ = learn::bone_matrix(frames, every, learn::Source::kEmbedded);
    ropes_.resize(embedded_.rows(), embedded_.cols());
  }

  double on_train(const billow_settings& s) { return score(s, train_); }
  double on_validation(const billow_settings& s) { return score(s, validation_); }

 private:
  double score(const billow_settings& settings, const std::vector<size_t>& clips) {
    for_each_in_parallel(
        clips.size(),
        [&](size_t i) {
          const Frames::Run& clip = frames_.clips()[clips[i]];
          ropes_.middleRows(clip.begin, clip.end - clip.begin) =
              simulate_clip(frames_, cloth_, clip, settings);
        },
        options_.threads);
    return follow(frames_, embedded_, ropes_, clips, 0).score;
  }

  const Frames& frames_;
  const FitOptions& options_;
  const garment::ChainCloth cloth_ = garment::chain_cloth(frames_.garment());
  std::vector<size_t> train_, validation_;
  Matrix embedded_, ropes_;
};

// `up` and down by a factor; the same if it is at its limit.
billow_settings changed(billow_settings s, const Searched& which, double factor, bool up) {
  float& value = *which.of(s);
  if (up)
    value = value < which.least ? which.least : std::min(which.most, value * static_cast<float>(factor));
  else
    value = value / static_cast<float>(factor) < which.least ? 0 : value / static_cast<float>(factor);
  // Bones of no size fall into the body.
  if (value == 0 && &value == &s.radius.value) value = which.least;
  return s;
}

}  // namespace

Fit fit_ropes(const Frames& frames, const billow_settings& start, const FitOptions& options) {
  constexpr double kLittle = 0.005;  // of the score: a round that gains less has smaller steps after it
  Search search(frames, options);
  Fit fit{start, {}, 0};
  billow_settings now = start;
  double best = search.on_train(now), chosen = search.on_validation(now), factor = options.factor;
  fit.rounds.push_back({best, chosen});
  size_t done = 0;
  const double all = static_cast<double>(options.rounds) * static_cast<double>(std::size(kSearched));
  for (int round = 0; round < options.rounds; ++round) {
    const double before = best;
    for (const Searched& which : kSearched) {
      for (const bool up : {true, false}) {
        const billow_settings next = changed(now, which, factor, up);
        const float was = *which.of(now);
        billow_settings copy = next;
        if (*which.of(copy) == was) continue;
        const double found = search.on_train(next);
        ++fit.tries;
        if (!(found < best)) continue;
        best = found, now = next;
        break;
      }
      if (options.report)
        options.report(static_cast<double>(++done) / all, "round " + std::to_string(round + 1) + ", " +
                                                              which.name + ": " + std::to_string(best));
    }
    fit.rounds.push_back({best, search.on_validation(now)});
    if (fit.rounds.back().validation < chosen) chosen = fit.rounds.back().validation, fit.settings = now;
    if (before - best < kLittle * before) factor = std::sqrt(factor);
  }
  return fit;
}

}  // namespace billow::ropes
