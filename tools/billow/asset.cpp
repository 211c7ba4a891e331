// `billow info` and `billow check`: print the contents of a garment file, and validate it.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "asset/garment_view.h"
#include "commands.h"
#include "evaluate/report.h"
#include "files/whole_file.h"
#include "pack/garment_asset.h"
#include "pack/sections.h"
#include "shipped.h"

namespace billow::tool {
namespace {

using asset::GarmentView;
using nlohmann::ordered_json;

struct AssetOptions {
  std::string file;
  bool json = false;
};

// A validated garment file. The view points into `bytes`.
struct OpenGarment {
  explicit OpenGarment(const std::string& file) : bytes(files::read_whole_file(file, size_t{1} << 32)) {
    asset::Problem problem;
    bool valid = asset::read_garment(bytes.data(), bytes.size(), view, problem);
    if (valid) {
      std::vector<uint32_t> sums(view.record->vertices + 1);
      valid = asset::check_tiles(view, sums.data(), problem);
    }
    if (!valid) throw std::runtime_error(file + ": " + problem.text);
  }
  pack::AlignedBytes bytes;
  GarmentView view;
};

constexpr const char* kActivations[] = {"relu", "tanh", "gelu"};

ordered_json describe_matrix(const PackedMatrix& m) {
  ordered_json out{{"rows", m.rows}, {"columns", m.columns}};
  const std::pair<const char*, uint32_t> kinds[] = {
      {"fp32", m.float32}, {"fp16", m.float16}, {"int8", m.int8}};
  for (const auto& [name, count] : kinds)
    if (count > 0) out["stored_columns"][name] = count;
  out["bytes"] = m.panel_bytes() * m.panel_count();
  return out;
}

ordered_json describe_network(const asset::NetworkView& n) {
  ordered_json out{{"inputs", n.record->inputs}, {"activation", kActivations[n.record->activation]}};
  for (uint32_t k = 0; k < n.record->layers; ++k) out["layers"].push_back(describe_matrix(n.layer[k]));
  if (n.record->linear) out["linear"] = describe_matrix(n.linear);
  return out;
}

ordered_json describe_patches(const asset::PatchesView& p) {
  const asset::PatchesRecord& r = *p.record;
  ordered_json out{{"patches", r.patches},
                   {"networks", r.networks},
                   {"input_bones", r.input_bones},
                   {"components", r.components},
                   {"vertices", pack::shared_vertices(p)},
                   {"activation", kActivations[r.activation]}};
  out["basis"] = describe_matrix(p.basis);
  for (uint32_t k = 0; k < r.layers; ++k) out["layers"].push_back(describe_matrix(p.layer[k]));
  if (r.linear) out["linear"] = describe_matrix(p.linear);
  return out;
}

ordered_json describe(const OpenGarment& file) {
  const GarmentView& v = file.view;
  const asset::GarmentRecord& g = *v.record;
  ordered_json out{{"name", v.text_of(g.name)},
                   {"version", asset::kVersion},
                   {"bytes", file.bytes.size()},
                   {"vertices", g.vertices},
                   {"triangles", g.triangles},
                   {"key_joint", v.text_of(v.joints[g.key_joint].name)},
                   {"attachments", g.attachments},
                   {"bones", g.bones},
                   {"simulated_bones", g.chain_bones - g.chains},
                   {"chains", g.chains},
                   {"closed", g.closed != 0},
                   {"colliders", g.colliders},
                   {"blend_weights", !v.blend.weights.empty()}};
  for (const asset::JointRecord& j : v.joints) out["joints"].push_back(v.text_of(j.name));
  if (v.patches.record) {
    out["by_patches"] = describe_patches(v.patches);
  } else {
    out["components"] = {{"skinning", g.skinning_components}, {"shape", g.shape_components}};
    out["basis"] = describe_matrix(v.basis);
    out["networks"]["skinning"] = describe_network(v.skinning);
    if (v.shape.record) out["networks"]["shape"] = describe_network(v.shape);
  }
  for (const asset::Section& s : v.sections) out["sections"][s.name] = s.size;
  // Training reports are JSON; show any other text verbatim.
  const ordered_json training = ordered_json::parse(v.training, nullptr, false);
  out["training"] = v.training.empty()        ? ordered_json()
                    : training.is_discarded() ? ordered_json(v.training)
                                              : training;
  return out;
}

std::string stored(const PackedMatrix& m) {
  std::string out;
  const std::pair<const char*, uint32_t> kinds[] = {
      {"fp32", m.float32}, {"fp16", m.float16}, {"int8", m.int8}};
  for (const auto& [name, count] : kinds)
    if (count > 0) out += (out.empty() ? "" : " + ") + std::to_string(count) + " " + name;
  return out;
}

double megabytes(const PackedMatrix& m) {
  return 1e-6 * static_cast<double>(m.panel_bytes() * m.panel_count());
}

void print_patches(const asset::PatchesView& p) {
  const asset::PatchesRecord& r = *p.record;
  std::printf("  patches    %u with %u input bones each, %zu vertices in them\n", r.patches, r.input_bones,
              pack::shared_vertices(p));
  std::printf("  components %u a patch: columns of %s, %.2f MB\n", r.components, stored(p.basis).c_str(),
              megabytes(p.basis));
  double total = megabytes(p.linear);
  std::printf("  networks   %u of %u", r.networks, p.inputs());
  for (uint32_t k = 0; k < r.layers; ++k) {
    std::printf(" > %u", r.units[k]);
    total += megabytes(p.layer[k]);
  }
  std::printf(", %s%s, %.2f MB\n", kActivations[r.activation], r.linear ? ", with a linear path" : "", total);
}

void print_whole_cloth_networks(const GarmentView& v) {
  std::printf("  components %u of skinning, %u of shape: columns of %s, %.2f MB\n",
              v.record->skinning_components, v.record->shape_components, stored(v.basis).c_str(),
              megabytes(v.basis));
  for (const auto& [name, network] : {std::pair{"skinning", &v.skinning}, {"shape", &v.shape}}) {
    if (!network->record) continue;
    std::printf("  %-10s %u", name, network->record->inputs);
    for (uint32_t k = 0; k < network->record->layers; ++k) std::printf(" > %u", network->record->units[k]);
    std::printf(", %s%s\n", kActivations[network->record->activation],
                network->record->linear ? ", with a linear path" : "");
  }
}

void print_text(const OpenGarment& file) {
  const GarmentView& v = file.view;
  const asset::GarmentRecord& g = *v.record;
  const auto text = [&](asset::Text t) { return std::string(v.text_of(t)); };
  std::printf("%s: %.2f MB\n", text(g.name).c_str(), 1e-6 * static_cast<double>(file.bytes.size()));
  std::printf("  cloth      %u vertices, %u of them attached, %u triangles; key joint %s\n", g.vertices,
              g.attachments, g.triangles, text(v.joints[g.key_joint].name).c_str());
  std::printf("  bones      %u, %u simulated in %u chains%s\n", g.bones, g.chain_bones - g.chains, g.chains,
              g.closed ? " closed to a ring" : "");
  std::printf("  body       %u joints, %u colliders\n", g.joints, g.colliders);
  if (v.patches.record)
    print_patches(v.patches);
  else
    print_whole_cloth_networks(v);
  if (!v.blend.weights.empty())
    std::printf("  blending   weights for linear blend skinning, %zu bones a vertex\n", kBonesPerVertex);
  if (v.training.empty()) return;
  std::printf("  training   %zu bytes of report: see --json\n", v.training.size());
  if (const auto product = evaluate::product_in(std::string(v.training)))
    std::printf("%s", to_text(*product).c_str());
}

void info(const AssetOptions& o) {
  const OpenGarment file(garment_file(o.file));
  if (o.json)
    std::printf("%s\n", describe(file).dump(2, ' ', false, ordered_json::error_handler_t::replace).c_str());
  else
    print_text(file);
}

void check(const AssetOptions& o) {
  const std::string name = garment_file(o.file);
  const OpenGarment file(name);
  std::printf("%s: sound, %zu sections, %zu bytes\n", name.c_str(), file.view.sections.size(),
              file.bytes.size());
}

}  // namespace

void add_info(CLI::App& app) {
  auto o = std::make_shared<AssetOptions>();
  CLI::App* command =
      app.add_subcommand("info", "Print what a garment file (.billow) contains, and how it was judged");
  command->footer(
      "Examples\n"
      "  billow info cape\n"
      "  billow info cape.billow --json\n");
  command->add_option("file", o->file, kGarmentFileHelp)->required();
  command->add_flag("--json", o->json, "Print JSON, with the training report under 'training'");
  command->callback([o] { info(*o); });
}

void add_check(CLI::App& app) {
  auto o = std::make_shared<AssetOptions>();
  CLI::App* command =
      app.add_subcommand("check", "Verify a garment file (.billow): checksums, sizes and every value");
  command->footer(
      "Examples\n"
      "  billow check cape.billow\n");
  command->add_option("file", o->file, kGarmentFileHelp)->required();
  command->callback([o] { check(*o); });
}

}  // namespace billow::tool
