// Motion bundles: precision of the stored clips, damaged files, and the clips that ship with Billow.
#include "motion/bundle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "../import/files.h"
#include "files/whole_file.h"
#include "import/character.h"
#include "motion/actor.h"
#include "motion/motions.h"
#include "motion/retarget.h"
#include "motion/rotation.h"
#include "motion/separate_limbs.h"

namespace billow::motion {
namespace {

constexpr const char* kShipped = "assets/motions/captured.billowmotion";

// The angle between two rotations in degrees, exact also for small angles.
double degrees_between(Quat a, Quat b) {
  const Quat d = conjugate(normalized(a)) * normalized(b);
  const double sine =
      std::hypot(static_cast<double>(d.x), static_cast<double>(d.y), static_cast<double>(d.z));
  return 2 * 57.29578 * std::asin(std::min(1.0, sine));
}

struct LargestErrors {
  double degrees = 0, metres = 0;
};
LargestErrors errors_of(const Clip& a, const Clip& b) {
  LargestErrors e;
  EXPECT_EQ(a.frames.size(), b.frames.size());
  for (size_t f = 0; f < std::min(a.frames.size(), b.frames.size()); ++f) {
    e.metres = std::max(e.metres,
                        static_cast<double>(length(a.frames[f].root_position - b.frames[f].root_position)));
    for (size_t j = 0; j < a.frames[f].rotations.size(); ++j)
      e.degrees = std::max(e.degrees, degrees_between(a.frames[f].rotations[j], b.frames[f].rotations[j]));
  }
  return e;
}

MotionBundle small_bundle() {
  const body::Person person = body::make_person();
  MotionBundle bundle(2);
  bundle[0] = {make_motion(person, {"run", 3, 3, 30, 5}), "runs", "07", false};
  bundle[1] = {make_motion(person, {"dance", 4, 2, 60, 0}), "dances; twice", "mine", true};
  bundle[0].clip.name = "07_03", bundle[1].clip.name = "mine";
  bundle[1].clip.loops = true;
  return bundle;
}

std::string refusal(const std::string& bytes) {
  try {
    parse_bundle(bytes, "some.billowmotion");
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "";
}

TEST(Bundle, KeepsClipsWithinItsPrecision) {
  const MotionBundle given = small_bundle(), found = parse_bundle(bundle_bytes(given), "some");
  ASSERT_EQ(found.size(), 2u);
  for (size_t c = 0; c < 2; ++c) {
    EXPECT_EQ(found[c].clip.name, given[c].clip.name);
    EXPECT_EQ(found[c].about, given[c].about);
    EXPECT_EQ(found[c].subject, given[c].subject);
    EXPECT_EQ(found[c].test, given[c].test);
    EXPECT_EQ(found[c].clip.loops, given[c].clip.loops);
    EXPECT_EQ(found[c].clip.frames_per_second, given[c].clip.frames_per_second);
    const LargestErrors e = errors_of(given[c].clip, found[c].clip);
    EXPECT_LT(e.degrees, 0.05);
    EXPECT_LT(e.metres, 0.001);
  }
  // Reading and writing again changes nothing more.
  EXPECT_LT(errors_of(found[0].clip, parse_bundle(bundle_bytes(found), "some")[0].clip).degrees, 0.02);
}

TEST(Bundle, KeepsAllRotations) {
  Random random(5);
  MotionBundle bundle = small_bundle();
  bundle.resize(1);
  for (Pose& pose : bundle[0].clip.frames)
    for (Quat& q : pose.rotations) {
      const auto component = [&] { return static_cast<float>(random.uniform(-1, 1)); };
      q = random.chance(0.1) ? Quat{0.5f, -0.5f, -0.5f, -0.5f}
                             : normalized(Quat{component(), component(), component(), component()});
    }
  const LargestErrors e = errors_of(bundle[0].clip, parse_bundle(bundle_bytes(bundle), "some")[0].clip);
  EXPECT_LT(e.degrees, 0.02);
  EXPECT_GT(e.degrees, 0);
}

TEST(Bundle, NamesWhatIsWrongWithAFile) {
  const std::string good = bundle_bytes(small_bundle());
  EXPECT_EQ(refusal(good), "");
  EXPECT_NE(refusal("").find("some.billowmotion: byte 0: expected a motion bundle"), std::string::npos);
  EXPECT_NE(refusal("HIERARCHY" + good).find("expected a motion bundle"), std::string::npos);
  EXPECT_NE(refusal(good.substr(0, good.size() - 1)).find("expected file size"), std::string::npos);
  std::string other = good;
  other[8] = 2;
  EXPECT_NE(refusal(other).find("expected version 1, found 2"), std::string::npos) << refusal(other);
  other = good, other[16] = 21;
  EXPECT_NE(refusal(other).find("expected number of joints 22, found 21"), std::string::npos);
  other = good, other.back() = static_cast<char>(other.back() ^ 1);
  EXPECT_NE(refusal(other).find("expected checksum"), std::string::npos);
}

// Damage that a checksum was made for afterwards ends in an error or in valid clips, never in a crash.
TEST(Bundle, SurvivesAnyBytes) {
  const std::string good = bundle_bytes(small_bundle());
  Random random(1);
  size_t refused = 0;
  for (int round = 0; round < 300; ++round) {
    std::string bytes = good;
    // Most damage goes to names, counts and boxes, of which there is little.
    for (int k = 0; k < 3; ++k)
      bytes[static_cast<size_t>(random.below(round % 2 ? 900 : static_cast<int>(good.size())))] =
          static_cast<char>(random.below(256));
    if (random.chance(0.3)) bytes.resize(static_cast<size_t>(random.below(static_cast<int>(bytes.size()))));
    if (bytes.size() < 40) continue;
    const uint64_t size = bytes.size();
    uint64_t sum = 0xcbf29ce484222325ull;
    for (size_t i = 40; i < bytes.size(); ++i)
      sum = (sum ^ static_cast<uint8_t>(bytes[i])) * 0x100000001b3ull;
    for (size_t i = 0; i < 8; ++i) {
      bytes[24 + i] = static_cast<char>(size >> (8 * i));
      bytes[32 + i] = static_cast<char>(sum >> (8 * i));
    }
    try {
      for (const BundledClip& one : parse_bundle(bytes, "some"))
        validate(body::make_person().skeleton, one.clip);
    } catch (const std::runtime_error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 50u);
}

TEST(Bundle, RefusesClipsThatItCannotHold) {
  const auto refuses = [](const auto& change) {
    MotionBundle bundle = small_bundle();
    change(bundle);
    EXPECT_THROW(bundle_bytes(bundle), std::invalid_argument);
  };
  refuses([](MotionBundle& b) { b[1].clip.name = b[0].clip.name; });
  refuses([](MotionBundle& b) { b[0].clip.name = ""; });
  refuses([](MotionBundle& b) { b[0].clip.frames.clear(); });
  refuses([](MotionBundle& b) { b[0].clip.frames[0].rotations.pop_back(); });
  refuses([](MotionBundle& b) { b[0].clip.frames[0].root_position.x = 500; });
  refuses([](MotionBundle& b) { b[0].clip.frames[0].offsets.resize(22); });
  refuses([](MotionBundle& b) { b[0].about.resize(70000, 'a'); });
}

TEST(Bundle, FindsClipsAndSubjects) {
  const MotionBundle bundle = small_bundle();
  EXPECT_EQ(&clip_in(bundle, "mine"), &bundle[1]);
  try {
    clip_in(bundle, "07_09");
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("found '07_09'; clips of that subject are 07_03"),
              std::string::npos);
  }
  EXPECT_EQ(subject_of_clip("07_03"), "07");
  EXPECT_EQ(subject_of_clip("02_06_1"), "02");
  for (const char* name : {"walk_01", "07", "07_walk", "_03", "my walk"})
    EXPECT_EQ(subject_of_clip(name), name);
}

TEST(Bundle, PutsClipsOnPersonsOfOtherShapes) {
  const MotionBundle bundle = small_bundle();
  const body::Person same = body::make_person(), tall = body::make_person({2.0f, 0.5f});
  Clip apart = bundle[0].clip;
  separate_limbs(same, apart);
  EXPECT_LT(errors_of(on_person(bundle[0], same), apart).degrees, 1e-4);
  const Clip moved = on_person(bundle[0], tall);
  validate(tall.skeleton, moved);
  EXPECT_GT(moved.frames[0].root_position.y, bundle[0].clip.frames[0].root_position.y + 0.05f);
}

// People stand on the ground: in each clip a sole comes near it, and none sinks in.
TEST(ShippedBundle, HoldsSaneClips) {
  const MotionBundle bundle = read_bundle(kShipped);
  const body::Skeleton skeleton = body::make_person().skeleton;
  const Actor actor(skeleton, {}, "person");
  EXPECT_EQ(bundle.size(), 265u);
  EXPECT_EQ(std::count_if(bundle.begin(), bundle.end(), [](const auto& one) { return one.test; }), 35);
  EXPECT_LT(std::filesystem::file_size(kShipped), 5'000'000u);
  std::set<std::string> learnt, tested;
  for (const BundledClip& one : bundle) {
    (one.test ? tested : learnt).insert(one.subject);
    EXPECT_FALSE(one.about.empty()) << one.clip.name;
    EXPECT_EQ(one.clip.frames_per_second, 30) << one.clip.name;
    EXPECT_GT(one.clip.duration(), 2) << one.clip.name;
    EXPECT_LT(one.clip.duration(), 4.1f) << one.clip.name;
    validate(skeleton, one.clip);
    float lowest = 10, fastest = 0;
    for (size_t f = 0; f < one.clip.frames.size(); ++f) {
      const auto joints = body::joint_transforms(skeleton, one.clip.frames[f]);
      for (const size_t side : {kLeft, kRight}) lowest = std::min(lowest, actor.sole_height(joints, side));
      if (f > 0)
        fastest = std::max(
            fastest, 30 * length(one.clip.frames[f].root_position - one.clip.frames[f - 1].root_position));
    }
    EXPECT_GT(lowest, -0.02f) << one.clip.name;
    // These two stand on a ledge and on uneven ground throughout.
    if (one.clip.name == "82_02" || one.clip.name == "03_04") continue;
    EXPECT_LT(lowest, 0.05f) << one.clip.name << ": " << one.about;
    EXPECT_LT(fastest, 8) << one.clip.name << ": " << one.about;
  }
  for (const std::string& subject : tested) EXPECT_FALSE(learnt.count(subject)) << subject;
}

// Against the files that the bundle was made of, where they are at hand.
TEST(ShippedBundle, IsThatOfTheCapturedFiles) {
  const MotionBundle bundle = read_bundle(kShipped);
  const body::Skeleton skeleton = body::make_person().skeleton;
  size_t compared = 0;
  LargestErrors most;
  for (size_t c = 0; c < bundle.size(); c += 17) {
    const std::filesystem::path file = shared_data() / "motions/captured" /
                                       (bundle[c].test ? "test" : "train") / (bundle[c].clip.name + ".bvh");
    if (!std::filesystem::exists(file)) continue;
    const importer::Character character = importer::read_character(file);
    const Clip clip = resample(retarget(character.skeleton, character.clips[0], skeleton), 30);
    const LargestErrors e = errors_of(clip, bundle[c].clip);
    most = {std::max(most.degrees, e.degrees), std::max(most.metres, e.metres)};
    ++compared;
  }
  if (compared == 0) GTEST_SKIP() << "no captured files here";
  EXPECT_LT(most.degrees, 0.05);
  EXPECT_LT(most.metres, 0.001);
  std::printf("%zu clips: at most %.4f degrees and %.3f mm\n", compared, most.degrees, 1000 * most.metres);
}

}  // namespace
}  // namespace billow::motion
