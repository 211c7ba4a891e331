#include "learn/frames.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "garment/garment_file.h"
#include "parallel.h"

namespace billow::learn {
namespace {

files::NpyMap map(const std::filesystem::path& file, size_t frames, size_t items, size_t values) {
  files::NpyMap m(file);
  const std::vector<size_t> expected{frames, items, values};
  if (m.shape() == expected) return m;
  const auto text = [](const std::vector<size_t>& shape) {
    std::string s;
    for (const size_t n : shape) s += (s.empty() ? "" : " x ") + std::to_string(n);
    return s;
  };
  throw std::runtime_error(file.string() + ": expected " + text(expected) + " values, found " +
                           text(m.shape()));
}

// Converts world positions to displacements from rest in rest space. `rigid`: from rest space to the world.
void displacements(std::span<const float> positions, const Transform& rigid, std::span<const V3> rest,
                   std::span<float> out) {
  const Transform back = inverse(rigid);
  for (size_t i = 0; i < rest.size(); ++i) {
    const V3 d = apply(back, {positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]}) - rest[i];
    out[3 * i] = d.x, out[3 * i + 1] = d.y, out[3 * i + 2] = d.z;
  }
}

// Frames projected at a time: enough for fast matrix products, little memory.
constexpr size_t kProjectedFrames = 32;

std::span<float> row_of(Eigen::Ref<Matrix> m, Eigen::Index row) {
  return {m.row(row).data(), static_cast<size_t>(m.cols())};
}

}  // namespace

Frames::Frames(const std::filesystem::path& folder)
    : info_(dataset::read_dataset(folder)),
      character_(info_.character_body()),
      garment_(garment::read_garment_file(folder / "garment.json", character_.skeleton)) {
  if (garment_.size() != info_.vertices || garment_.bones.size() != info_.bones)
    throw std::runtime_error((folder / "garment.json").string() + ": expected " +
                             std::to_string(info_.vertices) + " vertices and " + std::to_string(info_.bones) +
                             " bones, as in the manifest");
  if (garment_.rest.size() != garment_.size())
    throw std::runtime_error((folder / "garment.json").string() + ": expected a draped garment");
  key_ = static_cast<size_t>(character_.skeleton.at(garment_.key_joint));
  key_rest_inverse_ = inverse(body::rest_transforms(character_.skeleton)[key_]);
  bone_rest_.resize(info_.bones);
  set_rest(garment_.rest);

  for (size_t c = 0; c < info_.clips.size(); ++c) {
    const dataset::ClipInfo& clip = info_.clips[c];
    if (!clip.usable) continue;
    const auto at = info_.clip_folder(c);
    clips_.push_back({map(at / "cloth.npy", clip.frames, info_.vertices, 3),
                      map(at / "bones.npy", clip.frames, info_.bones, 3),
                      map(at / "rope.npy", clip.frames, info_.bones, 3),
                      map(at / "joints.npy", clip.frames, character_.skeleton.size(), 7)});
    const auto begin = static_cast<uint32_t>(locations_.size());
    for (size_t f = 0; f < clip.frames; ++f)
      locations_.push_back({static_cast<uint32_t>(clips_.size() - 1), static_cast<uint32_t>(f),
                            static_cast<dataset::Part>(clip.parts[f])});
    clip_ranges_.push_back({begin, static_cast<uint32_t>(locations_.size()), c});
  }
}

std::vector<uint32_t> Frames::of(dataset::Part part) const {
  std::vector<uint32_t> frames;
  for (size_t f = 0; f < locations_.size(); ++f)
    if (locations_[f].part == part) frames.push_back(static_cast<uint32_t>(f));
  return frames;
}

dataset::Part Frames::part(uint32_t frame) const { return locations_[frame].part; }

void Frames::cloth(uint32_t frame, std::span<float> out) const {
  const Location& w = locations_[frame];
  displacements(clips_[w.clip].cloth.row(w.frame), rigid(frame), garment_.rest, out);
}

void Frames::set_rest(std::vector<V3> rest) {
  if (rest.size() != garment_.size())
    throw std::invalid_argument("rest: expected " + std::to_string(garment_.size()) + " vertices, found " +
                                std::to_string(rest.size()));
  garment_.rest = std::move(rest);
  garment::bone_positions(garment_, garment_.rest, bone_rest_);
}

void Frames::replace_ropes(Matrix bones) {
  if (static_cast<size_t>(bones.rows()) != size() || static_cast<size_t>(bones.cols()) != bone_values())
    throw std::invalid_argument("rope chains: expected " + std::to_string(size()) + " x " +
                                std::to_string(bone_values()) + " values, found " +
                                std::to_string(bones.rows()) + " x " + std::to_string(bones.cols()));
  ropes_ = std::move(bones);
}

void Frames::bones(uint32_t frame, Source source, std::span<float> out) const {
  if (source == Source::kRope && ropes_.size() > 0) {
    std::copy_n(ropes_.row(frame).data(), out.size(), out.begin());
    return;
  }
  const Location& w = locations_[frame];
  const ClipArrays& clip = clips_[w.clip];
  displacements((source == Source::kRope ? clip.rope : clip.bones).row(w.frame), rigid(frame), bone_rest_,
                out);
}

Transform Frames::rigid(uint32_t frame) const {
  const Location& w = locations_[frame];
  const auto j = clips_[w.clip].joints.row(w.frame).subspan(7 * key_, 7);
  return Transform{{j[0], j[1], j[2]}, {j[3], j[4], j[5], j[6]}} * key_rest_inverse_;
}

void Frames::joints(uint32_t frame, std::span<Transform> out) const {
  const Location& w = locations_[frame];
  const auto row = clips_[w.clip].joints.row(w.frame);
  for (size_t k = 0; k < out.size(); ++k) {
    const float* j = &row[7 * k];
    out[k] = {{j[0], j[1], j[2]}, {j[3], j[4], j[5], j[6]}};
  }
}

void Frames::vertices(uint32_t frame, std::span<const uint32_t> which, std::span<V3> out) const {
  const Location& w = locations_[frame];
  const auto cloth = clips_[w.clip].cloth.row(w.frame);
  const Transform back = inverse(rigid(frame));
  for (size_t i = 0; i < which.size(); ++i) {
    const float* p = &cloth[3 * which[i]];
    out[i] = apply(back, {p[0], p[1], p[2]});
  }
}

V3 Frames::vertex(uint32_t frame, uint32_t v) const {
  const Location& w = locations_[frame];
  const auto p = clips_[w.clip].cloth.row(w.frame).subspan(3 * v, 3);
  return apply(inverse(rigid(frame)), {p[0], p[1], p[2]});
}

Rows cloth_rows(const Frames& frames, std::vector<uint32_t> which) {
  const size_t count = which.size();
  return {count, frames.cloth_values(),
          [&frames, which = std::move(which)](size_t first, Eigen::Ref<Matrix> out) {
            for (Eigen::Index i = 0; i < out.rows(); ++i)
              frames.cloth(which[first + static_cast<size_t>(i)], row_of(out, i));
          }};
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
      (rows.count + kProjectedFrames - 1) / kProjectedFrames,
      [&](size_t b) {
        const size_t first = b * kProjectedFrames, count = std::min(kProjectedFrames, rows.count - first);
        Matrix block(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(rows.values));
        rows.fill(first, block);
        out.middleRows(static_cast<Eigen::Index>(first), block.rows()) = basis.project(block);
      },
      threads);
  return out;
}

}  // namespace billow::learn
