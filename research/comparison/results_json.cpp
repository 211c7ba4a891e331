#include <nlohmann/json.hpp>

#include "research/comparison/comparison.h"

namespace billow::research {
namespace {

using evaluate::RopeGap;
using Json = nlohmann::ordered_json;

// The keys are depths in mm.
Json by_depth(const std::array<double, 4>& percent) {
  Json out;
  for (size_t k = 0; k < kDepths.size(); ++k)
    out[std::to_string(static_cast<int>(1000 * kDepths[k] + 0.5f))] = percent[k];
  return out;
}

void put(Json& out, const Penetration& p) {
  out["penetrating_percent"] = by_depth(p.vertices);
  out["penetrating_edges_percent"] = by_depth(p.edges);
  out["penetrating_frames_percent"] = p.frames;
  out["deepest_mm"] = p.deepest_mm;
}

// null for figures that were not measured.
Json if_measured(bool measured, double value) { return measured ? Json(value) : Json(); }

Json of(const Results& r, const Figures& f) {
  Json out;
  out["frames"] = f.frames;
  out["rmse_mm"] = f.rmse_mm;
  out["p95_mm"] = f.p95_mm;
  out["max_mm"] = f.max_mm;
  out["hausdorff_mm"] = if_measured(r.with_surfaces, f.hausdorff_mm);
  out["chamfer_mm"] = if_measured(r.with_surfaces, f.chamfer_mm);
  out["sted"] = if_measured(r.with_sted, f.sted);
  out["sted_space"] = if_measured(r.with_sted, f.sted_space);
  out["sted_time"] = if_measured(r.with_sted, f.sted_time);
  out["edge_strain_percent"] = {{"mean", f.strain_mean}, {"p99", f.strain_p99}};
  out["liveliness"] = {{"velocity_energy", f.liveliness.velocity_energy},
                       {"acceleration_energy", f.liveliness.acceleration_energy},
                       {"velocity_rmse", f.liveliness.velocity_rmse},
                       {"acceleration_rmse", f.liveliness.acceleration_rmse}};
  put(out, f.penetration);
  put(out["pushed_out"], f.pushed_out);
  out["pushed_out"]["rmse_mm"] = f.pushed_out_rmse_mm;
  return out;
}

// Omits sets without frames.
template <class Make> Json by_set(const Measured& m, Make make) {
  Json out = Json::object();
  for (size_t s = 0; s < kSets.size(); ++s)
    if (m.sets[s].frames > 0) out[kSetNames[s]] = make(m.sets[s]);
  return out;
}

Json distances(const Figures& f) {
  return {{"rmse_mm", f.rmse_mm}, {"p95_mm", f.p95_mm}, {"max_mm", f.max_mm}};
}

Json sets_of(const Results& r, const std::vector<Named>& sources) {
  Json out = Json::object();
  for (const Named& source : sources)
    for (size_t s = 0; s < kSets.size(); ++s)
      if (const Figures& f = source.measured.sets[s]; f.frames > 0) out[kSetNames[s]][source.name] = of(r, f);
  return out;
}

Json names_of(const std::vector<Named>& methods) {
  Json out = Json::object();
  for (const Named& m : methods) out[m.name] = by_set(m.measured, distances);
  return out;
}

Json of(const RopeGap& g) {
  return {{"frames", g.frames},
          {"rms_mm", g.rms_mm},
          {"mean_mm", g.mean_mm},
          {"tips_mm", g.tips_mm},
          {"bias_mm", g.bias_mm},
          {"swing_mm", g.swing_mm},
          {"chain_to_chain_mm", g.chain_to_chain_mm}};
}

Json of(const BoneGap& gap) {
  Json out = of(gap.unseen);
  out["chaos_floor_mm"] = gap.unseen.chaos_floor_mm;
  out["ratio"] = gap.unseen.ratio;
  for (size_t s = 0; s < kSets.size(); ++s)
    if (gap.sets[s].frames > 0) out["sets"][kSetNames[s]] = of(gap.sets[s]);
  return out;
}

}  // namespace

std::string to_json(const Results& r) {
  Json out;
  out["components"]["floor"] = r.floor_components;
  out["sets"] = sets_of(r, r.sources);
  out["skinning_only"] = sets_of(r, r.skinning_only);
  out["reference"] = by_set(r.truth, [&](const Figures& f) { return of(r, f); });
  for (const Named& floor : r.floors) out[floor.name] = by_set(floor.measured, distances);
  out["baselines"] = names_of(r.baselines);
  out["rope_baselines"] = names_of(r.rope_baselines);
  out["ridge_mirrored"] = r.ridge_mirrored;
  if (!r.sources.empty())
    out["edge_strain_percent"] = by_set(r.sources[0].measured, [](const Figures& f) {
      return Json{{"mean", f.strain_mean}, {"p99", f.strain_p99}};
    });
  for (const BoneGap& gap : r.gaps) out[gap.source + "_gap"] = of(gap);
  return out.dump();
}

}  // namespace billow::research
