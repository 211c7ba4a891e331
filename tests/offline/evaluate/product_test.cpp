// The runtime played on the clips of a data set.
#include "evaluate/product.h"

#include <gtest/gtest.h>

#include "offline/evaluate/small_set.h"
#include "pack/garment_asset.h"

namespace billow::evaluate::product_test {
namespace {

using testing::SmallSet;

V3 still(V3 p, size_t, size_t) { return p; }

// The garment of the set with a network that says nothing: the cloth is its rest, carried by the bones' frame.
class ProductTest : public ::testing::Test {
 protected:
  ProductTest()
      : set_({std::string(12, 'u')}, still), frames_(set_.frames()), file_(set_.folder() / "sheet.billow") {
    pack::GarmentData packed;
    packed.garment = frames_.garment();
    packed.skeleton = frames_.character().skeleton;
    packed.settings = billow_settings_default();
    const auto values = static_cast<Eigen::Index>(frames_.cloth_values()),
               inputs = static_cast<Eigen::Index>(frames_.bone_values());
    learn::Stage stage;
    stage.basis.modes = learn::Matrix::Zero(1, values), stage.basis.modes(0, 0) = 1;
    stage.basis.mean = learn::Vector::Zero(values), stage.basis.deviation = learn::Vector::Ones(1);
    stage.network.mean = learn::Vector::Zero(inputs), stage.network.scale = learn::Vector::Ones(inputs);
    stage.network.layers = {{learn::Matrix::Zero(1, inputs), learn::Vector::Zero(1)}};
    packed.model = learn::Model{stage, {}};
    pack::write_garment_asset(packed, file_);
  }
  SmallSet set_;
  Frames frames_;
  std::filesystem::path file_;
};

TEST_F(ProductTest, FollowsTheJointsOfTheClip) {
  const Product product(file_.string(), frames_, 60);
  EXPECT_EQ(product.rate(), 60);
  const auto frames = product.play(frames_.clips()[0]);
  ASSERT_EQ(frames.size(), 12u);
  for (uint32_t f = 0; f < 12; ++f) {
    ASSERT_EQ(frames[f].size(), frames_.garment().size());
    for (size_t v = 0; v < frames[f].size(); ++v)
      EXPECT_LT(length(frames[f][v] - apply(frames_.rigid(f), frames_.rest()[v])), 1e-3f) << f << " " << v;
  }
  const auto again = product.play(frames_.clips()[0]);
  for (size_t v = 0; v < frames[0].size(); ++v) EXPECT_EQ(length(again[11][v] - frames[11][v]), 0);
}

TEST_F(ProductTest, RateIsAMultipleOfTheDataSets) {
  EXPECT_EQ(Product(file_.string(), frames_, 30).rate(), 30);
  EXPECT_EQ(Product(file_.string(), frames_, 100).rate(), 90);
  EXPECT_EQ(Product(file_.string(), frames_, 1).rate(), 30);
}

TEST_F(ProductTest, RefusesWhatItCannotPlay) {
  EXPECT_THROW(Product("nothing.billow", frames_, 60), std::runtime_error);
  billow_garment* garment = nullptr;
  ASSERT_EQ(billow_garment_load(file_.c_str(), nullptr, &garment), BILLOW_OK);
  body::Skeleton other;
  other.joints.push_back({"tail", body::kNoJoint, {}});
  try {
    joints_needed(garment, other, "sheet.billow", "a cat");
    ADD_FAILURE() << "expected a refusal";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find(
                  "sheet.billow: expected a garment for a cat, found one that needs a joint"),
              std::string::npos)
        << e.what();
  }
  billow_garment_destroy(garment);
}

}  // namespace
}  // namespace billow::evaluate::product_test
