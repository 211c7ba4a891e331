#include "motion/human.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <span>
#include <stdexcept>

namespace billow::motion {
namespace {

using body::kNoJoint;
using body::Skeleton;

constexpr const char* kPartNames[kParts] = {"hips",    "chest", "neck",  "head", "clavicle", "upper arm",
                                            "forearm", "hand",  "thigh", "calf", "foot",     "toes"};

// Names of the parts in common tools, unambiguous words first: Mixamo and MotionBuilder (LeftUpLeg, LeftArm),
// Blender (thigh.L), Biovision (LeftCollar, LeftShoulder, LeftElbow), 3ds Max (Bip01 L Calf), Daz (lShldr),
// MakeHuman (upperleg01.L). A joint is assigned once, so ambiguous words come last.
struct PartWords {
  Part part;
  std::vector<std::string_view> words;
};
const std::vector<PartWords>& words_of_parts() {
  static const std::vector<PartWords> words{
      {Part::hips, {"hips", "pelvis", "hip", "root"}},
      {Part::neck, {"neck"}},
      {Part::head, {"head"}},
      {Part::upper_arm, {"upperarm", "uparm", "humerus", "shldr", "arm", "shoulder"}},
      {Part::clavicle, {"clavicle", "collarbone", "collar", "shoulder"}},
      {Part::forearm, {"forearm", "lowerarm", "lowarm", "elbow", "radius"}},
      {Part::hand, {"hand", "wrist", "palm"}},
      {Part::thigh, {"thigh", "upleg", "upperleg", "femur", "hip", "leg"}},
      {Part::calf, {"calf", "shin", "lowerleg", "lowleg", "tibia", "knee", "leg"}},
      {Part::foot, {"foot", "ankle"}},
      {Part::toes, {"toes", "toe", "ball"}},
  };
  return words;
}

// Words without meaning for the mapping.
const std::set<std::string_view> kIgnoredWords{"bip", "mixamorig", "cc",   "base", "def", "org",
                                               "jnt", "joint",     "bone", "bn",   "rig"};

// Splits "LHipJoint" into L, Hip and Joint, "upperleg01.L" into upperleg, 01 and L.
std::vector<std::string> split_words(std::string_view name) {
  const auto kind = [&](size_t i) {
    const unsigned char c = static_cast<unsigned char>(name[i]);
    return std::isdigit(c) ? 'd' : std::isupper(c) ? 'U' : std::islower(c) ? 'l' : ' ';
  };
  std::vector<std::string> words;
  for (size_t i = 0; i < name.size(); ++i) {
    const char now = kind(i), before = i > 0 ? kind(i - 1) : ' ';
    if (now == ' ') continue;
    const bool capital_word = now == 'U' && before == 'U' && i + 1 < name.size() && kind(i + 1) == 'l';
    const bool goes_on = (now == before && !capital_word) || (before == 'U' && now == 'l');
    if (!goes_on || words.empty()) words.emplace_back();
    words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  }
  return words;
}

bool is_known(std::string_view word) {
  for (const PartWords& w : words_of_parts())
    if (std::find(w.words.begin(), w.words.end(), word) != w.words.end()) return true;
  return false;
}

std::vector<int> path_to_root(const Skeleton& skeleton, int joint) {
  std::vector<int> path;
  for (; joint != kNoJoint; joint = skeleton.joints[static_cast<size_t>(joint)].parent) path.push_back(joint);
  return path;
}

bool is_above(const Skeleton& skeleton, int above, int joint) {
  const std::vector<int> path = path_to_root(skeleton, joint);
  return std::find(path.begin(), path.end(), above) != path.end();
}

// Lowest common ancestor; entries of kNoJoint are ignored.
int common_ancestor(const Skeleton& skeleton, std::initializer_list<int> joints) {
  int common = kNoJoint;
  for (const int joint : joints) {
    if (joint == kNoJoint) continue;
    if (common == kNoJoint) common = joint;
    while (!is_above(skeleton, common, joint)) common = skeleton.joints[static_cast<size_t>(common)].parent;
  }
  return common;
}

std::vector<int> path_down(const Skeleton& skeleton, int from, int to) {
  std::vector<int> path = path_to_root(skeleton, to);
  const auto end = std::find(path.begin(), path.end(), from);
  if (end == path.end()) return {};
  path.erase(end + 1, path.end());
  std::reverse(path.begin(), path.end());
  return path;
}

void match_by_name(const Skeleton& skeleton, Human& human) {
  std::vector<JointName> names;
  for (const body::Joint& joint : skeleton.joints) names.push_back(parse_joint_name(joint.name));
  std::set<int> used;
  for (const auto& row : human.joint) used.insert(row.begin(), row.end());
  for (const PartWords& words : words_of_parts())
    for (const size_t side : {kLeft, kRight}) {
      if (!has_sides(words.part) && side == kRight) continue;
      int& found = human.of(words.part, side);
      const int wanted = has_sides(words.part) ? static_cast<int>(side) : -1;
      for (size_t w = 0; w < words.words.size() && found == kNoJoint; ++w)
        for (int j = 0; j < static_cast<int>(names.size()); ++j) {
          const JointName& name = names[static_cast<size_t>(j)];
          if (name.word != words.words[w] || name.side != wanted || used.count(j)) continue;
          if (found == kNoJoint || name.number < names[static_cast<size_t>(found)].number) found = j;
        }
      used.insert(found);
    }
}

// Maps a limb without known names: its two long bones are the longest pair of consecutive bones on the path
// to its tip.
void match_limb(const Skeleton& skeleton, std::span<const Transform> rest, std::span<const int> tips,
                size_t side, bool leg, Human& human) {
  const int top = common_ancestor(skeleton, {tips[0], tips[1]});
  const std::vector<int> path = path_down(skeleton, top, tips[side]);
  const auto at = [&](size_t k) { return rest[static_cast<size_t>(path[k])].position; };
  size_t best = 0;
  float longest = 0;
  for (size_t k = 1; k + 2 < path.size(); ++k) {
    const float l = length(at(k + 1) - at(k)) + length(at(k + 2) - at(k + 1));
    if (l > longest) longest = l, best = k;
  }
  if (best == 0) return;
  const auto set = [&](Part part, size_t k) {
    if (k > 0 && k < path.size() && human.of(part, side) == kNoJoint) human.of(part, side) = path[k];
  };
  set(leg ? Part::thigh : Part::upper_arm, best);
  set(leg ? Part::calf : Part::forearm, best + 1);
  set(leg ? Part::foot : Part::hand, best + 2);
  leg ? set(Part::toes, best + 3) : set(Part::clavicle, best - 1);
}

// Finds limbs by the rest pose of a character that faces +z: the feet are the lowest leaves on either side,
// the hands the outermost leaves of the upper body.
void match_by_position(const Skeleton& skeleton, Human& human) {
  const std::vector<Transform> rest = body::rest_transforms(skeleton);
  std::vector<bool> leaf(skeleton.size(), true);
  float low = rest[0].position.y, high = low;
  for (size_t j = 0; j < skeleton.size(); ++j) {
    if (j > 0) leaf[static_cast<size_t>(skeleton.joints[j].parent)] = false;
    low = std::min(low, rest[j].position.y), high = std::max(high, rest[j].position.y);
  }
  const float height = high - low;
  for (const bool leg : {true, false}) {
    const Part first = leg ? Part::thigh : Part::upper_arm;
    if (human.of(first, kLeft) != kNoJoint && human.of(first, kRight) != kNoJoint) continue;
    int tips[2] = {kNoJoint, kNoJoint};
    for (int j = 0; j < static_cast<int>(skeleton.size()); ++j) {
      const V3 p = rest[static_cast<size_t>(j)].position;
      const bool upper = p.y > low + 0.25f * height;
      if (!leaf[static_cast<size_t>(j)] || upper == leg || !(std::fabs(p.x) > 0.01f * height)) continue;
      int& tip = tips[p.x > 0 ? kLeft : kRight];
      const auto reach = [&](int k) {
        const V3 q = rest[static_cast<size_t>(k)].position;
        return leg ? -q.y : std::fabs(q.x);
      };
      if (tip == kNoJoint || reach(j) > reach(tip)) tip = j;
    }
    if (tips[0] == kNoJoint || tips[1] == kNoJoint) continue;
    for (const size_t side : {kLeft, kRight}) match_limb(skeleton, rest, tips, side, leg, human);
  }
}

// Hips and chest are the joints where limbs meet, whatever their names: the thighs of some characters are
// children of a joint above the one named hips.
void match_trunk(const Skeleton& skeleton, const std::set<Part>& given, Human& human) {
  const auto both = [&](Part part) {
    return human.of(part, kLeft) != kNoJoint && human.of(part, kRight) != kNoJoint;
  };
  if (!given.count(Part::chest)) {
    if (both(Part::upper_arm))
      human.of(Part::chest) =
          common_ancestor(skeleton, {human.of(Part::upper_arm, kLeft), human.of(Part::upper_arm, kRight)});
    else if (human.of(Part::neck) != kNoJoint)
      human.of(Part::chest) = skeleton.joints[static_cast<size_t>(human.of(Part::neck))].parent;
  }
  const int chest = human.of(Part::chest);
  if (!given.count(Part::hips) && both(Part::thigh)) {
    const int l = human.of(Part::thigh, kLeft), r = human.of(Part::thigh, kRight),
              named = human.of(Part::hips);
    const bool fits = named != kNoJoint && is_above(skeleton, named, l) && is_above(skeleton, named, r) &&
                      (chest == kNoJoint || is_above(skeleton, named, chest));
    if (!fits) human.of(Part::hips) = common_ancestor(skeleton, {l, r, chest});
  }
  const int hips = human.of(Part::hips);
  if (hips != kNoJoint && chest != kNoJoint) human.spine = path_down(skeleton, hips, chest);
  if (human.spine.empty() && hips != kNoJoint) human.spine = {hips};
}

}  // namespace

bool has_sides(Part part) { return part >= Part::clavicle; }

std::string part_name(Part part, size_t side) {
  const std::string name = kPartNames[static_cast<size_t>(part)];
  return has_sides(part) ? (side == kLeft ? "left " : "right ") + name : name;
}

JointName parse_joint_name(std::string_view name) {
  if (const size_t colon = name.find_last_of(":|"); colon != std::string_view::npos)
    name.remove_prefix(colon + 1);
  JointName out;
  bool numbered = false;
  for (std::string word : split_words(name)) {
    if (std::isdigit(static_cast<unsigned char>(word[0]))) {
      if (!numbered && word.size() < 6) out.number = std::stoi(word), numbered = true;
      continue;
    }
    // The side is a word of its own or the prefix of a known word.
    const auto side_at_front = [&](std::string_view mark, int side) {
      if (out.side != -1 || !word.starts_with(mark)) return;
      const std::string after = word.substr(mark.size());
      if (after.empty() || is_known(after)) out.side = side, word = after;
    };
    for (const std::string_view mark : {"left", "lft", "l"}) side_at_front(mark, kLeft);
    for (const std::string_view mark : {"right", "rgt", "r"}) side_at_front(mark, kRight);
    if (!kIgnoredWords.count(word)) out.word += word;
  }
  return out;
}

float Human::leg_length(const Skeleton& skeleton) const {
  const std::vector<Transform> rest = body::rest_transforms(skeleton);
  float sum = 0;
  for (const size_t side : {kLeft, kRight}) {
    const int thigh = of(Part::thigh, side), calf = of(Part::calf, side), foot = of(Part::foot, side);
    if (thigh == kNoJoint || calf == kNoJoint || foot == kNoJoint) return 0;
    const auto at = [&](int j) { return rest[static_cast<size_t>(j)].position; };
    sum += length(at(calf) - at(thigh)) + length(at(foot) - at(calf));
  }
  return sum / 2;
}

Human find_human(const Skeleton& skeleton, const std::map<std::string, std::string>& given) {
  body::validate(skeleton);
  Human human;
  for (auto& row : human.joint) row = {kNoJoint, kNoJoint};
  std::set<Part> set;
  for (const auto& [name, joint] : given) {
    bool found = false;
    for (size_t p = 0; p < kParts; ++p)
      for (const size_t side : {kLeft, kRight})
        if (!found && part_name(static_cast<Part>(p), side) == name) {
          human.joint[p][side] = skeleton.at(joint);
          set.insert(static_cast<Part>(p));
          found = true;
        }
    if (!found) throw std::invalid_argument("expected a part such as 'left upper arm', found '" + name + "'");
  }
  match_by_name(skeleton, human);
  match_by_position(skeleton, human);
  match_trunk(skeleton, set, human);
  return human;
}

std::vector<billow_collider_group> collider_groups(const body::Skeleton& skeleton) {
  constexpr std::pair<Part, billow_collider_group> kGroups[] = {
      {Part::hips, BILLOW_COLLIDER_GROUP_TRUNK},      {Part::chest, BILLOW_COLLIDER_GROUP_TRUNK},
      {Part::clavicle, BILLOW_COLLIDER_GROUP_TRUNK},  {Part::neck, BILLOW_COLLIDER_GROUP_HEAD},
      {Part::head, BILLOW_COLLIDER_GROUP_HEAD},       {Part::upper_arm, BILLOW_COLLIDER_GROUP_UPPER_ARM},
      {Part::forearm, BILLOW_COLLIDER_GROUP_FOREARM}, {Part::hand, BILLOW_COLLIDER_GROUP_FOREARM},
      {Part::thigh, BILLOW_COLLIDER_GROUP_LEG},       {Part::calf, BILLOW_COLLIDER_GROUP_LEG},
      {Part::foot, BILLOW_COLLIDER_GROUP_LEG},        {Part::toes, BILLOW_COLLIDER_GROUP_LEG}};
  const Human human = find_human(skeleton);
  std::vector<billow_collider_group> out(skeleton.size(), BILLOW_COLLIDER_GROUP_TRUNK);
  // Parents come before their children.
  for (size_t j = 0; j < out.size(); ++j) {
    if (const int parent = skeleton.joints[j].parent; parent != body::kNoJoint)
      out[j] = out[static_cast<size_t>(parent)];
    for (const auto& [part, group] : kGroups)
      for (const size_t side : {kLeft, kRight})
        if (human.of(part, side) == static_cast<int>(j)) out[j] = group;
  }
  return out;
}

}  // namespace billow::motion
