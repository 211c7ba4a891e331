#include "fit/sdf_body.h"

#include <mutex>

#include "parallel.h"

namespace billow::fit {
namespace {

// Fills all parts' fields by make(part, number, progress).
template <class Make>
SdfBody make_body(std::span<const BodyPart> parts, const std::function<void(double)>& progress, Make make) {
  SdfBody body;
  for (const BodyPart& p : parts) body.parts.push_back({p.name, p.joint, p.frame, {}});
  std::vector<double> done(parts.size(), 0);
  std::mutex one_at_a_time;
  for_each_in_parallel(parts.size(), [&](size_t i) {
    const auto report = [&, i](double share) {
      if (!progress) return;
      const std::lock_guard lock(one_at_a_time);
      done[i] = share;
      double sum = 0;
      for (const double d : done) sum += d;
      progress(sum / static_cast<double>(done.size()));
    };
    body.parts[i].field = make(parts[i], i, report);
    report(1);
  });
  return body;
}

}  // namespace

size_t SdfBody::bytes() const {
  size_t sum = 0;
  for (const SdfPart& p : parts) {
    if (const auto* grid = std::get_if<GridSdf>(&p.field)) sum += grid->values.size() * sizeof(int16_t);
    if (const auto* network = std::get_if<NeuralSdf>(&p.field))
      sum += network->weights.size() * sizeof(float);
  }
  return sum;
}

SdfBody make_grids(std::span<const BodyPart> parts, const GridOptions& options,
                   const std::function<void(double)>& progress) {
  return make_body(parts, progress, [&](const BodyPart& part, size_t, const auto&) {
    return make_grid(part.surface, options);
  });
}

SdfBody train_networks(std::span<const BodyPart> parts, const TrainOptions& options,
                       const std::function<void(double)>& progress) {
  return make_body(parts, progress, [&](const BodyPart& part, size_t i, const auto& report) {
    TrainOptions own = options;
    own.seed += static_cast<uint32_t>(i);
    own.progress = report;
    return train_network(part.surface, own);
  });
}

SdfColliders::SdfColliders(const SdfBody& body) {
  // Room for all, so that what colliders point to stays in place.
  grids_.reserve(body.parts.size());
  networks_.reserve(body.parts.size());
  for (const SdfPart& part : body.parts) {
    billow_collider c = billow_collider_default();
    const auto& [position, q] = part.frame;
    c.position[0] = position.x, c.position[1] = position.y, c.position[2] = position.z;
    c.rotation[0] = q.x, c.rotation[1] = q.y, c.rotation[2] = q.z, c.rotation[3] = q.w;
    c.joint[0] = part.joint;
    if (const auto* grid = std::get_if<GridSdf>(&part.field)) {
      grids_.push_back(
          {grid->values.data(), {grid->size[0], grid->size[1], grid->size[2]}, grid->spacing, grid->unit});
      c.shape = BILLOW_SHAPE_GRID;
      c.grid = &grids_.back();
    } else {
      const NeuralSdf& net = std::get<NeuralSdf>(part.field);
      networks_.push_back({net.weights.data(), net.width, {net.half.x, net.half.y, net.half.z}, net.margin});
      c.shape = BILLOW_SHAPE_NEURAL;
      c.network = &networks_.back();
    }
    colliders_.push_back(c);
  }
}

}  // namespace billow::fit
