#include "body/person.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace billow::body {
namespace {

// Heights and lengths as fractions of body height, after Drillis and Contini, "Body Segment Parameters"
// (1966), as drawn in Winter, "Biomechanics and Motor Control of Human Movement", figure 4.1: ankle 0.039,
// knee 0.285, hip 0.530, shoulder 0.818, chin 0.870; upper arm 0.186, forearm 0.146, hand 0.108, foot 0.152
// long. Joint centres of hip (0.52 high) and shoulder (0.797 high, 0.104 aside) lie below the landmarks: de
// Leva, "Joint center longitudinal positions computed from a selected subset of Chandler's data" (1996).
// Heights in the spine divide the trunk at L4, T12, T7 and C7.
struct JointSpec {
  const char* name;
  const char* parent;
  V3 position;  // model space, of the left joint; the right one mirrors it
};
constexpr float kSin45 = 0.70710678f;  // arms are 45 degrees down
constexpr V3 kShoulder{0.104f, 0.797f, -0.009f};
constexpr float kUpperArm = 0.186f, kForearm = 0.146f;
constexpr V3 along_arm(float l) { return {kShoulder.x + kSin45 * l, kShoulder.y - kSin45 * l, kShoulder.z}; }

constexpr JointSpec kTrunk[] = {
    {"pelvis", "", {0, 0.540f, -0.003f}},
    {"spine_lower", "pelvis", {0, 0.590f, -0.008f}},
    {"spine_upper", "spine_lower", {0, 0.655f, -0.013f}},
    {"chest", "spine_upper", {0, 0.722f, -0.015f}},
    {"neck", "chest", {0, 0.828f, -0.014f}},
    {"head", "neck", {0, 0.885f, -0.002f}},
};
constexpr JointSpec kLimbs[] = {
    {"clavicle", "chest", {0.016f, 0.806f, 0.008f}}, {"upper_arm", "clavicle", kShoulder},
    {"forearm", "upper_arm", along_arm(kUpperArm)},  {"hand", "forearm", along_arm(kUpperArm + kForearm)},
    {"thigh", "pelvis", {0.0500f, 0.520f, 0}},       {"calf", "thigh", {0.0740f, 0.285f, 0.004f}},
    {"foot", "calf", {0.0970f, 0.039f, -0.010f}},    {"toes", "foot", {0.1070f, 0.013f, 0.066f}},
};

// Collider dimensions below are for a person of this height, in metres.
constexpr float kReferenceHeight = 1.75f;

// Position of a left limb joint as a fraction of the height. Heavy people stand with their legs farther
// apart, or the skin of touching thighs would merge.
V3 left_position(const JointSpec& p, float build) {
  float aside = 0;
  for (const auto& [name, x] :
       {std::pair{"thigh", 0.003f}, {"calf", 0.012f}, {"foot", 0.018f}, {"toes", 0.018f}})
    if (std::string_view(name) == p.name) aside = x * std::max(0.0f, build);
  return p.position + V3{aside, 0, 0};
}

Skeleton make_skeleton(float height, float build) {
  Skeleton skeleton;
  std::vector<V3> world;
  const auto add = [&](const std::string& name, const std::string& parent, V3 position) {
    const int p = parent.empty() ? kNoJoint : skeleton.at(parent);
    position = position * height;
    skeleton.joints.push_back(
        {name, p, {p == kNoJoint ? position : position - world[static_cast<size_t>(p)], {0, 0, 0, 1}}});
    world.push_back(position);
  };
  for (const JointSpec& p : kTrunk) add(p.name, p.parent, p.position);
  for (const bool left : {true, false})
    for (const JointSpec& p : kLimbs) {
      const std::string side = left ? "left_" : "right_";
      const std::string parent = skeleton.find(p.parent) == kNoJoint ? side + p.parent : p.parent;
      const V3 position = left_position(p, build);
      add(side + p.name, parent, left ? position : V3{-position.x, position.y, position.z});
    }
  validate(skeleton);
  return skeleton;
}

struct JointWeight {
  const char* joint;
  float weight = 1;
};

// Adds colliders. Dimensions are for a person of kReferenceHeight; paired colliders are given by their left
// one.
class Builder {
 public:
  Builder(Person& person, float scale) : person_(person), scale_(scale) {}

  Builder& capsule(const std::string& name, V3 from, V3 to, float radius, float radius_end) {
    return add(name, [&](billow_collider& c, float side) {
      c.shape = BILLOW_SHAPE_TAPERED_CAPSULE;
      store(from, side, c.position);
      store(to, side, c.end);
      c.radius = radius * scale_;
      c.radius_end = radius_end * scale_;
    });
  }
  // `rotation` orients the axes of the left ellipsoid.
  Builder& ellipsoid(const std::string& name, V3 centre, V3 half, Quat rotation = {0, 0, 0, 1}) {
    return add(name, [&](billow_collider& c, float side) {
      c.shape = BILLOW_SHAPE_ELLIPSOID;
      store(centre, side, c.position);
      store(half, 1, c.half_extents);
      const float q[4] = {rotation.x, side * rotation.y, side * rotation.z, rotation.w};
      for (size_t k = 0; k < 4; ++k) c.rotation[k] = q[k];
    });
  }
  // Skins the last collider (or pair) to joints.
  Builder& on(std::initializer_list<JointWeight> joints) {
    for (size_t i = first_; i < person_.colliders.size(); ++i) {
      size_t k = 0;
      for (const JointWeight& f : joints) {
        person_.colliders[i].joint[k] = static_cast<uint32_t>(person_.skeleton.at(own_side(f.joint, i)));
        person_.colliders[i].weight[k++] = f.weight;
      }
    }
    return *this;
  }
  // Colliders added from now on belong to this group.
  Builder& group(billow_collider_group group) {
    group_ = group;
    return *this;
  }
  // Makes the last collider (or pair) a smooth union with another.
  Builder& blend(const std::string& with, float radius) {
    for (size_t i = first_; i < person_.colliders.size(); ++i) {
      person_.colliders[i].blend_with = find(own_side(with, i));
      person_.colliders[i].blend_radius = radius * scale_;
    }
    return *this;
  }
  // Rest position of a left joint, scaled to kReferenceHeight.
  V3 left(const std::string& joint) const {
    V3 position{0, 0, 0};
    for (int j = person_.skeleton.at("left_" + joint); j != kNoJoint;
         j = person_.skeleton.joints[static_cast<size_t>(j)].parent)
      position += person_.skeleton.joints[static_cast<size_t>(j)].rest.position;
    return position * (1 / scale_);
  }
  // Colliders added from now on come in left-right pairs.
  Builder& pairs() {
    paired_ = true;
    return *this;
  }

 private:
  template <class Fill> Builder& add(const std::string& name, Fill fill) {
    first_ = person_.colliders.size();
    for (const float side : {1.0f, -1.0f}) {
      billow_collider c = billow_collider_default();
      fill(c, side);
      c.group = group_;
      person_.colliders.push_back(c);
      person_.collider_names.push_back(!paired_ ? name : (side > 0 ? "left_" : "right_") + name);
      if (!paired_) break;
    }
    return *this;
  }
  void store(V3 v, float side, float* out) const {
    out[0] = v.x * side * scale_, out[1] = v.y * scale_, out[2] = v.z * scale_;
  }
  // The name itself for an unpaired joint or collider, else prefixed with the side of collider i.
  std::string own_side(const std::string& name, size_t i) const {
    if (person_.skeleton.find(name) != kNoJoint || find(name) >= 0) return name;
    return (i == first_ ? "left_" : "right_") + name;
  }
  int find(const std::string& name) const {
    for (size_t i = 0; i < person_.collider_names.size(); ++i)
      if (person_.collider_names[i] == name) return static_cast<int>(i);
    return -1;
  }

  Person& person_;
  float scale_;
  size_t first_ = 0;
  bool paired_ = false;
  billow_collider_group group_ = BILLOW_COLLIDER_GROUP_TRUNK;
};

// Scales of body parts for a build. Build changes the belly most.
struct Girths {
  float belly, hips, chest, arm, leg, neck, face;
};
Girths girths_of(float build) {
  const auto grown = [build](float slim, float heavy) {
    return 1 + (build < 0 ? -build * (slim - 1) : build * (heavy - 1));
  };
  return {grown(0.84f, 1.36f), grown(0.91f, 1.16f), grown(0.97f, 1.13f), grown(0.91f, 1.16f),
          grown(0.87f, 1.17f), grown(0.91f, 1.14f), grown(0.96f, 1.10f)};
}

// Applies only half of the scale's deviation from 1.
float half(float girth) { return 0.5f + 0.5f * girth; }

void add_trunk(Builder& b, const Girths& g) {
  b.ellipsoid("hips", {0, 0.960f, -0.002f}, {0.159f * g.hips, 0.125f, 0.110f * g.hips}).on({{"pelvis"}});
  b.ellipsoid("belly", {0, 1.115f, 0.004f + 0.04f * (g.belly - 1)},
              {0.129f * g.belly, 0.21f, 0.096f * g.belly})
      .on({{"spine_lower", 0.6f}, {"spine_upper", 0.4f}})
      .blend("hips", 0.06f);
  b.ellipsoid("ribs", {0, 1.285f, -0.006f}, {0.158f * g.chest, 0.175f, 0.114f * g.chest})
      .on({{"chest"}})
      .blend("belly", 0.06f);
  b.group(BILLOW_COLLIDER_GROUP_HEAD);
  b.capsule("neck", {0, 1.43f, -0.026f}, {0, 1.57f, 0.000f}, 0.054f * g.neck, 0.050f * g.neck)
      .on({{"neck"}})
      .blend("ribs", 0.07f);
  b.ellipsoid("skull", {0, 1.652f, -0.004f}, {0.076f * g.face, 0.098f, 0.097f})
      .on({{"head"}})
      .blend("neck", 0.04f);
  b.ellipsoid("jaw", {0, 1.598f, 0.036f}, {0.057f * g.face, 0.077f, 0.060f})
      .on({{"head"}})
      .blend("skull", 0.05f);
  b.capsule("nose", {0, 1.640f, 0.090f}, {0, 1.613f, 0.103f}, 0.009f, 0.012f)
      .on({{"head"}})
      .blend("jaw", 0.025f);
}

void add_arms(Builder& b, const Girths& g) {
  const V3 shoulder = b.left("upper_arm"), elbow = b.left("forearm"), wrist = b.left("hand");
  const V3 down{kSin45, -kSin45, 0};
  // The hand's long axis is its y, its width z, its thickness x.
  const Quat hand = rotation_about({0, 0, 1}, -0.75f * 3.14159265f);
  b.group(BILLOW_COLLIDER_GROUP_TRUNK);
  b.capsule("shoulder", {0.030f, 1.448f, -0.022f}, shoulder + V3{-0.004f, 0, 0}, 0.046f * g.neck,
            0.062f * half(g.arm))
      .on({{"clavicle", 0.640f}, {"chest", 0.360f}})
      .blend("ribs", 0.055f);
  // Linear blend skinning flattens the outside of a bent joint. Capsules end a little before the joint and
  // blend across it, which flattens them alike.
  b.group(BILLOW_COLLIDER_GROUP_UPPER_ARM);
  b.capsule("upper_arm", shoulder + down * 0.012f, elbow - down * (0.014f * g.arm), 0.057f * half(g.arm),
            0.0395f * g.arm)
      .on({{"upper_arm"}})
      .blend("shoulder", 0.042f);
  // Muscles from the trunk to the arm, which keep the armpit filled when the arm is raised.
  b.group(BILLOW_COLLIDER_GROUP_TRUNK);
  b.capsule("armpit", {0.093f, 1.285f, -0.012f}, {0.175f, 1.34f, -0.014f}, 0.055f * half(g.chest),
            0.042f * half(g.arm))
      .on({{"chest", 0.650f}, {"upper_arm", 0.200f}, {"clavicle", 0.150f}})
      .blend("ribs", 0.05f);
  b.group(BILLOW_COLLIDER_GROUP_FOREARM);
  b.capsule("forearm", elbow + down * (0.014f * g.arm), wrist, 0.0395f * g.arm, 0.0265f * half(g.arm))
      .on({{"forearm"}})
      .blend("upper_arm", 0.02f);
  b.ellipsoid("hand", wrist + down * 0.083f, {0.017f, 0.1f, 0.043f}, hand)
      .on({{"hand"}})
      .blend("forearm", 0.03f);
  b.capsule("thumb", wrist + down * 0.035f + V3{0, 0, 0.022f}, wrist + down * 0.09f + V3{0, 0, 0.056f},
            0.015f, 0.0105f)
      .on({{"hand"}})
      .blend("hand", 0.02f);
}

void add_legs(Builder& b, const Girths& g) {
  const V3 hip = b.left("thigh"), knee = b.left("calf"), ankle = b.left("foot");
  const V3 up = (hip - knee) * (1 / length(hip - knee)), down = (ankle - knee) * (1 / length(ankle - knee));
  b.group(BILLOW_COLLIDER_GROUP_LEG);
  b.capsule("thigh", hip - up * (0.03f * g.leg), knee + up * (0.022f * g.leg), 0.086f * g.leg, 0.055f * g.leg)
      .on({{"thigh"}})
      .blend("hips", 0.05f);
  b.group(BILLOW_COLLIDER_GROUP_TRUNK);
  b.ellipsoid("buttock", {0.068f, 0.920f, -0.052f * g.hips}, {0.084f * g.hips, 0.080f, 0.078f * g.hips})
      .on({{"pelvis"}})
      .blend("hips", 0.06f);
  b.group(BILLOW_COLLIDER_GROUP_LEG);
  b.capsule("shin", knee + down * (0.022f * g.leg), ankle, 0.051f * g.leg, 0.035f * half(g.leg))
      .on({{"calf"}})
      .blend("thigh", 0.03f);
  b.ellipsoid("calf", knee + (ankle - knee) * 0.30f + V3{0, 0, -0.020f},
              {0.047f * g.leg, 0.115f, 0.047f * g.leg})
      .on({{"calf"}})
      .blend("shin", 0.03f);
  const V3 heel{ankle.x - 0.003f, 0.037f, ankle.z - 0.020f}, ball{ankle.x + 0.015f, 0.035f, ankle.z + 0.115f};
  b.capsule("foot", heel, ball, 0.036f, 0.030f).on({{"foot"}}).blend("shin", 0.06f);
  b.ellipsoid("toes", ball + V3{0.004f, -0.006f, 0.022f}, {0.046f, 0.023f, 0.078f},
              rotation_about({0, 1, 0}, 0.13f))
      .on({{"foot", 0.5f}, {"toes", 0.5f}})
      .blend("foot", 0.03f);
}

}  // namespace

const std::vector<std::string>& person_presets() {
  static const std::vector<std::string> names{"slim", "average", "heavy"};
  return names;
}

PersonShape person_preset(std::string_view name) {
  if (name == "slim") return {1.75f, -1};
  if (name == "average") return {1.75f, 0};
  if (name == "heavy") return {1.75f, 1};
  throw std::invalid_argument("preset: expected slim, average or heavy, found '" + std::string(name) + "'");
}

Person make_person(const PersonShape& shape) {
  if (!(shape.height >= 1.2f && shape.height <= 2.2f))
    throw std::invalid_argument("person: expected a height from 1.2 to 2.2 m, found " +
                                std::to_string(shape.height));
  if (!(shape.build >= -1.25f && shape.build <= 1.25f))
    throw std::invalid_argument("person: expected a build from -1.25 to 1.25, found " +
                                std::to_string(shape.build));
  Person person;
  person.shape = shape;
  person.skeleton = make_skeleton(shape.height, shape.build);
  const float scale = shape.height / kReferenceHeight;
  const Girths girths = girths_of(shape.build);
  Builder builder(person, scale);
  add_trunk(builder, girths);
  builder.pairs();
  add_arms(builder, girths);
  add_legs(builder, girths);
  return person;
}

}  // namespace billow::body
