#include "learn/patch_fit.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "learn/pca.h"
#include "parallel.h"

namespace billow::learn {
namespace {

// Frames to fit a basis to: more hardly change it, as neighbours in time are similar.
constexpr Eigen::Index kBasisFrames = 2000;

using PatchPoints = Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor>>;

std::vector<V3> rest_bones(const garment::Garment& g) {
  std::vector<V3> rest(g.bones.size());
  garment::bone_positions(g, g.rest, rest);
  return rest;
}

// Cloth of a patch in its local frame, one sample a row, scaled as the rows of PatchModel::bases.
Matrix local_cloth(const Frames& frames, const PatchSamples& samples, const Mirror* mirror,
                   const PatchModel& model, const Patch& patch) {
  Matrix cloth(static_cast<Eigen::Index>(samples.size()),
               static_cast<Eigen::Index>(3 * patch.vertices.size()));
  std::vector<V3> positions(patch.vertices.size());
  std::vector<uint32_t> images(patch.vertices);
  if (mirror)
    for (uint32_t& v : images) v = mirror->vertices[v];
  for (Eigen::Index i = 0; i < cloth.rows(); ++i) {
    const bool flipped = samples.mirrored[static_cast<size_t>(i)] != 0;
    const PatchFrame frame = frame_of(patch, bone_positions(model, samples.inputs, i));
    frames.vertices(samples.frames[static_cast<size_t>(i)], flipped ? images : patch.vertices, positions);
    for (size_t v = 0; v < positions.size(); ++v) {
      const V3 x = frame.to_local((flipped ? mirrored(positions[v]) : positions[v]) - frame.origin) *
                   std::sqrt(patch.shares[v]);
      float* out = cloth.row(i).data() + 3 * v;
      out[0] = x.x, out[1] = x.y, out[2] = x.z;
    }
  }
  return cloth;
}

// The modes are orthonormal, so the squared residual is that of the cloth minus that of the coefficients.
PcaFloor floor_of(Eigen::Ref<const Matrix> cloth, Eigen::Ref<const Matrix> coefficients,
                  const PatchBasis& basis) {
  PcaFloor floor;
  for (Eigen::Index i = 0; i < cloth.rows(); ++i) {
    const double all = static_cast<double>((cloth.row(i) - basis.mean.transpose()).squaredNorm());
    floor.total += all;
    floor.residual += std::max(0.0, all - static_cast<double>(coefficients.row(i).squaredNorm()));
  }
  return floor;
}

// The basis of a patch's mirror image: the same values in that patch's order of vertices.
PatchBasis mirrored_basis(const Mirror& mirror, const PatchBasis& basis, const Patch& patch,
                          const Patch& image) {
  PatchBasis out = basis;
  for (size_t i = 0; i < patch.vertices.size(); ++i) {
    const auto from = static_cast<Eigen::Index>(i),
               to = static_cast<Eigen::Index>(
                   std::ranges::lower_bound(image.vertices, mirror.vertices[patch.vertices[i]]) -
                   image.vertices.begin());
    out.modes.col(to) = basis.modes.col(from);
    out.mean.segment<3>(3 * to) = basis.mean.segment<3>(3 * from);
  }
  return out;
}

}  // namespace

PatchBasis fit_patch_basis(Eigen::Ref<const Matrix> cloth, size_t components) {
  using Eigen::Index;
  // Take an odd stride: every other row may be a mirror image.
  const Index every = cloth.rows() / kBasisFrames | 1, vertices = cloth.cols() / 3;
  Matrix some((cloth.rows() + every - 1) / every, cloth.cols());
  for (Index i = 0; i < some.rows(); ++i) some.row(i) = cloth.row(i * every);
  PatchBasis b;
  b.mean = some.cast<double>().colwise().mean().cast<float>();
  some.rowwise() -= b.mean.transpose();
  // Treat x, y and z of a frame as three samples.
  const Rows rows{3 * static_cast<size_t>(some.rows()), static_cast<size_t>(vertices),
                  [&](size_t first, Eigen::Ref<Matrix> out) {
                    for (Index i = 0; i < out.rows(); ++i) {
                      const Index at = static_cast<Index>(first) + i;
                      out.row(i) = PatchPoints(some.row(at / 3).data(), vertices, 3).col(at % 3).transpose();
                    }
                  }};
  PcaOptions options;
  options.components = std::min(components, static_cast<size_t>(vertices));
  options.oversampling = 12;
  options.threads = 1;
  const Matrix found = principal_components(rows, options).basis.modes;
  b.modes = Matrix::Zero(static_cast<Index>(components), vertices);
  b.modes.topRows(found.rows()) = found;
  some.rowwise() += b.mean.transpose();
  b.deviation = b.project(some).cwiseAbs2().colwise().mean().cwiseSqrt();
  return b;
}

Matrix up_directions(const Frames& frames, const std::vector<uint32_t>& which) {
  Matrix up(static_cast<Eigen::Index>(which.size()), 3);
  for (size_t i = 0; i < which.size(); ++i) {
    const V3 u = rotate(conjugate(frames.rigid(which[i]).rotation), {0, 1, 0});
    up.row(static_cast<Eigen::Index>(i)) << u.x, u.y, u.z;
  }
  return up;
}

void PatchSamples::append(const PatchSamples& more) {
  frames.insert(frames.end(), more.frames.begin(), more.frames.end());
  mirrored.insert(mirrored.end(), more.mirrored.begin(), more.mirrored.end());
  const auto append_rows = [](Matrix& m, const Matrix& rows) {
    m.conservativeResize(m.rows() + rows.rows(), rows.cols());
    m.bottomRows(rows.rows()) = rows;
  };
  append_rows(inputs.bones, more.inputs.bones);
  append_rows(inputs.up, more.inputs.up);
}

PatchSamples patch_samples(const Frames& frames, const std::vector<uint32_t>& which, Source source,
                           const Mirror* mirror) {
  PatchSamples s;
  if (!mirror) {
    s.frames = which;
    s.mirrored.assign(which.size(), 0);
    s.inputs = {bone_matrix(frames, which, source), up_directions(frames, which)};
    return s;
  }
  const Matrix bones = bone_matrix(frames, which, source), up = up_directions(frames, which);
  s.inputs = {Matrix(2 * bones.rows(), bones.cols()), Matrix(2 * up.rows(), 3)};
  const std::vector<V3> rest = rest_bones(frames.garment());
  for (Eigen::Index i = 0; i < bones.rows(); ++i) {
    s.frames.insert(s.frames.end(), 2, which[static_cast<size_t>(i)]);
    s.mirrored.insert(s.mirrored.end(), {0, 1});
    s.inputs.bones.row(2 * i) = bones.row(i);
    const float* d = bones.row(i).data();
    for (size_t b = 0; b < rest.size(); ++b) {
      const uint32_t o = mirror->bones[b];
      const V3 moved = mirrored(rest[o] + V3{d[3 * o], d[3 * o + 1], d[3 * o + 2]}) - rest[b];
      s.inputs.bones.row(2 * i + 1).segment<3>(static_cast<Eigen::Index>(3 * b)) << moved.x, moved.y, moved.z;
    }
    s.inputs.up.row(2 * i) << up.row(i);
    s.inputs.up.row(2 * i + 1) << -up(i, 0), up(i, 1), up(i, 2);
  }
  return s;
}

PatchModel fit_patches(const Frames& frames, const PatchSamples& samples, size_t train_count,
                       const Mirror* mirror, const PatchFitOptions& options, std::vector<PatchRows>& rows,
                       PcaFloor* floor) {
  if (train_count == 0 || train_count > samples.size())
    throw std::invalid_argument("patches: expected training samples, found none");
  PatchModel model;
  model.patches = make_patches(frames.garment(), options.patches, mirror);
  uint32_t networks = 0;
  for (const Patch& p : model.patches) networks = std::max(networks, p.network + 1);
  model.bases.resize(model.patches.size()), model.networks.resize(networks);
  model.bone_rest = rest_bones(frames.garment());
  model.rest = frames.garment().rest;
  rows.assign(networks, {});

  std::vector<uint32_t> clip_of(frames.size()), groups;
  for (const Frames::ClipRange& range : frames.clips())
    for (uint32_t f = range.begin; f < range.end; ++f) clip_of[f] = static_cast<uint32_t>(range.clip);
  for (size_t i = 0; i < train_count; ++i) groups.push_back(clip_of[samples.frames[i]]);

  RidgeOptions ridge = options.ridge;
  ridge.threads = 1;
  const std::vector<float> weights = feature_weights(options.patches);
  ridge.weights = Eigen::Map<const Vector>(weights.data(), static_cast<Eigen::Index>(weights.size()));
  std::vector<PcaFloor> floors(networks);
  const auto patches_of = model.patches_of_networks();
  for_each_in_parallel(networks, [&](size_t n) {
    const uint32_t first = patches_of[n][0];
    const Patch& patch = model.patches[first];
    PatchBasis& basis = model.bases[first];
    const Matrix cloth = local_cloth(frames, samples, mirror, model, patch);
    rows[n].features = model.features(first, samples.inputs);
    const auto count = static_cast<Eigen::Index>(train_count);
    basis = fit_patch_basis(cloth.topRows(count), options.components);
    for (const uint32_t p : std::span(patches_of[n]).subspan(1))
      model.bases[p] = mirrored_basis(*mirror, basis, patch, model.patches[p]);
    rows[n].truth = basis.project(cloth);
    floors[n] = floor_of(cloth.topRows(count), rows[n].truth.topRows(count), basis);
    model.networks[n] =
        fit_ridge(rows[n].features.topRows(count), rows[n].truth.topRows(count), groups, ridge).network;
  });
  if (floor)
    for (size_t n = 0; n < networks; ++n) {
      const auto patches = static_cast<double>(patches_of[n].size());
      floor->total += patches * floors[n].total, floor->residual += patches * floors[n].residual;
    }
  return model;
}

}  // namespace billow::learn
