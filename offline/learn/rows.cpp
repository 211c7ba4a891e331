#include "learn/rows.h"

#include <utility>

#include "parallel.h"

namespace billow::learn {
namespace {

constexpr size_t kFramesAtOnce =
    32;  // frames: enough for products of matrices to be fast, and small beside a data set

std::span<float> row_of(Eigen::Ref<Matrix> m, Eigen::Index row) {
  return {m.row(row).data(), static_cast<size_t>(m.cols())};
}

}  // namespace

Rows cloth_rows(const Frames& frames, std::vector<uint32_t> which) {
  const size_t count = which.size();
  return {count, frames.cloth_values(),
          [&frames, which = std::move(which)](size_t first, Eigen::Ref<Matrix> out) {
            for (Eigen::Index i = 0; i < out.rows(); ++i)
              frames.cloth(which[first + static_cast<size_t>(i)], row_of(out, i));
          }};
}

Rows residual_rows(const Frames& frames, std::vector<uint32_t> which, const Matrix& bones,
                   const Stage& stage) {
  Rows rows = cloth_rows(frames, std::move(which));
  // Coefficients are few: those of all frames at once.
  rows.fill = [cloth = std::move(rows.fill), basis = stage.basis, c = stage.network(bones)](
                  size_t first, Eigen::Ref<Matrix> out) {
    cloth(first, out);
    out -= basis.expand(c.middleRows(static_cast<Eigen::Index>(first), out.rows()));
  };
  return rows;
}

Rows residual_rows(const Frames& frames, std::vector<uint32_t> which, Source source, const Stage& stage) {
  const Matrix bones = bone_matrix(frames, which, source);
  return residual_rows(frames, std::move(which), bones, stage);
}

Matrix bone_matrix(const Frames& frames, const std::vector<uint32_t>& which, Source source) {
  Matrix bones(static_cast<Eigen::Index>(which.size()), static_cast<Eigen::Index>(frames.bone_values()));
  for (Eigen::Index i = 0; i < bones.rows(); ++i)
    frames.bones(which[static_cast<size_t>(i)], source, row_of(bones, i));
  return bones;
}

Matrix coefficients(const Rows& rows, const Basis& basis, size_t threads) {
  Matrix out(static_cast<Eigen::Index>(rows.count), basis.components());
  for_each_in_parallel(
      (rows.count + kFramesAtOnce - 1) / kFramesAtOnce,
      [&](size_t b) {
        const size_t first = b * kFramesAtOnce, count = std::min(kFramesAtOnce, rows.count - first);
        Matrix block(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(rows.values));
        rows.fill(first, block);
        out.middleRows(static_cast<Eigen::Index>(first), block.rows()) = basis.project(block);
      },
      threads);
  return out;
}

}  // namespace billow::learn
