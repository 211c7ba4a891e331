// Formats the measurements of a scene as a table or as JSON.
#include <cstdio>
#include <utility>

#include "play.h"

namespace billow::tool {
namespace {

constexpr std::pair<uint32_t, const char*> kFlags[] = {
    {BILLOW_FLAG_TELEPORTED, "teleported"},
    {BILLOW_FLAG_RECOVERED, "recovered"},
    {BILLOW_FLAG_TRAPPED, "trapped"},
    {BILLOW_FLAG_ENCLOSED, "enclosed"},
    {BILLOW_FLAG_ENERGY_LIMITED, "energy_limited"},
    {BILLOW_FLAG_SUBSTEPS_CAPPED, "substeps_capped"},
};

std::string flags_as_text(uint32_t flags, const char* quote, const char* separator) {
  std::string text;
  for (const auto& [flag, name] : kFlags)
    if (flags & flag) text += (text.empty() ? "" : separator) + (quote + std::string(name) + quote);
  return text;
}

std::string distance_as_text(std::optional<double> distance) {
  if (!distance) return "no body";
  return *distance < 0 ? rounded(-1000 * *distance, 2) + " mm inside"
                       : rounded(1000 * *distance, 2) + " mm outside";
}

// A JSON string literal, with quotes, backslashes and control characters escaped.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    char code[8];
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 32) {
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      out += code;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string exact(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

}  // namespace

std::string rounded(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string as_table(const Numbers& n) {
  std::string out;
  const auto row = [&](const std::string& what, const std::string& value) {
    out += what + std::string(what.size() < 26 ? 26 - what.size() : 1, ' ') + value + "\n";
  };
  row("scene", n.scene);
  row("chains, bones", std::to_string(n.chains) + ", " + std::to_string(n.bones));
  row("frames", std::to_string(n.frames) + " at " + rounded(n.hz, 0) + " Hz");
  row("sub-steps a frame", rounded(n.substeps_mean, 2) + ", at most " + std::to_string(n.substeps_most));
  row("longest rope", rounded(100 * n.length_excess, 4) + " % over its maximum");
  row("deepest bone", distance_as_text(n.deepest_bone));
  row("contacts a frame", rounded(n.contacts_mean, 1) + ", at most " + std::to_string(n.contacts_most));
  row("trapped, enclosed bones",
      "at most " + std::to_string(n.trapped_most) + ", " + std::to_string(n.enclosed_most));
  row("flags", n.flags ? flags_as_text(n.flags, "", ", ") : "none");
  row("microseconds a frame", "p50 " + rounded(n.step_p50, 1) + ", p99 " + rounded(n.step_p99, 1));
  for (size_t s = 0; s < BILLOW_CHAIN_STAGE_COUNT; ++s)
    row("  " + std::string(billow_chain_stage_name(static_cast<billow_chain_stage>(s))),
        rounded(n.stage_mean[s], 2));
  return out;
}

std::string as_json(const Numbers& n, const std::string& picture) {
  std::string out = "{\n";
  const auto field = [&](const char* name, const std::string& value) {
    out += "  \"" + std::string(name) + "\": " + value + ",\n";
  };
  field("scene", quoted(n.scene));
  field("chains", std::to_string(n.chains));
  field("bones", std::to_string(n.bones));
  field("seconds", exact(n.seconds));
  field("hz", exact(n.hz));
  field("frames", std::to_string(n.frames));
  field("substeps_mean", exact(n.substeps_mean));
  field("substeps_most", std::to_string(n.substeps_most));
  field("length_excess", exact(n.length_excess));
  field("deepest_bone_m", n.deepest_bone ? exact(*n.deepest_bone) : "null");
  field("contacts_mean", exact(n.contacts_mean));
  field("contacts_most", std::to_string(n.contacts_most));
  field("trapped_most", std::to_string(n.trapped_most));
  field("enclosed_most", std::to_string(n.enclosed_most));
  field("flags", "[" + flags_as_text(n.flags, "\"", ", ") + "]");
  field("frame_us_p50", exact(n.step_p50));
  field("frame_us_p99", exact(n.step_p99));
  std::string stages;
  for (size_t s = 0; s < BILLOW_CHAIN_STAGE_COUNT; ++s)
    stages += (s ? ", " : "") + quoted(billow_chain_stage_name(static_cast<billow_chain_stage>(s))) + ": " +
              exact(n.stage_mean[s]);
  field("stage_us_mean", "{" + stages + "}");
  out += "  \"picture\": " + quoted(picture) + "\n}\n";
  return out;
}

}  // namespace billow::tool
