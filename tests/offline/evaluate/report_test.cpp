// Reports of the product, with and without a comparison.
#include "evaluate/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "offline/evaluate/small_set.h"

namespace billow::evaluate::report_test {
namespace {

TEST(Report, RecordsCarryTheProduct) {
  Report r;
  r.product.emplace(Judgement{60, 2, {{"captured_test", {}, {}, {}, false}}});
  ClothFigures &shown = r.product->sets[0].product, &reference = r.product->sets[0].reference;
  shown.clips = 6, shown.frames = 540, shown.strain_mean = 2.6123456789, shown.sted = kNotMeasured;
  reference.strain_mean = 0.3;
  r.comparison.emplace(Comparison{R"({"sets": {"train": 7}})", {}, {}, {}});
  // Frames of tests alone say nothing of what was learnt from.
  const std::string record = with_figures(R"({"frames": 7, "sets": "of training"})", r);
  const auto json = nlohmann::json::parse(record);
  EXPECT_EQ(json.at("frames"), 7);
  EXPECT_EQ(json.at("sets"), "of training");
  EXPECT_EQ(json.at("product").at("captured_test").at("strain_mean"), 2.61235);
  r.training_frames = true;
  EXPECT_TRUE(nlohmann::json::parse(with_figures(record, r)).at("sets").is_object());
  r.comparison.reset();
  EXPECT_EQ(nlohmann::json::parse(with_figures(record, r)).at("sets"), "of training");

  const std::optional<Judgement> read = product_in(record);
  ASSERT_TRUE(read);
  EXPECT_EQ(to_text(*read), to_text(*r.product));
  EXPECT_FALSE(read->sets[0].has_floor);
  for (const char* other : {"", "no JSON", "[]", R"({"product": 7})", R"({"frames": 7})"})
    EXPECT_FALSE(product_in(other)) << other;
  EXPECT_TRUE(product_in(R"({"product": {"captured_test": 7, "unusable_clips": "x"}})")->sets.empty());
  EXPECT_FALSE(to_text(*product_in(R"({"product": {"unseen": {"strain_mean": "x"}}})")).empty());
}

TEST(Report, AComparisonJoinsTheProduct) {
  const testing::SmallSet set({"tttt", "uu"}, [](V3 rest, size_t, size_t) { return rest; });
  const Frames frames = set.frames();
  const auto values = static_cast<Eigen::Index>(frames.cloth_values());
  learn::Model model;
  model.skinning.basis = {learn::Vector::Zero(values), learn::Matrix::Zero(2, values),
                          learn::Vector::Zero(2)};
  model.skinning.network.mean.setZero(static_cast<Eigen::Index>(frames.bone_values()));
  const std::map<std::string, std::string> extra{{"units", "bytes"}};
  const auto evaluated = [&](const Compare& compare) {
    return evaluate({.frames = frames, .model = model, .extra = extra, .quick = true}, {}, compare);
  };
  const Report with = evaluated([&](const ComparisonTask& task) {
    EXPECT_EQ(task.extra.at("units"), "bytes");
    EXPECT_TRUE(task.quick);
    return Comparison{R"({"components": {"floor": 7}, "sets": {"sted": null}})", "a table\n", "<h2>more</h2>",
                      ".more {}"};
  });
  const Report without = evaluated({});
  EXPECT_TRUE(with.training_frames);
  const auto json = nlohmann::json::parse(to_json(with)), alone = nlohmann::json::parse(to_json(without));
  EXPECT_EQ(json.at("components"), nlohmann::json({{"skinning", 2}, {"shape", 0}, {"floor", 7}}));
  EXPECT_TRUE(json.at("sets").at("sted").is_null()) << "not measured is said";
  EXPECT_EQ(alone.at("components"), nlohmann::json({{"skinning", 2}, {"shape", 0}}));
  EXPECT_FALSE(alone.contains("sets"));
  EXPECT_EQ(to_text(with), to_text(without) + "a table\n");
  for (const char* part : {"<h2>more</h2>", ".more {}"}) {
    EXPECT_NE(to_html(with).find(part), std::string::npos);
    EXPECT_EQ(to_html(without).find(part), std::string::npos);
  }
}

TEST(Report, RefusesAModelOfAnotherGarment) {
  const testing::SmallSet set({"tttt"}, [](V3 rest, size_t, size_t) { return rest; });
  const Frames frames = set.frames();
  const std::map<std::string, std::string> extra;
  learn::Model model;
  model.skinning.basis.mean.setZero(9);
  EXPECT_THROW(evaluate({frames, model, extra}, {}, {}), std::invalid_argument);
  EXPECT_THROW(evaluate({frames, learn::PatchModel{}, extra}, {}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace billow::evaluate::report_test
