#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "evaluate/report.h"

namespace billow::evaluate {
namespace {

using Json = nlohmann::ordered_json;

Json object_of(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  return json.is_object() ? json : Json::object();
}

void shorten_numbers(Json& json) {
  if (json.is_structured())
    for (Json& part : json) shorten_numbers(part);
  if (!json.is_number_float()) return;
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", json.get<double>());
  json = std::strtod(text, nullptr);
}

// null for figures that were not measured.
Json if_measured(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json of(const ClothFigures& f, bool is_reference) {
  Json out{{"clips", static_cast<size_t>(f.clips)}, {"frames", static_cast<size_t>(f.frames)}};
  for (const FigureRow& row : figure_rows())
    if (!row.relative || !is_reference) out[row.key] = if_measured(f.*row.value);
  return out;
}

Json of(const Judgement& product) {
  Json out{{"frames_per_second", product.rate}, {"unusable_clips", product.unusable}};
  for (const JudgedSet& set : product.sets) {
    Json& json = out[set.name] = of(set.product, false);
    json["reference"] = of(set.reference, true);
    json["floor"] = set.has_floor ? of(set.floor, false) : Json();
  }
  return out;
}

double number_in(const Json& object, const char* key) {
  const Json value = object.is_object() ? object.value(key, Json()) : Json();
  return value.is_number() ? value.get<double>() : kNotMeasured;
}

ClothFigures cloth_in(const Json& json) {
  ClothFigures f;
  f.clips = number_in(json, "clips"), f.frames = number_in(json, "frames");
  for (const FigureRow& row : figure_rows()) f.*row.value = number_in(json, row.key);
  return f;
}

}  // namespace

std::string to_json(const Report& r) {
  Json out;
  out["format"] = "billow evaluation";
  out["version"] = 1;
  out["garment"] = r.garment;
  out["vertices"] = r.vertices;
  out["bones"] = r.bones;
  out["form"] = r.form;
  if (r.patches > 0) {
    out["patches"] = r.patches;
    out["components"] = {{"patch", r.patch_components}};
  } else {
    out["components"] = {{"skinning", r.skinning_components}, {"shape", r.shape_components}};
  }
  if (r.product) out["product"] = of(*r.product);
  if (r.comparison) out.update(Json::parse(r.comparison->json), true);
  out["seconds"] = r.seconds;
  return out.dump(1);
}

std::string shortened(const std::string& record) {
  Json all = object_of(record);
  shorten_numbers(all);
  return all.dump();
}

std::string with_figures(const std::string& record, const Report& report) {
  Json all = object_of(record);
  Json measured = Json::parse(to_json(report));
  if (!report.comparison || !report.training_frames) {
    if (report.product) all["product"] = measured["product"];
    return shortened(all.dump());
  }
  for (const char* own : {"format", "version", "seconds"}) measured.erase(own);
  all.update(measured);
  all["evaluation_seconds"] = report.seconds;
  return shortened(all.dump());
}

std::optional<Judgement> product_in(const std::string& record) {
  const Json all = object_of(record), json = all.value("product", Json());
  if (!json.is_object()) return std::nullopt;
  Judgement product;
  product.rate = number_in(json, "frames_per_second");
  if (const double unusable = number_in(json, "unusable_clips"); unusable >= 1 && unusable < 1e9)
    product.unusable = static_cast<size_t>(unusable);
  for (const char* name : kSetsOfProduct) {
    const Json set = json.value(name, Json());
    if (!set.is_object()) continue;
    const Json floor = set.value("floor", Json());
    product.sets.push_back(
        {name, cloth_in(set), cloth_in(set.value("reference", Json())), cloth_in(floor), floor.is_object()});
  }
  return product;
}

}  // namespace billow::evaluate
