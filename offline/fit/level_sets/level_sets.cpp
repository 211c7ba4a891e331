// The OpenVDB functions of fit/grid_sdf.h, as a library that is loaded on demand: OpenVDB takes 50 ms to load
// and starts threads.
#include <algorithm>

#include "fit/grid_sdf.h"

// OpenVDB's headers trigger these warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wextra"
#include <openvdb/openvdb.h>
#include <openvdb/tools/MeshToVolume.h>
#include <openvdb/tools/VolumeToMesh.h>
#pragma GCC diagnostic pop

namespace billow::fit {

namespace {

template <class F> void for_each_point(const Lattice& lattice, F f) {
  for (int k = 0; k < lattice.size[2]; ++k)
    for (int j = 0; j < lattice.size[1]; ++j)
      for (int i = 0; i < lattice.size[0]; ++i) f(openvdb::Coord(i, j, k), lattice.index(i, j, k));
}

openvdb::math::Transform::Ptr transform_of(const Lattice& lattice) {
  auto transform = openvdb::math::Transform::createLinearTransform(static_cast<double>(lattice.spacing));
  transform->postTranslate(openvdb::Vec3d(lattice.low.x, lattice.low.y, lattice.low.z));
  return transform;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void billow_zero_set(const Lattice& lattice,
                                                                       body::Mesh& mesh) {
  openvdb::initialize();
  auto grid = openvdb::FloatGrid::create(lattice.spacing);
  grid->setTransform(transform_of(lattice));
  auto values = grid->getAccessor();
  for_each_point(lattice,
                 [&](const openvdb::Coord& at, size_t i) { values.setValue(at, lattice.values[i]); });
  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec4I> quads;
  openvdb::tools::volumeToMesh(*grid, points, quads, 0);
  for (const openvdb::Vec3s& p : points) mesh.positions.push_back({p[0], p[1], p[2]});
  for (const openvdb::Vec4I& q : quads) {
    mesh.triangles.push_back({q[0], q[1], q[2]});
    mesh.triangles.push_back({q[0], q[2], q[3]});
  }
}

extern "C" __attribute__((visibility("default"))) void billow_fill_with_distances(Lattice& lattice,
                                                                                  const body::Mesh& mesh) {
  openvdb::initialize();
  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec3I> triangles;
  const auto transform = transform_of(lattice);
  for (const V3& p : mesh.positions) points.push_back(transform->worldToIndex(openvdb::Vec3d(p.x, p.y, p.z)));
  for (const body::Triangle& t : mesh.triangles) triangles.emplace_back(t[0], t[1], t[2]);
  openvdb::tools::QuadAndTriangleDataAdapter<openvdb::Vec3s, openvdb::Vec3I> adapter(points, triangles);
  const auto grid =
      openvdb::tools::meshToVolume<openvdb::FloatGrid>(adapter, *transform, kLevelSetBand, kLevelSetBand);
  const auto values = grid->getConstAccessor();
  for_each_point(lattice,
                 [&](const openvdb::Coord& at, size_t i) { lattice.values[i] = values.getValue(at); });
}

}  // namespace billow::fit
