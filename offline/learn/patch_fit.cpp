#include "learn/patch_fit.h"

#include <cmath>
#include <stdexcept>

#include "learn/rows.h"
#include "parallel.h"

namespace billow::learn {
namespace {

std::vector<V3> bone_rest_of(const garment::Garment& g) {
  std::vector<V3> rest(g.bones.size());
  garment::places_of_bones(g, g.rest, rest);
  return rest;
}

// What a patch's vertices do, seen from it.
Matrix cloth_seen(const Frames& frames, const PatchSamples& samples, const Mirror* mirror,
                  const PatchModel& model, const Patch& patch) {
  Matrix cloth(static_cast<Eigen::Index>(samples.size()),
               static_cast<Eigen::Index>(3 * patch.vertices.size()));
  std::vector<V3> places(patch.vertices.size());
  std::vector<uint32_t> other(patch.vertices);
  if (mirror)
    for (uint32_t& v : other) v = mirror->vertices[v];
  for (Eigen::Index i = 0; i < cloth.rows(); ++i) {
    const bool flipped = samples.mirrored[static_cast<size_t>(i)] != 0;
    const PatchFrame frame = frame_of(patch, bone_places(model, samples.inputs, i));
    frames.vertices(samples.frames[static_cast<size_t>(i)], flipped ? other : patch.vertices, places);
    for (size_t v = 0; v < places.size(); ++v) {
      const V3 x =
          frame.seen((flipped ? mirrored(places[v]) : places[v]) - frame.origin) * std::sqrt(patch.shares[v]);
      float* out = cloth.row(i).data() + 3 * v;
      out[0] = x.x, out[1] = x.y, out[2] = x.z;
    }
  }
  return cloth;
}

// Modes are orthonormal: what coefficients have is what the cloth loses.
PatchFloor floor_of(Eigen::Ref<const Matrix> cloth, Eigen::Ref<const Matrix> coefficients,
                    const PatchBasis& basis) {
  PatchFloor floor;
  for (Eigen::Index i = 0; i < cloth.rows(); ++i) {
    const double all = static_cast<double>((cloth.row(i) - basis.mean.transpose()).squaredNorm());
    floor.spread += all;
    floor.left += std::max(0.0, all - static_cast<double>(coefficients.row(i).squaredNorm()));
  }
  return floor;
}

}  // namespace

Matrix ups(const Frames& frames, const std::vector<uint32_t>& which) {
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
  const auto below = [](Matrix& m, const Matrix& rows) {
    m.conservativeResize(m.rows() + rows.rows(), rows.cols());
    m.bottomRows(rows.rows()) = rows;
  };
  below(inputs.bones, more.inputs.bones);
  below(inputs.up, more.inputs.up);
}

PatchSamples patch_samples(const Frames& frames, const std::vector<uint32_t>& which, Source source,
                           const Mirror* mirror) {
  const auto count = static_cast<Eigen::Index>(which.size());
  const Eigen::Index all = mirror ? 2 * count : count;
  PatchSamples s;
  s.frames = which;
  s.mirrored.assign(which.size(), 0);
  s.inputs.bones.resize(all, static_cast<Eigen::Index>(frames.bone_values()));
  s.inputs.up.resize(all, 3);
  s.inputs.bones.topRows(count) = bone_matrix(frames, which, source);
  s.inputs.up.topRows(count) = ups(frames, which);
  if (!mirror) return s;
  s.frames.insert(s.frames.end(), which.begin(), which.end());
  s.mirrored.resize(2 * which.size(), 1);
  const std::vector<V3> rest = bone_rest_of(frames.garment());
  for (Eigen::Index i = 0; i < count; ++i) {
    const float* d = s.inputs.bones.row(i).data();
    for (size_t b = 0; b < rest.size(); ++b) {
      const uint32_t o = mirror->bones[b];
      const V3 moved = mirrored(rest[o] + V3{d[3 * o], d[3 * o + 1], d[3 * o + 2]}) - rest[b];
      s.inputs.bones.row(count + i).segment<3>(static_cast<Eigen::Index>(3 * b)) << moved.x, moved.y, moved.z;
    }
    s.inputs.up.row(count + i) = s.inputs.up.row(i);
    s.inputs.up(count + i, 0) *= -1;
  }
  return s;
}

PatchModel fit_patches(const Frames& frames, const PatchSamples& samples, size_t learnt, const Mirror* mirror,
                       const PatchFitOptions& options, std::vector<PatchRows>& rows, PatchFloor* floor) {
  if (learnt == 0 || learnt > samples.size())
    throw std::invalid_argument("patches: expected frames to learn from, found none");
  PatchModel model;
  model.patches = lay_patches(frames.garment(), options.patches);
  model.stages.resize(model.patches.size());
  model.bone_rest = bone_rest_of(frames.garment());
  model.rest = frames.garment().rest;
  rows.assign(model.patches.size(), {});

  std::vector<uint32_t> clip_of(frames.size()), groups;
  for (const Frames::Run& run : frames.clips())
    for (uint32_t f = run.begin; f < run.end; ++f) clip_of[f] = static_cast<uint32_t>(run.clip);
  for (size_t i = 0; i < learnt; ++i) groups.push_back(clip_of[samples.frames[i]]);

  RidgeOptions ridge = options.ridge;
  ridge.threads = 1;
  const std::vector<float> weights = feature_weights(options.patches);
  ridge.weights = Eigen::Map<const Vector>(weights.data(), static_cast<Eigen::Index>(weights.size()));
  std::vector<PatchFloor> floors(model.patches.size());
  for_each_in_parallel(model.patches.size(), [&](size_t p) {
    const Matrix cloth = cloth_seen(frames, samples, mirror, model, model.patches[p]);
    rows[p].seen = model.seen(p, samples.inputs);
    const auto count = static_cast<Eigen::Index>(learnt);
    model.stages[p].basis = fit_patch_basis(cloth.topRows(count), options.components);
    rows[p].truth = model.stages[p].basis.project(cloth);
    floors[p] = floor_of(cloth.topRows(count), rows[p].truth.topRows(count), model.stages[p].basis);
    model.stages[p].network =
        fit_ridge(rows[p].seen.topRows(count), rows[p].truth.topRows(count), groups, ridge).network;
  });
  if (floor)
    for (const PatchFloor& f : floors) floor->spread += f.spread, floor->left += f.left;
  return model;
}

}  // namespace billow::learn
