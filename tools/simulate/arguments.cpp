#include "arguments.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace billow {
namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& expected, const std::string& found) {
  throw std::invalid_argument(option + ": expected " + expected + ", found '" + found + "'");
}

template <class Number>
Number number_of(const std::string& option, const std::string& text, Number low, Number high) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= low && value <= high)) {
    std::ostringstream range;
    range << "a number from " << low << " to " << high;
    refuse(option, range.str(), text);
  }
  return value;
}

void parse_shard(const std::string& text, dataset::Job& job) {
  const size_t slash = text.find('/');
  if (slash == std::string::npos) refuse("--shard", "a number of all, such as 1/4", text);
  job.shards = number_of("--shard", text.substr(slash + 1), 1, 100'000);
  job.shard = number_of("--shard", text.substr(0, slash), 1, job.shards) - 1;
}

std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream in(text);
  for (std::string name; std::getline(in, name, ',');)
    if (!name.empty()) names.push_back(name);
  if (names.empty()) refuse("--clips", "names of captured clips, such as 07_03,05_14", text);
  return names;
}

using Setter = std::function<void(const std::string&)>;

// What each option with a value does.
std::map<std::string, Setter> setters_of(SimulateArguments& a) {
  dataset::Request& r = a.job.request;
  constexpr size_t kMost = 10'000'000;
  return {
      {"--motions",
       [&](const std::string& v) {
         if (v != "captured" && v != "built-in") refuse("--motions", "captured or built-in", v);
         a.captured = v == "captured";
       }},
      {"--bundle", [&](const std::string& v) { a.bundle = v, a.captured = true; }},
      {"--clips", [&](const std::string& v) { a.only = names_in(v), a.captured = true; }},
      {"--frames", [&](const std::string& v) { r.frames = number_of<size_t>("--frames", v, 0, kMost); }},
      {"--unseen", [&](const std::string& v) { r.unseen = number_of<size_t>("--unseen", v, 0, kMost); }},
      {"--built-in-share",
       [&](const std::string& v) { r.built_in_share = number_of("--built-in-share", v, 0.0, 1.0); }},
      {"--seed", [&](const std::string& v) { r.seed = number_of<uint32_t>("--seed", v, 0, ~0u); }},
      {"--preset", [&](const std::string& v) { r.preset = v; }},
      {"--mix", [&](const std::string& v) { r.mix = v; }},
      {"--vertices",
       [&](const std::string& v) { r.vertices = number_of<size_t>("--vertices", v, 500, 1'000'000); }},
      {"--contacts", [&](const std::string& v) { r.contacts = body::contacts_from(v); }},
      {"--threads", [&](const std::string& v) { a.job.threads = number_of("--threads", v, 1, 1024); }},
      {"--device", [&](const std::string& v) { a.job.device = dataset::device_named(v); }},
      {"--shard", [&](const std::string& v) { parse_shard(v, a.job); }},
  };
}

}  // namespace

const char* const kSimulateHelp =
    "billow_simulate GARMENT FOLDER [OPTIONS]\n\n"
    "Makes a data set of reference cloth in FOLDER, as `billow simulate` does. GARMENT is cape or skirt.\n\n"
    "  --motions captured     draw from the captured clips that come with Billow; default: built-in\n"
    "  --bundle FILE          captured clips of another file (.billowmotion)\n"
    "  --clips NAME,NAME      only these captured clips, whole, and no other motions\n"
    "  --frames N             frames to learn from, default 5000; 0 with captured clips: a test set\n"
    "  --unseen N             further frames of clips that are never learnt from, default 900\n"
    "  --built-in-share X     share of --frames in built-in motions beside captured ones, default 0.25\n"
    "  --seed N               random seed of the motions, default 1\n"
    "  --preset NAME          built-in person: slim, average or heavy\n"
    "  --mix NAME             mix of built-in motions: cape, skirt or all; default: the garment's\n"
    "  --vertices N           vertices of the garment\n"
    "  --contacts LIST        collider groups that the garment meets: "
    "trunk,head,upper_arm,forearm:yields,leg\n"
    "  --threads N            clips simulated in parallel, default: one per core\n"
    "  --device NAME          where cloth is simulated: cpu, cuda or auto (default: cuda if there is one)\n"
    "  --shard I/N            every N-th clip only, to share work between machines: 1/4 to 4/4\n"
    "  --dry-run              print the planned clips without simulating them\n"
    "  --json                 print the summary of the clips as JSON\n\n"
    "Examples\n"
    "  billow_simulate cape data/cape --motions captured --frames 20000 --unseen 4000\n"
    "  billow_simulate skirt data/check --clips 07_03,05_14\n"
    "  billow_simulate cape data/cape_2 --motions captured --shard 2/4 --threads 16\n";

SimulateArguments parse_simulate_arguments(const std::vector<std::string>& words) {
  SimulateArguments a;
  a.job.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  a.job.device = dataset::Device::kAuto;
  const std::map<std::string, Setter> setters = setters_of(a);
  std::vector<std::string> given, places;
  for (size_t i = 0; i < words.size(); ++i) {
    std::string word = words[i], value;
    if (word == "--help" || word == "-h") {
      a.help = true;
      return a;
    }
    if (word == "--dry-run" || word == "--json") {
      (word == "--json" ? a.json : a.dry_run) = true;
      continue;
    }
    if (!word.starts_with("-")) {
      places.push_back(word);
      continue;
    }
    // Take the value after "=" or from the next word.
    const size_t equals = word.find('=');
    if (equals != std::string::npos) value = word.substr(equals + 1), word.resize(equals);
    const auto setter = setters.find(word);
    if (setter == setters.end()) refuse("options", "one of --help", word);
    if (equals == std::string::npos) {
      if (++i == words.size()) refuse(word, "a value", "none");
      value = words[i];
    }
    setter->second(value);
    given.push_back(word);
  }
  if (places.size() != 2)
    refuse("arguments", "a garment and a folder", std::to_string(places.size()) + " arguments");
  if (!a.only.empty())
    for (const char* other : {"--frames", "--unseen", "--built-in-share", "--motions"})
      if (std::find(given.begin(), given.end(), other) != given.end())
        refuse("--clips", std::string("no ") + other + " beside it", other);
  a.job.request.garment = places[0];
  a.job.folder = places[1];
  return a;
}

}  // namespace billow
