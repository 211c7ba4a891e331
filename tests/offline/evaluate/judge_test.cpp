// The judgement of cloth that differs from the reference in known ways.
#include "evaluate/judge.h"

#include <gtest/gtest.h>

#include "files/npy.h"
#include "offline/evaluate/small_set.h"

namespace billow::evaluate::judge_test {
namespace {

using testing::SmallSet;
using Clip = std::vector<std::vector<V3>>;

V3 waving(V3 p, size_t clip, size_t frame) {
  const float t = 0.2f * static_cast<float>(frame + 31 * clip), hang = 1.4f - p.y;
  return p + V3{0, 0, 0.2f * hang * std::sin(t + 2 * p.y + 9 * p.x)};
}

// The reference of a clip, with each vertex in the frame of the key joint changed.
template <class Change> ClothOfClip changed(const Frames& frames, Change change) {
  return [&frames, change](const Frames::ClipRange& clip) {
    Clip out;
    for (uint32_t f = clip.begin; f < clip.end; ++f) {
      out.emplace_back();
      for (uint32_t v = 0; v < frames.garment().size(); ++v)
        out.back().push_back(apply(frames.rigid(f), change(frames.vertex(f, v), f - clip.begin)));
    }
    return out;
  };
}

class Judge : public ::testing::Test {
 protected:
  Judge()
      : set_({std::string(30, 't'), std::string(50, 'u'), std::string(40, 'u')}, waving),
        frames_(set_.frames()) {}
  template <class Change> JudgedSet judged(Change change) const {
    const Judgement j = judge(frames_, changed(frames_, change), JudgeOptions{});
    EXPECT_EQ(j.sets.size(), 1u);
    return j.sets.at(0);
  }
  SmallSet set_;
  Frames frames_;
};

TEST_F(Judge, OfTheReferenceItself) {
  const JudgedSet set = judged([](V3 p, uint32_t) { return p; });
  EXPECT_EQ(set.name, "captured_test") << "the clips have names of no built-in motion";
  EXPECT_EQ(set.product.clips, 2);
  EXPECT_EQ(set.product.frames, 25 + 20)
      << "without the first second, or the first half of a clip shorter than two";
  EXPECT_LT(set.product.rmse_mm, 1e-3);
  EXPECT_LT(set.product.sted, 1e-4);
  EXPECT_LT(set.product.hem_difference, 1e-3);
  for (const double ratio : {set.product.bend_ratio, set.product.hem_ratio, set.product.velocity_energy,
                             set.product.acceleration_energy})
    EXPECT_NEAR(ratio, 1, 1e-3);
  EXPECT_LT(set.product.curvature_distance_edge, 1e-2);
  EXPECT_NEAR(set.product.strain_mean, set.reference.strain_mean, 1e-3);
  EXPECT_FALSE(set.has_floor);
}

TEST_F(Judge, OfScaledShiftedAndStillCloth) {
  const JudgedSet shifted = judged([](V3 p, uint32_t) { return p + V3{0.01f, 0, 0}; });
  EXPECT_NEAR(shifted.product.rmse_mm, 10, 1e-3);
  EXPECT_LT(shifted.product.sted, 1e-4) << "a constant offset is not seen";

  const JudgedSet large = judged([](V3 p, uint32_t) {
    return V3{0, 1.4f, -0.6f} + (p - V3{0, 1.4f, -0.6f}) * 1.5f;
  });
  EXPECT_NEAR(large.product.hem_ratio, 2.25, 1e-3);
  EXPECT_NEAR(large.product.hem_difference, 125, 0.1);
  EXPECT_NEAR(large.product.bend_ratio, 1, 1e-3) << "angles stay";
  EXPECT_NEAR(large.product.velocity_energy, 2.25, 1e-3);
  EXPECT_GT(large.product.strain_mean, 45);

  const JudgedSet flat = judged([](V3 p, uint32_t) { return V3{p.x, p.y, -0.6f}; });
  EXPECT_LT(flat.product.bend_ratio, 0.01);
  EXPECT_NEAR(flat.product.curvature_distance_edge, 1, 0.01);
  EXPECT_LT(flat.product.velocity_energy, 1e-6);
}

TEST_F(Judge, FindsClothInTheBody) {
  EXPECT_EQ(judged([](V3 p, uint32_t) { return p; }).product.deepest_edge_mm, 0);
  const JudgedSet inside = judged([](V3 p, uint32_t) { return p + V3{0, 0, 0.6f}; });
  EXPECT_GT(inside.product.inside_vertices, 10);
  EXPECT_GE(inside.product.inside_faces, inside.product.inside_vertices);
  EXPECT_GT(inside.product.deepest_vertex_mm, 50);
  EXPECT_EQ(inside.reference.inside_vertices, 0);
}

// The floor is the second simulation of a clip, where the data set has it.
TEST_F(Judge, MeasuresTheFloorOnClipsThatHaveIt) {
  std::filesystem::create_directories(set_.folder() / "chaos");
  {
    const files::NpyMap cloth(set_.folder() / "clips/0002/cloth.npy");
    files::NpyWriter out(set_.folder() / "chaos/0002.npy", cloth.shape());
    for (size_t i = 0; i < cloth.values().size(); ++i) {
      const float moved = cloth.values()[i] + (i % 3 == 1 ? 0.002f : 0);
      out.write({&moved, 1});
    }
    out.finish();
  }
  const JudgedSet set = judged([](V3 p, uint32_t) { return p; });
  ASSERT_TRUE(set.has_floor);
  EXPECT_EQ(set.floor.clips, 1);
  EXPECT_EQ(set.floor.frames, 20);
  EXPECT_NEAR(set.floor.rmse_mm, 2, 1e-3);
  EXPECT_NEAR(set.floor.bend_ratio, 1, 1e-3) << "against the reference of the same clip";
}

TEST_F(Judge, RefusesClothOfAnotherLength) {
  EXPECT_THROW(judge(
                   frames_, [](const Frames::ClipRange&) { return Clip(3); }, JudgeOptions{}),
               std::invalid_argument);
}

TEST(SetName, TellsCapturedFromBuiltIn) {
  dataset::DatasetInfo info;
  for (const char* name : {"walk 7", "55_01", "walk from 2.00 s"}) {
    info.clips.emplace_back();
    info.clips.back().name = name;
  }
  EXPECT_EQ(set_name(info, 0), "unseen");
  EXPECT_EQ(set_name(info, 1), "captured_test");
  EXPECT_EQ(set_name(info, 2), "captured_test");
  info.imported = true;
  EXPECT_EQ(set_name(info, 1), "unseen") << "where it comes from is not known";
}

TEST(FigureRows, HaveKeysOfTheirOwn) {
  std::vector<std::string> keys;
  for (const FigureRow& row : figure_rows()) keys.push_back(row.key);
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

}  // namespace
}  // namespace billow::evaluate::judge_test
