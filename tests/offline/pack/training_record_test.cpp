// The record of a training in a garment file: replacing it leaves all other sections as they are.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "asset/garment_view.h"
#include "pack/garment_asset.h"
#include "pack/sample_garment.h"

namespace billow::pack::training_record_test {
namespace {

// The sections by name.
std::map<std::string, std::string> sections_of(const std::string& file) {
  const AlignedBytes bytes(file);
  asset::GarmentView view;
  asset::Problem problem;
  EXPECT_TRUE(asset::read_garment(bytes.data(), bytes.size(), view, problem)) << problem.text;
  std::map<std::string, std::string> out;
  for (const asset::Section& s : view.sections) out[s.name] = std::string(view.bytes_of(s));
  return out;
}

TEST(TrainingRecord, IsReplacedAlone) {
  GarmentData p = sample_garment(body::make_person(), {});
  p.training = "{}", p.extra["more"] = "else";
  const std::string file = pack_garment(p, {Precision::kInt8}),
                    changed = with_training(file, "{\"frames\": 7}");
  std::map<std::string, std::string> expected = sections_of(file);
  ASSERT_EQ(expected.at("training"), "{}");
  ASSERT_EQ(expected.at("extra.more"), "else");
  expected["training"] = "{\"frames\": 7}";
  EXPECT_EQ(sections_of(changed), expected);
  EXPECT_EQ(with_training(changed, "{}").size(), with_training(file, "{}").size());
  EXPECT_THROW(with_training("no garment", "{}"), std::runtime_error);
}

TEST(TrainingRecord, IsAddedToAFileWithout) {
  GarmentData p = sample_garment(body::make_person(), {});
  p.training.clear();
  const std::string file = pack_garment(p, {Precision::kInt8});
  std::map<std::string, std::string> expected = sections_of(file);
  expected["training"] = "{}";
  EXPECT_EQ(sections_of(with_training(file, "{}")), expected);
}

}  // namespace
}  // namespace billow::pack::training_record_test
