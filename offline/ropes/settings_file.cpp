#include "ropes/settings_file.h"

#include <memory>
#include <stdexcept>

#include "body/contacts.h"
#include "files/whole_file.h"
#include "import/json_at.h"

namespace billow::ropes {
namespace {

using importer::JsonAt;

// Calls f(name, field) for each setting.
template <class Settings, class F> void visit(Settings& s, F f) {
  f("mass", s.mass), f("drag", s.drag), f("damping", s.damping), f("global_damping", s.global_damping);
  f("lateral_stretch", s.lateral_stretch), f("lateral_compression", s.lateral_compression);
  f("lateral_shear", s.lateral_shear), f("rest_angle", s.rest_angle), f("shrink", s.shrink);
  f("panel_drag", s.panel_drag), f("panel_lift", s.panel_lift), f("panel_folds", s.panel_folds);
  f("air_density", s.air_density), f("substep_angle", s.solver.substep_angle),
      f("max_substeps", s.solver.max_substeps);
  f("push_direction", s.solver.push_direction), f("velocity_direction", s.solver.velocity_direction);
  f("radius", s.radius), f("friction", s.friction), f("rope_samples", s.solver.rope_samples);
  f("lateral_samples", s.solver.lateral_samples), f("learnt_force", s.learnt_force),
      f("self_contact", s.self_contact);
}

std::string text_of(float number) { return files::shortest(number); }
std::string text_of(uint32_t number) { return std::to_string(number); }
std::string text_of(billow_contact_direction d) {
  return d == BILLOW_CONTACT_DIRECTION_HISTORY ? "\"history\"" : "\"gradient\"";
}
std::string text_of(const billow_curve& curve) {
  if (curve.point_count == 0) return text_of(curve.value);
  std::string out = "[";
  for (uint32_t i = 0; i < curve.point_count; ++i)
    out += (i > 0 ? ", " : "") + text_of(curve.value * curve.points[i]);
  return out + "]";
}

void read(const JsonAt& at, float& out) { out = static_cast<float>(at.number()); }
void read(const JsonAt& at, uint32_t& out) { out = static_cast<uint32_t>(at.index(BILLOW_MAX_SUBSTEPS + 1)); }
void read(const JsonAt& at, billow_contact_direction& out) {
  const std::string name = at.raw().is_string() ? at.string() : "";
  if (name != "history" && name != "gradient") at.fail("\"history\" or \"gradient\"");
  out = name == "history" ? BILLOW_CONTACT_DIRECTION_HISTORY : BILLOW_CONTACT_DIRECTION_GRADIENT;
}
// A number, or an array from root to tip.
void read(const JsonAt& at, billow_curve& out) {
  out = {};
  if (!at.raw().is_array()) {
    read(at, out.value);
    return;
  }
  if (at.size() < 1 || at.size() > BILLOW_CURVE_POINTS)
    at.fail("1 to " + std::to_string(BILLOW_CURVE_POINTS) + " numbers");
  out.value = 1;
  out.point_count = static_cast<uint32_t>(at.size());
  for (size_t i = 0; i < at.size(); ++i) read(at.at(i), out.points[i]);
}

// Validates settings by the API: creates a chain and throws its error message.
void check(const billow_settings& settings) {
  const uint32_t bones = 2;
  const float rest[] = {0, 0, 0, 0, -1, 0};
  billow_chains_desc desc{};
  desc.chain_count = 1, desc.bone_counts = &bones, desc.rest_positions = rest;
  billow_chains* chains = nullptr;
  if (billow_chains_create(&desc, &chains) != BILLOW_OK) throw std::runtime_error(billow_last_error());
  const std::unique_ptr<billow_chains, void (*)(billow_chains*)> owner(chains, billow_chains_destroy);
  if (billow_chains_set_settings(chains, &settings) != BILLOW_OK)
    throw std::runtime_error(billow_last_error());
}

}  // namespace

std::string settings_text(const billow_settings& settings) {
  std::string out = "{\n  \"format\": \"billow rope settings\",\n  \"version\": 1";
  visit(settings, [&](const char* name, const auto& field) {
    out += std::string(",\n  \"") + name + "\": " + text_of(field);
  });
  out += ",\n  \"contacts\": \"" + body::text_of(body::contacts_of(settings)) + "\"";
  return out + "\n}\n";
}

void read_settings_file(const std::filesystem::path& file, billow_settings& settings) try {
  const nlohmann::json json = importer::parse_strictly(files::read_whole_file(file, 1 << 20));
  const JsonAt at(json, "");
  if (at.at("format").string() != "billow rope settings") at.at("format").fail("\"billow rope settings\"");
  if (at.at("version").number() != 1) at.at("version").fail("1");
  std::set<std::string> known{"format", "version"};
  billow_settings changed = settings;
  visit(changed, [&](const char* name, auto& field) {
    known.insert(name);
    if (at.has(name)) read(at.at(name), field);
  });
  known.insert("contacts");
  if (at.has("contacts")) body::apply(body::contacts_from(at.at("contacts").string()), changed);
  importer::expect_keys(at, known);
  check(changed);
  settings = changed;
} catch (const std::exception& e) {
  throw std::runtime_error(file.string() + ": " + e.what());
}

}  // namespace billow::ropes
