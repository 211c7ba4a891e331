#include "ropes/measure_ropes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/correction.h"
#include "learn/rows.h"
#include "ropes/correct_ropes.h"

namespace billow::ropes {

using Eigen::Index;

Followed follow(const Frames& frames, const Matrix& embedded, const Matrix& ropes,
                const std::vector<size_t>& clips, double from_seconds) {
  const double fps = frames.info().frames_per_second;
  std::vector<Index> which;
  double reference = 0, energy = 0;
  for (const size_t c : clips) {
    const Frames::Run& clip = frames.clips()[c];
    // Speeds need the frame before.
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
  Followed out;
  out.gap = evaluate::split_gap(frames.garment(), differences);
  out.velocity_energy = reference > 0 ? energy / reference : 1;
  out.score = out.gap.rms_mm * (1 + kDead * std::fabs(std::log(std::max(out.velocity_energy, 1e-6))));
  return out;
}

ClipParts clip_parts(const Frames& frames) {
  constexpr size_t kValidationEvery = 5;
  ClipParts parts;
  size_t learnt = 0;
  for (size_t c = 0; c < frames.clips().size(); ++c)
    if (frames.part(frames.clips()[c].begin) == dataset::Part::kUnseen)
      parts.unseen.push_back(c);
    else
      (++learnt % kValidationEvery == 0 ? parts.validation : parts.train).push_back(c);
  return parts;
}

Report measure_ropes(const Frames& frames, const billow_settings& settings, size_t threads) {
  std::vector<uint32_t> all(frames.size());
  std::iota(all.begin(), all.end(), 0u);
  const Matrix embedded = learn::bone_matrix(frames, all, learn::Source::kEmbedded);
  Report report;
  const Matrix ropes = simulate_ropes(frames, settings, threads, &report.cost);
  const ClipParts parts = clip_parts(frames);
  report.train = follow(frames, embedded, ropes, parts.train, 0);
  report.validation = follow(frames, embedded, ropes, parts.validation, 0);
  const auto unseen = [&](const Matrix& bones) {
    Followed f = follow(frames, embedded, bones, parts.unseen, evaluate::kSettled);
    f.gap = evaluate::rope_gap(frames, {"embedded", embedded}, {"rope", bones});
    return f;
  };
  report.unseen = unseen(ropes);
  if (!parts.train.empty())
    report.corrected = unseen(learn::corrected(fit_correction(frames, embedded, ropes, threads), ropes));
  return report;
}

}  // namespace billow::ropes
