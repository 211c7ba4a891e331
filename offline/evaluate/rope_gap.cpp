#include "evaluate/rope_gap.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace billow::evaluate {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

BoneSource all_bones(std::string name, const Frames& frames, learn::Source source) {
  std::vector<uint32_t> all(frames.size());
  std::iota(all.begin(), all.end(), 0);
  return {std::move(name), learn::bone_matrix(frames, all, source)};
}

double chaos_floor(const dataset::DatasetInfo& info) {
  // Use unseen clips if the floor was measured there, else the others.
  const auto unseen = [&](const std::string& name) {
    return std::any_of(info.clips.begin(), info.clips.end(), [&](const dataset::ClipInfo& c) {
      return c.name == name && c.parts.find(static_cast<char>(dataset::Part::kUnseen)) != std::string::npos;
    });
  };
  double seen_sum = 0, seen_count = 0, sum = 0, count = 0;
  for (const auto& c : info.chaos) {
    (unseen(c.name) ? sum : seen_sum) += c.bones * c.bones;
    ++(unseen(c.name) ? count : seen_count);
  }
  if (count == 0) sum = seen_sum, count = seen_count;
  return count > 0 ? std::sqrt(sum / count) : 0;
}

std::vector<uint32_t> settled_unseen(const Frames& frames) {
  std::vector<uint32_t> all, settled;
  for (const Frames::ClipRange& run : frames.clips())
    for (uint32_t f = run.begin; f < run.end; ++f) {
      if (frames.part(f) != dataset::Part::kUnseen) continue;
      all.push_back(f);
      if (f - run.begin >= kSettled * frames.info().frames_per_second) settled.push_back(f);
    }
  return settled.empty() ? all : settled;
}

}  // namespace

BoneSource embedded_bones(const Frames& frames) {
  return all_bones("embedded", frames, learn::Source::kEmbedded);
}
BoneSource rope_bones(const Frames& frames) { return all_bones("rope", frames, learn::Source::kRope); }

RopeGap split_gap(const garment::Garment& garment, const Matrix& differences) {
  RopeGap gap;
  gap.frames = static_cast<size_t>(differences.rows());
  const Index bones = differences.cols() / 3;
  if (differences.rows() == 0 || bones == 0) return gap;
  const double all = static_cast<double>(differences.rows() * bones);
  const auto in_mm = [](double squares, double count) { return 1000 * std::sqrt(squares / count); };
  const MatrixXd d = differences.cast<double>();
  gap.rms_mm = in_mm(d.squaredNorm(), all);
  for (Index b = 0; b < bones; ++b) gap.mean_mm += 1000 * d.middleCols(3 * b, 3).rowwise().norm().sum() / all;

  // Subtract the mean over the frames.
  const Eigen::RowVectorXd bias = d.colwise().mean();
  gap.bias_mm = in_mm(bias.squaredNorm(), static_cast<double>(bones));
  const MatrixXd moving = d.rowwise() - bias;

  // Separate the motion that chains have in common, level by level.
  double common = 0, tips = 0;
  size_t longest = 0;
  for (const auto& chain : garment.chains) longest = std::max(longest, chain.size());
  for (size_t k = 0; k < longest; ++k) {
    MatrixXd sum = MatrixXd::Zero(d.rows(), 3);
    double count = 0;
    for (const auto& chain : garment.chains)
      if (k < chain.size()) sum += moving.middleCols(3 * static_cast<Index>(chain[k]), 3), ++count;
    common += sum.squaredNorm() / count;
  }
  gap.swing_mm = in_mm(common, all);
  gap.chain_to_chain_mm = in_mm(std::max(0.0, moving.squaredNorm() - common), all);

  for (const auto& chain : garment.chains)
    tips += d.middleCols(3 * static_cast<Index>(chain.back()), 3).squaredNorm();
  if (!garment.chains.empty())
    gap.tips_mm = in_mm(tips, static_cast<double>(gap.frames * garment.chains.size()));
  return gap;
}

RopeGap rope_gap(const Frames& frames, const BoneSource& embedded, const BoneSource& source) {
  const std::vector<uint32_t> which = settled_unseen(frames);
  Matrix differences(static_cast<Index>(which.size()), embedded.bones.cols());
  for (size_t i = 0; i < which.size(); ++i)
    differences.row(static_cast<Index>(i)) = source.bones.row(which[i]) - embedded.bones.row(which[i]);
  RopeGap gap = split_gap(frames.garment(), differences);
  gap.chaos_floor_mm = chaos_floor(frames.info());
  if (gap.chaos_floor_mm > 0) gap.ratio = gap.rms_mm / gap.chaos_floor_mm;
  return gap;
}

}  // namespace billow::evaluate
