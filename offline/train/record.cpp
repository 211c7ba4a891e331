// The record of a training as JSON.
#include <nlohmann/json.hpp>

#include "train/train.h"

namespace billow::train {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const StageRecord& stage) {
  Json epochs = Json::array();
  for (const Epoch& e : stage.result.epochs)
    epochs.push_back({{"epoch", e.number},
                      {"rate", e.rate},
                      {"seconds", e.seconds},
                      {"loss", e.loss},
                      {"validation_loss", e.validation_loss},
                      {"rmse_mm", e.rmse_mm},
                      {"validation_rmse_mm", e.validation_rmse_mm},
                      {"near_percent", e.near_percent},
                      {"validation_near_percent", e.validation_near_percent}});
  return {{"name", stage.name},
          {"components", stage.components},
          {"basis",
           {{"seconds", stage.basis_seconds},
            {"explained", stage.basis_explained},
            {"floor_mm", stage.basis_floor_mm}}},
          {"ridge_penalty", stage.ridge_penalty},
          {"best_epoch", stage.result.best},
          {"seconds", stage.result.seconds},
          {"epochs", std::move(epochs)}};
}

}  // namespace

std::string to_json(const Record& record) {
  Json stages = Json::array();
  for (const StageRecord& stage : record.stages) stages.push_back(json_of(stage));
  return Json{{"garment", record.garment},
              {"frames", record.frames.train.size()},
              {"validation_frames", record.frames.validation.size()},
              {"samples", record.samples},
              {"device", record.device},
              {"seconds", record.seconds},
              {"options", Json::parse(to_json(record.options))},
              {"stages", std::move(stages)}}
      .dump(2);
}

}  // namespace billow::train
