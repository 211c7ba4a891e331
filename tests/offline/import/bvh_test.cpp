// BVH files: semantics, guesses and rejected input.
#include "import/bvh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "files.h"

namespace billow::importer::bvh_test {
namespace {

constexpr float kQuarter = 1.57079633f;

void expect_near(V3 found, V3 expected, float tolerance = 1e-5f) {
  EXPECT_NEAR(found.x, expected.x, tolerance);
  EXPECT_NEAR(found.y, expected.y, tolerance);
  EXPECT_NEAR(found.z, expected.z, tolerance);
}

// An arm in metres: the hand 1 m beyond the elbow, which is 1 m above the root.
std::string arm(const std::string& channels = "3 Zrotation Yrotation Xrotation",
                const std::string& frame = "0 0 0 0 0 0 0 0 0") {
  return "HIERARCHY\nROOT root\n{\n  OFFSET 0 0 0\n"
         "  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
         "  JOINT elbow\n  {\n    OFFSET 0 1 0\n    CHANNELS " +
         channels +
         "\n    End Site\n    {\n      OFFSET 1 0 0\n    }\n  }\n}\n"
         "MOTION\nFrames: 1\nFrame Time: 0.04\n" +
         frame + "\n";
}

Character parse(const std::string& text, const BvhOptions& options = {.scale = 1}) {
  return parse_bvh(text, "test.bvh", options);
}

TEST(Bvh, ReadsSkeletonEndSitesAndOneClip) {
  const Character c = parse(arm());
  ASSERT_EQ(c.skeleton.size(), 3u);
  EXPECT_EQ(c.skeleton.joints[1].name, "elbow");
  EXPECT_EQ(c.skeleton.joints[2].name, "elbow_end");
  EXPECT_EQ(c.skeleton.joints[2].parent, 1);
  EXPECT_TRUE(c.skin.mesh.positions.empty());
  ASSERT_EQ(c.clips.size(), 1u);
  EXPECT_EQ(c.clips[0].name, "test");
  EXPECT_FLOAT_EQ(c.clips[0].frames_per_second, 25);
  EXPECT_TRUE(c.clips[0].frames[0].offsets.empty());
}

TEST(Bvh, TurnsInTheOrderOfTheChannels) {
  // The first channel is the outermost: y by 90 takes x to -z, which z by 90 leaves unchanged.
  const Character zyx = parse(arm("3 Zrotation Yrotation Xrotation", "0 0 0 0 0 0 90 90 0"));
  expect_near(body::joint_transforms(zyx.skeleton, zyx.clips[0].frames[0])[2].position, {0, 1, -1});
  // z by 90 takes x to y, which y by 90 leaves unchanged.
  const Character yzx = parse(arm("3 Yrotation Zrotation Xrotation", "0 0 0 0 0 0 90 90 0"));
  expect_near(body::joint_transforms(yzx.skeleton, yzx.clips[0].frames[0])[2].position, {0, 2, 0});
}

TEST(Bvh, RootAndJointsMayMove) {
  const Character c =
      parse(arm("6 Xposition Yposition Zposition Zrotation Yrotation Xrotation", "1 2 3 0 0 90 0 3 0 0 0 0"));
  const body::Pose& pose = c.clips[0].frames[0];
  expect_near(pose.root_position, {1, 2, 3});
  ASSERT_EQ(pose.offsets.size(), 3u);
  // The elbow's position replaces its offset; the root's rotation about y by 90 takes x to -z.
  const std::vector<Transform> joints = body::joint_transforms(c.skeleton, pose);
  expect_near(joints[1].position, {1, 5, 3});
  expect_near(joints[2].position, {1, 5, 2});
}

TEST(Bvh, ReadsWhatToolsWrite) {
  // CRLF, tabs, commas, lower case, exponents, signs, blanks in names, a joint without channels.
  const Character c = parse(
      "hierarchy\r\nroot My Root {\r\n\toffset 0,0 0\r\n\tchannels 3 zrotation xrotation yrotation\r\n"
      "\tjoint left hand\r\n\t{\r\n\t\tOFFSET +1e-0 -.5 2.\r\n\t\tCHANNELS 0\r\n\t\tEnd Site { OFFSET 0 1 0 "
      "}\r\n"
      "\t}\r\n}\r\nmotion\r\nframes: 2\r\nframe time: .0083333\r\n0 0 0\r\n0,1e-44,0");
  EXPECT_EQ(c.skeleton.joints[0].name, "My Root");
  EXPECT_EQ(c.skeleton.joints[1].name, "left hand");
  expect_near(c.skeleton.joints[1].rest.position, {1, -0.5f, 2});
  EXPECT_FLOAT_EQ(c.clips[0].frames_per_second, 120);
  EXPECT_EQ(c.clips[0].frames.size(), 2u);
  // Equal names are made unique.
  const Character twins = parse(
      "HIERARCHY ROOT a\n{ OFFSET 0 0 0 CHANNELS 0 JOINT b\n{ OFFSET 1 0 0 CHANNELS 0 } JOINT b\n"
      "{ OFFSET 0 1 0 CHANNELS 0 } } MOTION Frames: 1 Frame Time: 0.01 more");
  EXPECT_EQ(twins.skeleton.joints[2].name, "b_2");
  EXPECT_EQ(twins.notes.size(), 1u) << "there is something after the last frame";
}

// A standing person with `per_metre` units per metre, y up or z up.
std::string person(double per_metre, bool z_up = false) {
  std::string text = "HIERARCHY\nROOT Hips\n{ OFFSET 0 0 0 CHANNELS 3 Xposition Yposition Zposition\n";
  const auto offset = [&](double x, double y, double z) {
    const double v[3] = {x * per_metre, (z_up ? -z : y) * per_metre, (z_up ? y : z) * per_metre};
    return " OFFSET " + std::to_string(v[0]) + " " + std::to_string(v[1]) + " " + std::to_string(v[2]) +
           " CHANNELS 0\n";
  };
  for (const std::string side : {"Left", "Right"}) {
    const double s = side == "Left" ? 1 : -1;
    text += "JOINT " + side + "UpLeg\n{" + offset(0.1 * s, 0, 0) + "JOINT " + side + "Leg\n{" +
            offset(0, -0.43, 0) + "JOINT " + side + "Foot\n{" + offset(0, -0.42, 0) + "End Site {" +
            " OFFSET 0 0 0 }}}}\n";
  }
  text += "JOINT Spine\n{" + offset(0, 0.3, 0) + "JOINT Head\n{" + offset(0, 0.4, 0) + "}}}\n";
  return text + "MOTION\nFrames: 1\nFrame Time: 0.01\n" + (z_up ? "0 0 1\n" : "0 1 0\n");
}

TEST(Bvh, GuessesTheUnitFromTheLegs) {
  for (const double per_metre : {1.0, 1 / 0.3048, 0.45 / 0.0254, 1 / 0.0254, 100.0, 1000.0}) {
    const Character c = parse(person(per_metre), {});
    EXPECT_NEAR(c.skeleton.joints[2].rest.position.y, -0.43f, 2e-3f) << per_metre << " units a metre";
  }
  // A given scale overrides the guess.
  EXPECT_NEAR(parse(person(100), {.scale = 0.02f}).skeleton.joints[2].rest.position.y, -0.86f, 1e-4f);
}

TEST(Bvh, SaysWhenNoUnitFits) {
  for (const double per_metre : {5e5, 9.0, 1e-3}) {
    const std::string message = message_of([&] { parse(person(per_metre), {}); });
    EXPECT_NE(message.find("give the scale"), std::string::npos) << message;
  }
  EXPECT_NE(message_of([&] { parse(person(1), {.scale = 1000}); }).find("100 m"), std::string::npos);
}

TEST(Bvh, TurnsFilesWhoseZIsUp) {
  const Character c = parse(person(100, true), {});
  const std::vector<Transform> rest = body::rest_transforms(c.skeleton);
  const size_t head = static_cast<size_t>(c.skeleton.at("Head"));
  expect_near(rest[head].position - rest[0].position, {0, 0.7f, 0}, 1e-4f);
  expect_near(c.clips[0].frames[0].root_position, {0, 0.01f, 0}, 1e-4f);
  // In the rest pose it stands on the ground.
  float low = 1;
  for (const Transform& t : rest) low = std::min(low, t.position.y);
  EXPECT_NEAR(low, 0, 1e-5f);
}

TEST(Bvh, TakesATPoseBeforeTheMotionForTheRestPose) {
  const std::string text =
      "HIERARCHY\nROOT a\n{ OFFSET 0 0 0 CHANNELS 3 Zrotation Yrotation Xrotation\n"
      "JOINT b\n{ OFFSET 0 1 0 CHANNELS 3 Zrotation Yrotation Xrotation\n"
      "JOINT c\n{ OFFSET 0 1 0 CHANNELS 3 Zrotation Yrotation Xrotation } } }\n"
      "MOTION\nFrames: 3\nFrame Time: 0.01\n0 0 0 0 0 0 90 0 0\n40 1 1 30 1 2 20 1 1\n41 1 1 31 1 2 20 1 1\n";
  const Character guessed = parse(text);
  EXPECT_EQ(guessed.clips[0].frames.size(), 2u);
  EXPECT_NEAR(
      std::fabs(dot(guessed.skeleton.joints[2].rest.rotation, body::rotation_about({0, 0, 1}, kQuarter))), 1,
      1e-6f);
  using First = BvhOptions::FirstFrame;
  EXPECT_EQ(parse(text, {.scale = 1, .first_frame = First::motion}).clips[0].frames.size(), 3u);
  // A motion without a jump keeps its first frame.
  std::string gentle = text;
  gentle.replace(gentle.find("40 1 1 30 1 2 20 1 1"), 20, "1 0 0 0 0 0 89 0 0  ");
  EXPECT_EQ(parse(gentle).clips[0].frames.size(), 3u);
}

struct Hostile {
  const char* what;
  std::string text;
  const char* expected;  // part of the message
};

std::string with(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  return at == std::string::npos ? "" : text.replace(at, from.size(), to);
}

std::string many_joints(size_t count, bool nested) {
  std::string text = "HIERARCHY\nROOT r\n{ OFFSET 0 0 0 CHANNELS 0\n";
  for (size_t k = 0; k < count; ++k)
    text += std::string("JOINT j\n{ OFFSET 0 1 0 CHANNELS 0") + (nested ? "\n" : "}\n");
  return text;
}

TEST(Bvh, RefusesWhatIsBrokenWithTheLine) {
  const std::string good = arm();
  const Hostile cases[] = {
      {"nothing", "", "test.bvh:1: expected 'HIERARCHY', found the end of the file"},
      {"another format", "glTF\x02\x00\x00", "test.bvh:1: expected 'HIERARCHY', found 'glTF"},
      {"truncated in the hierarchy", good.substr(0, 60), "test.bvh:"},
      {"truncated in the motion", good.substr(0, good.size() - 8), "found"},
      {"two roots", with(good, "JOINT", "ROOT"), "test.bvh:6: expected JOINT, End Site or '}', found root"},
      {"text for a number", with(good, "OFFSET 0 1 0", "OFFSET 0 up 0"),
       "test.bvh:8: expected a number, found 'up'"},
      {"half a number", with(good, "OFFSET 0 1 0", "OFFSET 0 1x 0"), "found '1x'"},
      {"NaN offset", with(good, "OFFSET 0 1 0", "OFFSET 0 nan 0"),
       "test.bvh:8: expected a number from -1e6 to 1e6"},
      {"infinite key", arm("3 Zrotation Yrotation Xrotation", "0 0 0 0 0 0 inf 0 0"), "test.bvh:19:"},
      {"NaN key", arm("3 Zrotation Yrotation Xrotation", "0 0 0 0 0 0 0 0 -nan"), "test.bvh:19:"},
      {"huge key", arm("3 Zrotation Yrotation Xrotation", "1e30 0 0 0 0 0 0 0 0"), "1e30"},
      {"beyond float", arm("3 Zrotation Yrotation Xrotation", "1e300 0 0 0 0 0 0 0 0"), "1e300"},
      {"unknown channel", arm("3 Zrotation Yrotation Wrotation"), "found wrotation"},
      {"channel twice", arm("3 Zrotation Yrotation Zrotation"), "zrotation again"},
      {"too many channels", arm("400000000 Zrotation"), "0 to 6 channels"},
      {"fewer channels", arm("-1 Zrotation"), "0 to 6 channels, found '-1'"},
      {"no frames", with(good, "Frames: 1", "Frames: 0"), "at least one frame"},
      {"frames that are not there", with(good, "Frames: 1", "Frames: 400000"),
       "found a file that ends earlier"},
      {"frames beyond all", with(good, "Frames: 1", "Frames: 99999999999999999999"), "frames, found '9999"},
      {"negative frames", with(good, "Frames: 1", "Frames: -3"), "found '-3'"},
      {"no time", with(good, "Time: 0.04", "Time: 0"), "a frame time from"},
      {"time backwards", with(good, "Time: 0.04", "Time: -1"), "a frame time from"},
      {"no name", with(good, "ROOT root", "ROOT   "), "expected a name"},
      {"long name", with(good, "ROOT root", "ROOT " + std::string(5000, 'x')), "at most 128 letters"},
      {"a joint in an end site", with(good, "OFFSET 1 0 0", "OFFSET 1 0 0 JOINT x\n{"),
       "expected '}', found joint"},
      {"a million joints", many_joints(1000000, false), "at most 4096 joints"},
      {"a million deep", many_joints(1000000, true), "at most 256 joints deep"},
      {"many joints for many frames", many_joints(4000, false) + "} MOTION Frames: 100000 Frame Time: 0.01",
       "frames times joints"},
      {"bytes of all kinds", std::string("HIERARCHY\n\0\xff\xfe{}", 15), "test.bvh:2: expected 'ROOT'"},
  };
  for (const Hostile& h : cases) {
    ASSERT_TRUE(h.text != "" || std::string(h.what) == "nothing") << h.what;
    EXPECT_THROW(parse(h.text), std::runtime_error) << h.what;
    const std::string message = message_of([&] { parse(h.text); });
    EXPECT_NE(message.find(h.expected), std::string::npos) << h.what << " gave: " << message;
  }
}

TEST(Bvh, ReadsOrRefusesEveryPrefixOfAFile) {
  const std::string good = arm();
  for (size_t k = 0; k < good.size(); ++k) {
    try {
      parse(good.substr(0, k));
    } catch (const std::runtime_error& e) {
      EXPECT_EQ(std::string(e.what()).substr(0, 9), "test.bvh:") << e.what();
    }
  }
}

TEST(Bvh, SaysWhichFileCannotBeRead) {
  EXPECT_NE(message_of([] { read_bvh("/nowhere/dance.bvh"); }).find("/nowhere/dance.bvh"), std::string::npos);
}

}  // namespace
}  // namespace billow::importer::bvh_test
