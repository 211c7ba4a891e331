// Each figure on cases computed by hand.
#include "research/comparison/measure.h"

#include <gtest/gtest.h>

#include "evaluate/sted.h"
#include "offline/evaluate/small_set.h"

namespace billow::research::measure_test {
namespace {

using testing::SmallSet;

V3 still(V3 rest, size_t, size_t) { return rest; }

// The reference with changed displacements.
template <class Change> Predictor changed(const Frames& frames, Change change) {
  return {"changed", [&frames, change](std::span<const uint32_t> which, Eigen::Ref<Matrix> out) {
            truth(frames).predict(which, out);
            for (size_t i = 0; i < which.size(); ++i)
              for (size_t v = 0; v < frames.rest().size(); ++v) {
                float* d = &out(static_cast<Eigen::Index>(i), 3 * static_cast<Eigen::Index>(v));
                const V3 now = change(V3{d[0], d[1], d[2]}, v, which[i]);
                d[0] = now.x, d[1] = now.y, d[2] = now.z;
              }
          }};
}

Measured one(const Frames& frames, const Predictor& predictor, const MeasureOptions& options = {}) {
  return measure(frames, {&predictor, 1}, options)[0];
}

TEST(Measure, TheReferenceIsRight) {
  const SmallSet set({"tvhtt", "uuu"}, [](V3 p, size_t, size_t f) {
    return p + V3{0, 0, -0.01f * static_cast<float>(f)};
  });
  const Frames frames = set.frames();
  const Measured m = one(frames, truth(frames));
  const std::array<size_t, 4> counts{3, 1, 1, 3};
  for (size_t s = 0; s < 4; ++s) {
    const Figures& f = m.sets[s];
    EXPECT_EQ(f.frames, counts[s]);
    EXPECT_EQ(f.rmse_mm, 0);
    EXPECT_EQ(f.p95_mm, 0);
    EXPECT_EQ(f.sted, 0);
    EXPECT_LT(f.strain_mean, 1e-3);
    EXPECT_EQ(f.penetration.deepest_mm, 0);
    EXPECT_EQ(f.penetration.frames, 0);
    EXPECT_LT(f.hausdorff_mm, 1e-3);
    EXPECT_NEAR(f.liveliness.velocity_energy, 1, 1e-6);
  }
}

TEST(Measure, DistanceOfVertices) {
  const SmallSet set({"tt", "uu"}, still);
  const Frames frames = set.frames();
  // One of 63 vertices has an error of 63 mm in one of two training frames; all have 20 mm in unseen frames.
  const Predictor p = changed(frames, [&](V3 d, size_t v, uint32_t f) {
    if (f >= 2) return d + V3{0, 0.02f, 0};
    return v == 7 && f == 1 ? d + V3{0.063f, 0, 0} : d;
  });
  const Measured m = one(frames, p);
  const Figures &train = m.sets[0], &unseen = m.sets[3];
  EXPECT_NEAR(train.rmse_mm, 63 / std::sqrt(126.0), 1e-3);
  EXPECT_NEAR(train.max_mm, 63, 1e-3);
  EXPECT_LT(train.p95_mm, 1e-3);
  EXPECT_NEAR(unseen.rmse_mm, 20, 1e-3);
  EXPECT_NEAR(unseen.p95_mm, 20, 0.1);
  EXPECT_NEAR(m.frame_rmse_mm[0], 0, 1e-3);
  EXPECT_NEAR(m.frame_rmse_mm[1], 63 / std::sqrt(63.0), 1e-3);
  // The sheet slides within its plane: only its last row is off the other sheet.
  EXPECT_NEAR(unseen.hausdorff_mm, 20, 1e-2);
  EXPECT_NEAR(unseen.chamfer_mm, 20.0 / 9, 0.5) << "one row of nine";
  EXPECT_LT(unseen.sted, 1e-4) << "a common offset has no STED";
}

TEST(Measure, StrainAgainstTheLengthsAsCut) {
  const SmallSet set({"tt"}, still);
  const Frames frames = set.frames();
  const Predictor p = changed(frames, [&](V3 d, size_t v, uint32_t) { return d + frames.rest()[v] * 0.1f; });
  const Figures f = one(frames, p).sets[0];
  EXPECT_NEAR(f.strain_mean, 10, 1e-3);
  EXPECT_NEAR(f.strain_p99, 10, 0.05);
  EXPECT_LT(f.sted_space, 1e-4) << "uniform strain has no STED";
}

TEST(Measure, Liveliness) {
  // The reference moves by 1 cm per frame; the predictions twice as fast, or with a lateral jitter of 1 mm.
  const SmallSet set({"ttttt"}, [](V3 p, size_t, size_t f) {
    return p + V3{0, 0, -0.01f * static_cast<float>(f)};
  });
  const Frames frames = set.frames();
  const Predictor twice = changed(frames, [](V3 d, size_t, uint32_t) { return d * 2.0f; });
  const Liveliness fast = one(frames, twice).sets[0].liveliness;
  EXPECT_NEAR(fast.velocity_energy, 4, 1e-3);
  EXPECT_NEAR(fast.velocity_rmse, 0.3, 1e-4);
  EXPECT_NEAR(fast.acceleration_rmse, 0, 1e-2);

  const Predictor jittering = changed(frames, [](V3 d, size_t, uint32_t f) {
    return d + V3{f % 2 ? 0.001f : 0.0f, 0, 0};
  });
  const Figures f = one(frames, jittering).sets[0];
  EXPECT_NEAR(f.liveliness.velocity_energy, 1.01, 1e-4);
  EXPECT_NEAR(f.liveliness.velocity_rmse, 0.03, 1e-4);
  EXPECT_NEAR(f.liveliness.acceleration_rmse, 0.002 * 900, 1e-2);
}

TEST(Measure, MotionLooksBackIntoOtherSets) {
  const SmallSet set({"tvt", "uu"}, still);
  const Frames frames = set.frames();
  const Predictor p = changed(frames, [](V3 d, size_t, uint32_t f) {
    return f == 1 ? d + V3{0.01f, 0, 0} : d;
  });
  const Measured m = one(frames, p);
  EXPECT_NEAR(m.sets[1].liveliness.velocity_rmse, 0.3, 1e-4) << "into the validation frame";
  EXPECT_NEAR(m.sets[0].liveliness.velocity_rmse, 0.3, 1e-4)
      << "and out of it; the first frame has none before it";
  EXPECT_EQ(m.sets[3].liveliness.velocity_rmse, 0) << "no look back into another clip";
}

TEST(Measure, PenetrationAndPushOut) {
  const SmallSet set({"tt"}, still);
  const Frames frames = set.frames();
  const body::Person person = body::make_person();
  const body::Surface surface(person.skeleton, person.colliders);
  // Find a point 3 mm deep in the back.
  V3 deep{0.05f, 1.25f, -0.5f};
  float step = 0.25f;
  for (int k = 0; k < 40; ++k, step /= 2) deep.z += surface.at(deep).distance > -0.003f ? step : -step;
  ASSERT_NEAR(surface.at(deep).distance, -0.003f, 1e-5f);
  // Put all vertices of the last row there in the second frame.
  const Predictor p = changed(
      frames, [&](V3 d, size_t v, uint32_t f) { return f == 1 && v >= 56 ? deep - frames.rest()[v] : d; });
  const Figures f = one(frames, p).sets[0];
  const double percent = 100 * 7.0 / 126;
  const std::array<double, 4> expected{percent, percent, percent, 0};
  for (size_t k = 0; k < 4; ++k) EXPECT_NEAR(f.penetration.vertices[k], expected[k], 1e-9) << k;
  EXPECT_NEAR(f.penetration.deepest_mm, 3, 0.01);
  EXPECT_EQ(f.penetration.frames, 50);
  EXPECT_GE(f.penetration.edges[2],
            100 * 6.0 / (2 * static_cast<double>(evaluate::edges_of(set.garment()).size())))
      << "at least the edges of the row";
  EXPECT_EQ(f.pushed_out.vertices[0], 0);
  EXPECT_EQ(f.pushed_out.frames, 0);
  EXPECT_EQ(f.pushed_out.deepest_mm, 0);
  EXPECT_NEAR(f.pushed_out_rmse_mm, f.rmse_mm, 5);

  std::vector<V3> points{deep, {0, 3, 0}};
  push_out(surface, 0.002f, points);
  EXPECT_GT(surface.at(points[0]).distance, 0.0019f);
  EXPECT_EQ(points[1].y, 3);
}

TEST(Measure, RefusesWhatIsNoNumber) {
  const SmallSet set({"ttt"}, still);
  const Frames frames = set.frames();
  const Predictor p = changed(frames, [](V3 d, size_t v, uint32_t f) {
    return v == 3 && f == 1 ? V3{std::nanf(""), 0, 0} : d;
  });
  try {
    one(frames, p);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("changed: expected finite"), std::string::npos) << e.what();
  }
}

TEST(Measure, DoesNotDependOnThreads) {
  const SmallSet set({std::string(130, 't'), std::string(70, 'u')}, [](V3 p, size_t c, size_t f) {
    return p + V3{0, 0, 0.1f * std::sin(0.3f * static_cast<float>(f + 9 * c) + 4 * p.y)};
  });
  const Frames frames = set.frames();
  const Predictor p = changed(frames, [](V3 d, size_t, uint32_t) { return d * 1.1f; });
  const Measured a = one(frames, p, {.threads = 1}), b = one(frames, p, {.threads = 3});
  for (const size_t s : {0u, 3u}) {
    EXPECT_EQ(a.sets[s].rmse_mm, b.sets[s].rmse_mm);
    EXPECT_EQ(a.sets[s].p95_mm, b.sets[s].p95_mm);
    EXPECT_EQ(a.sets[s].sted, b.sets[s].sted);
    EXPECT_EQ(a.sets[s].liveliness.acceleration_rmse, b.sets[s].liveliness.acceleration_rmse);
  }
  EXPECT_EQ(a.frame_rmse_mm, b.frame_rmse_mm);
}

TEST(Measure, LeavesOutWhatIsNotAskedFor) {
  const SmallSet set({std::string(60, 't') + "vhvthtvht", std::string(20, 'u')},
                     [](V3 p, size_t c, size_t f) {
                       return p + V3{0, 0, 0.1f * std::sin(0.3f * static_cast<float>(f + 9 * c) + 4 * p.y)};
                     });
  const Frames frames = set.frames();
  const Predictor p = changed(frames, [](V3 d, size_t, uint32_t) { return d * 1.1f; });
  const Measured all = one(frames, p), some = one(frames, p, {.sted = false, .train_every = 7});
  const auto train = frames.of(dataset::Part::kTrain);
  EXPECT_EQ(some.sets[0].frames, (train.size() + 6) / 7);
  for (size_t i = 0; i < train.size(); ++i)
    EXPECT_EQ(some.frame_rmse_mm[train[i]], i % 7 == 0 ? all.frame_rmse_mm[train[i]] : 0.0f);
  for (size_t s = 1; s < kSets.size(); ++s) {
    EXPECT_EQ(some.sets[s].frames, all.sets[s].frames);
    EXPECT_EQ(some.sets[s].rmse_mm, all.sets[s].rmse_mm);
    EXPECT_EQ(some.sets[s].liveliness.acceleration_rmse, all.sets[s].liveliness.acceleration_rmse);
    EXPECT_EQ(some.sets[s].sted, 0);
    EXPECT_GT(all.sets[s].sted, 0);
  }
}

}  // namespace
}  // namespace billow::research::measure_test
