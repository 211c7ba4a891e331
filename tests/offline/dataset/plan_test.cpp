// Plans of data sets: the split of frames, seeds, and user clips.
#include "dataset/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "dataset/captured.h"

namespace billow::dataset {
namespace {

size_t count(const std::vector<PlannedClip>& clips, Part part) {
  size_t n = 0;
  for (const PlannedClip& c : clips)
    n += static_cast<size_t>(std::count(c.parts.begin(), c.parts.end(), static_cast<char>(part)));
  return n;
}

TEST(Plan, SplitsTheFrames) {
  Request request;
  const std::vector<PlannedClip> clips = plan(request);
  EXPECT_EQ(count(clips, Part::kTrain), 4000u);
  EXPECT_EQ(count(clips, Part::kValidation), 500u);
  EXPECT_EQ(count(clips, Part::kHoldout), 500u);
  EXPECT_EQ(count(clips, Part::kUnseen), 900u);
  std::set<std::string> names;
  for (const PlannedClip& c : clips) {
    EXPECT_EQ(c.parts.size(), c.frames);
    EXPECT_TRUE(names.insert(c.name).second) << c.name << " comes twice";
    // A clip is unseen as a whole or not at all.
    const auto unseen = static_cast<size_t>(std::count(c.parts.begin(), c.parts.end(), 'u'));
    EXPECT_TRUE(unseen == 0 || unseen == c.frames);
  }
}

// Few frames are legal, and each part needs one: without validation there is no best epoch to choose.
TEST(Plan, EvenFewFramesAreOfAllParts) {
  for (size_t frames = kMinFrames; frames < 25; ++frames) {
    Request request;
    request.frames = frames, request.unseen = 0;
    const std::vector<PlannedClip> clips = plan(request);
    EXPECT_EQ(count(clips, Part::kValidation), std::max<size_t>(1, frames / 10)) << frames;
    EXPECT_EQ(count(clips, Part::kHoldout), std::max<size_t>(1, frames / 10)) << frames;
    EXPECT_GE(count(clips, Part::kTrain), 1u) << frames;
  }
}

TEST(Plan, IsSeeded) {
  Request request;
  request.frames = 400, request.unseen = 100;
  const auto one = plan(request), again = plan(request);
  request.seed = 2;
  const auto other = plan(request);
  ASSERT_EQ(one.size(), again.size());
  bool same = one.size() == other.size();
  for (size_t c = 0; c < one.size(); ++c) {
    EXPECT_EQ(one[c].name, again[c].name);
    EXPECT_EQ(one[c].parts, again[c].parts);
    same = same && one[c].parts == other[c].parts;
  }
  EXPECT_FALSE(same);
}

TEST(Plan, TakesOwnClipsFirst) {
  motion::Clip clip;
  clip.name = "mine";
  clip.frames_per_second = 60;
  clip.frames.resize(121);
  for (body::Pose& pose : clip.frames) pose.rotations.assign(22, Quat{0, 0, 0, 1});
  Request request;
  request.clips.push_back(clip);
  request.frames = 200, request.unseen = 0;
  const auto clips = plan(request);
  EXPECT_EQ(clips[0].name, "mine");
  EXPECT_EQ(clips[0].frames, 61u);
  size_t frames = 0;
  for (const PlannedClip& c : clips) frames += c.frames;
  EXPECT_EQ(frames, 200u);
}

TEST(Plan, RefusesInvalidRequests) {
  Request request;
  request.frames = 0;
  EXPECT_THROW(plan(request), std::invalid_argument);
  request.frames = 100, request.frames_per_second = 0;
  EXPECT_THROW(plan(request), std::invalid_argument);
  request.frames_per_second = 30, request.mix = "tango";
  EXPECT_THROW(plan(request), std::invalid_argument);
}

// Clips of 40 subjects with `clips` clips each, the last eight of them for tests.
std::vector<CapturedClip> captured_clips(size_t clips, size_t frames) {
  std::vector<CapturedClip> out;
  for (size_t subject = 0; subject < 40; ++subject)
    for (size_t k = 0; k < clips; ++k) {
      CapturedClip one;
      one.subject = std::to_string(subject);
      one.test = subject >= 32;
      one.clip.name = "captured:" + one.subject + "_" + std::to_string(k);
      one.clip.frames.resize(frames);
      for (body::Pose& pose : one.clip.frames) pose.rotations.assign(22, Quat{0, 0, 0, 1});
      out.push_back(one);
    }
  return out;
}

bool is_test_clip(const PlannedClip& clip) { return clip.captured && std::stoi(clip.group) >= 32; }

TEST(CapturedPlan, LearnsFromNoTestClipAndSplitsBySubjects) {
  Request request;
  request.captured = captured_clips(3, 121);
  for (uint32_t seed = 1; seed < 20; ++seed) {
    request.seed = seed;
    const std::vector<PlannedClip> clips = plan(request);
    std::map<std::string, char> part_of_subject;
    size_t built_in = 0;
    for (const PlannedClip& clip : clips) {
      const char part = clip.parts[0];
      EXPECT_EQ(clip.parts, std::string(clip.frames, part)) << clip.name << " is of several parts";
      EXPECT_EQ(is_test_clip(clip), part == 'u') << clip.name;
      if (!clip.captured) {
        built_in += clip.frames;
        continue;
      }
      EXPECT_EQ(part_of_subject.emplace(clip.group, part).first->second, part) << clip.group << " is shared";
    }
    EXPECT_NEAR(static_cast<double>(built_in), 1250, 121);
    EXPECT_EQ(count(clips, Part::kTrain) + count(clips, Part::kValidation) + count(clips, Part::kHoldout),
              5000u);
    EXPECT_NEAR(static_cast<double>(count(clips, Part::kValidation)), 500, 200);
    EXPECT_NEAR(static_cast<double>(count(clips, Part::kHoldout)), 500, 200);
    EXPECT_NEAR(static_cast<double>(count(clips, Part::kUnseen)), 900, 61);
  }
}

TEST(CapturedPlan, IsSeededAndTakesAShareOfBuiltInMotions) {
  Request request;
  request.captured = captured_clips(2, 121);
  const auto names = [&] {
    std::string all;
    for (const PlannedClip& clip : plan(request)) all += clip.name + "\n";
    return all;
  };
  const std::string one = names();
  EXPECT_EQ(names(), one);
  request.seed = 2;
  EXPECT_NE(names(), one);
  request.built_in_share = 0;
  size_t frames = 0;
  for (const PlannedClip& clip : plan(request)) {
    EXPECT_TRUE(clip.captured) << clip.name;
    frames += is_test_clip(clip) ? 0 : clip.frames;
  }
  EXPECT_EQ(frames, 5000u);
  // There are 64 clips of 121 frames to learn from.
  request.frames = 7745;
  EXPECT_THROW(plan(request), std::invalid_argument);
  request.built_in_share = 0.01;
  EXPECT_NO_THROW(plan(request));
  request.built_in_share = 1.5;
  EXPECT_THROW(plan(request), std::invalid_argument);
}

// Without test clips unseen frames are of built-in motions; without clips to learn from, a test set can be made.
TEST(CapturedPlan, DoesWithOnePartAlone) {
  Request request;
  for (const CapturedClip& clip : captured_clips(3, 121))
    if (!clip.test) request.captured.push_back(clip);
  EXPECT_EQ(count(plan(request), Part::kUnseen), 900u);
  request.captured = captured_clips(3, 121);
  request.frames = 0;
  for (const PlannedClip& clip : plan(request)) EXPECT_TRUE(is_test_clip(clip)) << clip.name;
  request.unseen = 0;
  EXPECT_THROW(plan(request), std::invalid_argument);
}

TEST(CapturedPlan, EvenFewFramesAreOfAllParts) {
  for (const size_t clips : {1u, 4u})
    for (size_t frames = kMinFrames; frames < 400; frames += frames < 25 ? 1 : 31) {
      Request request;
      request.captured = captured_clips(clips, 121);
      request.frames = frames, request.unseen = 20;
      const std::vector<PlannedClip> planned = plan(request);
      for (const Part part : {Part::kTrain, Part::kValidation, Part::kHoldout})
        EXPECT_GE(count(planned, part), 1u) << frames;
      EXPECT_GE(2 * count(planned, Part::kTrain), frames / 2) << frames;
      EXPECT_EQ(count(planned, Part::kUnseen), 20u) << frames;
    }
}

TEST(CapturedPlan, CutsLongClips) {
  Request request;
  request.captured = captured_clips(1, 1000);
  request.built_in_share = 0;
  for (const PlannedClip& clip : plan(request)) {
    EXPECT_GE(clip.frames, 100u) << clip.name;
    EXPECT_LE(clip.frames, 270u) << clip.name;
    EXPECT_EQ(clip.captured->frames.size(), clip.frames);
    EXPECT_EQ(clip.make(person_as_character_body("average")).frames.size(), clip.frames);
  }
  request.all_captured = true;
  const std::vector<PlannedClip> whole = plan(request);
  ASSERT_EQ(whole.size(), 40u);
  for (const PlannedClip& clip : whole) EXPECT_EQ(clip.frames, 1000u);
  EXPECT_EQ(count(whole, Part::kUnseen), 8000u);
}

// One subject only, or a single clip.
TEST(CapturedPlan, SplitsWhatCannotBeSplitBySubjects) {
  const std::vector<size_t> frames(20, 50);
  const std::vector<std::string> same(20, "07");
  const auto parts = split_clips(frames, same, 1);
  std::set<char> seen;
  for (const std::string& p : parts) {
    EXPECT_EQ(p, std::string(50, p[0]));
    seen.insert(p[0]);
  }
  EXPECT_EQ(seen, (std::set<char>{'h', 't', 'v'}));
  const std::vector<size_t> one{50};
  EXPECT_EQ(split_clips(one, std::vector<std::string>{"07"}, 1), split_frames(one, 1));
  EXPECT_TRUE(split_clips({}, {}, 1).empty());
}

TEST(CapturedPlan, TakesTheShippedClips) {
  const motion::MotionBundle bundle = motion::read_bundle("assets/motions/captured.billowmotion");
  Request request;
  add_captured_clips(bundle, {}, person_as_character_body("average"), request);
  EXPECT_EQ(request.captured.size(), bundle.size());
  EXPECT_NE(plan_in_words(plan(request)).find("captured to learn from"), std::string::npos);
  Request two;
  const std::vector<std::string> names{"07_03", "captured:05_14"};
  add_captured_clips(bundle, names, person_as_character_body("average"), two);
  const std::vector<PlannedClip> clips = plan(two);
  ASSERT_EQ(clips.size(), 2u);
  EXPECT_EQ(clips[0].name, "captured:07_03");
  EXPECT_EQ(clips[1].parts[0], 'u');
  EXPECT_THROW(
      add_captured_clips(bundle, std::vector<std::string>{"07_99"}, person_as_character_body("average"), two),
      std::invalid_argument);
}

}  // namespace
}  // namespace billow::dataset
