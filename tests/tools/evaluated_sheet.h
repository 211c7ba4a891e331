// A small data set, and a garment file that was fitted to it, for the programs.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "files/whole_file.h"
#include "learn/frames.h"
#include "learn/pca.h"
#include "learn/ridge.h"
#include "offline/evaluate/small_set.h"
#include "pack/garment_asset.h"
#include "tools/program.h"

namespace billow::testing {

class EvaluatedSheet : public ::testing::Test {
 protected:
  EvaluatedSheet() : set_({std::string(30, 't') + "vvhh", std::string(20, 'u')}, waving) {
    const learn::Frames frames = set_.frames();
    const auto train = frames.of(dataset::Part::kTrain);
    const learn::Rows rows = learn::cloth_rows(frames, train);
    learn::Stage stage;
    stage.basis = learn::principal_components(rows, {.components = 3}).basis;
    stage.network =
        learn::fit_ridge(learn::bone_matrix(frames, train, learn::Source::kEmbedded),
                         learn::coefficients(rows, stage.basis), std::vector<uint32_t>(train.size(), 0), {})
            .network;
    // The file has no path without a layer.
    stage.network.layers = {{learn::Matrix::Zero(3, stage.network.mean.size()), stage.network.bias}};
    stage.network.bias.resize(0);
    packed_.garment = frames.garment();
    packed_.skeleton = frames.character().skeleton;
    packed_.settings = billow_settings_default();
    packed_.model = learn::Model{stage, {}};
    write();
  }
  static V3 waving(V3 p, size_t clip, size_t frame) {
    const float t = 0.2f * static_cast<float>(frame + 31 * clip), hang = 1.4f - p.y;
    return p + V3{0.1f * hang * std::sin(1.3f * t), 0, 0.3f * hang * std::sin(t + 3 * p.y + 2 * p.x)};
  }
  void write() const { pack::write_garment_asset(packed_, set_.folder() / "sheet.billow"); }
  testing::Outcome run(const std::string& arguments) const {
    return testing::run_program("evaluate " + arguments, set_.folder());
  }
  static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
  testing::SmallSet set_;
  pack::GarmentData packed_;
};

}  // namespace billow::testing
