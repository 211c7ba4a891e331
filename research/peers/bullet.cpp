// Bullet's soft body as a peer of `billow bench`. A build without Bullet reports only that it is missing.
#include "research/peers/peers.h"

#if defined(BILLOW_WITH_BULLET)

#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <memory>

namespace billow::research {
namespace {

btVector3 to_bullet(V3 p) { return {p.x, p.y, p.z}; }

// A capsule: axis and radius.
struct BulletCapsule {
  V3 from, to;
  float radius;
};

// Approximates a collider by a capsule, because Bullet has no tapered ones.
BulletCapsule bullet_capsule(const billow_collider& c) {
  const V3 p{c.position[0], c.position[1], c.position[2]};
  switch (c.shape) {
    case BILLOW_SHAPE_CAPSULE:
      return {p, {c.end[0], c.end[1], c.end[2]}, c.radius};
    case BILLOW_SHAPE_TAPERED_CAPSULE:
      return {p, {c.end[0], c.end[1], c.end[2]}, 0.5f * (c.radius + c.radius_end)};
    case BILLOW_SHAPE_SPHERE:
      return {p, p + V3{0, 0.001f, 0}, c.radius};
    default: {
      const float* h = c.half_extents;
      const float thinnest = std::min({h[0], h[1], h[2]}), half = std::max(0.001f, h[1] - thinnest);
      const Quat q{c.rotation[0], c.rotation[1], c.rotation[2], c.rotation[3]};
      const V3 up = rotate(q, V3{0, half, 0});
      return {p - up, p + up, std::max(thinnest, 0.01f)};
    }
  }
}

class BulletWorld {
 public:
  BulletWorld(const garment::Garment& garment, const body::Person& person)
      : garment_(garment), person_(person), attachment_points_(garment.attachments.size()) {
    for (const billow_collider& c : person.colliders) {
      const BulletCapsule a = bullet_capsule(c);
      shapes_.push_back(std::make_unique<btCapsuleShape>(a.radius, length(a.to - a.from)));
      btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, shapes_.back().get());
      bodies_.push_back(std::make_unique<btRigidBody>(info));
      bodies_.back()->setCollisionFlags(btCollisionObject::CF_KINEMATIC_OBJECT);
      world_.addRigidBody(bodies_.back().get());
    }
    world_.setGravity({0, -9.81f, 0});
    std::vector<btScalar> positions;
    for (const V3 p : garment.rest.empty() ? garment.shape : garment.rest)
      positions.insert(positions.end(), {p.x, p.y, p.z});
    std::vector<int> triangles;
    for (const auto& t : garment.triangles)
      for (const uint32_t v : t) triangles.push_back(static_cast<int>(v));
    soft_.reset(btSoftBodyHelpers::CreateFromTriMesh(world_.getWorldInfo(), positions.data(),
                                                     triangles.data(),
                                                     static_cast<int>(garment.triangles.size())));
    soft_->m_cfg.piterations = 10;
    soft_->m_cfg.collisions = btSoftBody::fCollision::SDF_RS;
    soft_->setTotalMass(1);
    for (const auto& a : garment.attachments) soft_->setMass(static_cast<int>(a.vertex), 0);
    use_pattern_lengths();
    world_.addSoftBody(soft_.get());
    rest_ = body::joint_transforms(person.skeleton, body::rest_pose(person.skeleton));
  }
  ~BulletWorld() {
    world_.removeSoftBody(soft_.get());
    for (const auto& b : bodies_) world_.removeRigidBody(b.get());
  }
  void step(const std::vector<Transform>& joints, float attachment_share) {
    for (size_t i = 0; i < bodies_.size(); ++i) {
      const billow_collider& c = person_.colliders[i];
      const Transform moved = joints[c.joint[0]] * inverse(rest_[c.joint[0]]);
      const BulletCapsule a = bullet_capsule(c);
      const V3 from = apply(moved, a.from), to = apply(moved, a.to);
      btTransform t(shortestArcQuat({0, 1, 0}, to_bullet(to - from).normalized()),
                    to_bullet((from + to) * 0.5f));
      bodies_[i]->setWorldTransform(t);
    }
    move_seam(joints, attachment_share);
    world_.stepSimulation(kFrame, 0);
  }
  std::vector<V3> positions() const {
    std::vector<V3> out;
    for (int i = 0; i < soft_->m_nodes.size(); ++i) {
      const btVector3& p = soft_->m_nodes[i].m_x;
      out.push_back({static_cast<float>(p.x()), static_cast<float>(p.y()), static_cast<float>(p.z())});
    }
    return out;
  }

 private:
  static constexpr float kFrame = 1.0f / 60;

  // Bullet would take the lengths of the mesh as modelled for those at rest.
  void use_pattern_lengths() {
    soft_->updateConstants();
    soft_->m_bUpdateRtCst = false;
    for (int i = 0; i < soft_->m_links.size(); ++i) {
      btSoftBody::Link& link = soft_->m_links[i];
      const auto vertex = [&](int end) { return static_cast<uint32_t>(link.m_n[end] - &soft_->m_nodes[0]); };
      link.m_rl = garment::rest_distance(garment_, vertex(0), vertex(1));
      link.m_c1 = link.m_rl * link.m_rl;
    }
  }
  // Vertices without mass move by their velocity alone.
  void move_seam(const std::vector<Transform>& joints, float share) {
    std::vector<Transform> skinning;
    for (size_t j = 0; j < joints.size(); ++j) skinning.push_back(joints[j] * inverse(rest_[j]));
    garment::follow_body(garment_, skinning, attachment_points_);
    for (size_t i = 0; i < attachment_points_.size(); ++i) {
      btSoftBody::Node& node = soft_->m_nodes[static_cast<int>(garment_.attachments[i].vertex)];
      node.m_v = (to_bullet(attachment_points_[i]) - node.m_x) * (share / kFrame);
    }
  }

  const garment::Garment& garment_;
  const body::Person& person_;
  btSoftBodyRigidBodyCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  btSoftRigidDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &configuration_};
  std::vector<std::unique_ptr<btCapsuleShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::unique_ptr<btSoftBody> soft_;
  std::vector<V3> attachment_points_;
  std::vector<Transform> rest_;
};

}  // namespace

PeerFigures time_bullet(const PeerTask& task) {
  BulletWorld world(task.garment, task.person);
  return time_cloth({[&](const std::vector<Transform>& joints, float share) { world.step(joints, share); },
                     [&] { return world.positions(); }},
                    "Bullet soft body, 10 iterations, colliders as capsules, no self-contact", task);
}

}  // namespace billow::research

#else

namespace billow::research {

PeerFigures time_bullet(const PeerTask&) { return not_measured("built without Bullet (libbullet-dev)"); }

}  // namespace billow::research

#endif
