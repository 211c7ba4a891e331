// billow-stranger: trains a network to tell what a garment file shows from the reference cloth, on the training clips of a data
// set, and judges it on the unseen ones. `billow evaluate --stranger` starts it and reads the JSON that it prints.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "evaluate/judge.h"
#include "parallel.h"
#include "train/stranger.h"

namespace billow::tool {
namespace {

using evaluate::Frames;
using Json = nlohmann::ordered_json;
using Vertices = std::vector<std::vector<V3>>;

struct StrangerGiven {
  std::string file, data, learn, device = "auto";  // learn: empty: `data`
  std::string sees = "normals";
  double rate = 60;
  size_t clips = 80;         // most training clips
  size_t pieces = 12000;     // of each cloth, over all training clips
  size_t test_pieces = 300;  // of each cloth and unseen clip
  size_t threads = 0;
  uint64_t seed = 1;
};

constexpr size_t kCentres = 1500;

Vertices vertices_of(const files::NpyMap& file, size_t frames) {
  Vertices out(frames);
  for (size_t f = 0; f < frames; ++f) {
    const auto row = file.row(f);
    for (size_t i = 0; i + 2 < row.size(); i += 3) out[f].push_back({row[i], row[i + 1], row[i + 2]});
  }
  return out;
}

// Cuts pieces of all clips, each with random numbers of its own, so that threads do not matter.
class Cutting {
 public:
  Cutting(const StrangerGiven& given, const Frames& frames)
      : given_(given),
        frames_(frames),
        product_(given.file, frames, given.rate),
        cutter_(frames.garment(), kCentres, given.seed) {}

  train::Pieces product(const std::vector<Frames::ClipRange>& clips, size_t per_clip) const {
    return cut(clips, per_clip, [&](const Frames::ClipRange& clip) { return product_.play(clip); });
  }
  train::Pieces floor(const std::vector<Frames::ClipRange>& clips, size_t per_clip) const {
    return cut(clips, per_clip, [&](const Frames::ClipRange& clip) {
      return vertices_of(files::NpyMap(frames_.info().chaos_file(clip.clip)), clip.end - clip.begin);
    });
  }

 private:
  template <class Cloth>
  train::Pieces cut(const std::vector<Frames::ClipRange>& clips, size_t per_clip, const Cloth& cloth) const {
    std::vector<train::Pieces> parts(clips.size());
    const auto second = static_cast<size_t>(std::lround(frames_.info().frames_per_second));
    for_each_in_parallel(
        clips.size(),
        [&](size_t i) {
          const size_t frames = clips[i].end - clips[i].begin;
          const files::NpyMap file(frames_.info().clip_folder(clips[i].clip) / "cloth.npy");
          std::mt19937_64 random(given_.seed * 1000003 + clips[i].clip);
          cutter_.cut(cloth(clips[i]), vertices_of(file, frames), static_cast<uint32_t>(clips[i].clip),
                      std::min(second, frames / 2), per_clip, random, parts[i]);
        },
        given_.threads);
    train::Pieces all;
    Eigen::Index rows = 0;
    for (const train::Pieces& p : parts) rows += p.features.rows();
    all.features.resize(rows, train::PieceCutter::kFeatures);
    rows = 0;
    for (const train::Pieces& p : parts) {
      all.features.middleRows(rows, p.features.rows()) = p.features;
      rows += p.features.rows();
      all.shown.insert(all.shown.end(), p.shown.begin(), p.shown.end());
      all.clip.insert(all.clip.end(), p.clip.begin(), p.clip.end());
    }
    return all;
  }

  const StrangerGiven& given_;
  const Frames& frames_;
  evaluate::Product product_;
  train::PieceCutter cutter_;
};

// Up to `most` clips that training has seen, evenly chosen.
std::vector<Frames::ClipRange> training_clips(const Frames& frames, size_t most) {
  std::vector<Frames::ClipRange> all, chosen;
  for (const Frames::ClipRange& clip : frames.clips())
    if (frames.part(clip.begin) != dataset::Part::kUnseen) all.push_back(clip);
  for (size_t i = 0; i < std::min(most, all.size()); ++i)
    chosen.push_back(all[i * all.size() / std::min(most, all.size())]);
  return chosen;
}

Json as_json(const train::StrangerFigures& f) {
  return {{"stranger_auc", f.piece_auc},
          {"stranger_clip_auc", f.clips < train::kFewestClips ? Json() : Json(f.clip_auc)},
          {"pieces", f.pieces},
          {"clips", f.clips}};
}

void run(const StrangerGiven& given) {
  const auto began = std::chrono::steady_clock::now();
  const std::string& learn = given.learn.empty() ? given.data : given.learn;
  const Frames frames(given.data), learnt(learn);
  if (learnt.garment().triangles != frames.garment().triangles)
    throw std::runtime_error(learn + ": expected the garment of " + given.data + ", found another");
  const Cutting cutting(given, frames);
  const std::vector<Frames::ClipRange> seen = training_clips(learnt, given.clips);
  if (seen.size() < 2)
    throw std::runtime_error(learn +
                             ": expected at least two training clips for a stranger to learn from, found " +
                             std::to_string(seen.size()));
  train::StrangerOptions options;
  options.sees = given.sees == "all" ? train::Sees::kAll : train::Sees::kNormals;
  options.seed = given.seed, options.device = train::device_named(given.device);
  const train::Stranger stranger(
      Cutting(given, learnt).product(seen, std::max<size_t>(1, given.pieces / seen.size())), options);

  Json out{{"format", "billow stranger"},
           {"sees", given.sees},
           {"training_clips", seen.size()},
           {"validation_auc", stranger.validation_auc()}};
  for (const char* name : {"captured_test", "unseen"}) {
    std::vector<Frames::ClipRange> clips, with_floor;
    for (const Frames::ClipRange& clip : evaluate::judged_clips(frames)) {
      if (evaluate::set_name(frames.info(), clip.clip) != name) continue;
      clips.push_back(clip);
      if (std::filesystem::exists(frames.info().chaos_file(clip.clip))) with_floor.push_back(clip);
    }
    if (clips.empty()) continue;
    out["sets"][name] = as_json(judge(stranger, cutting.product(clips, given.test_pieces)));
    out["sets"][name]["floor"] =
        with_floor.empty() ? Json() : as_json(judge(stranger, cutting.floor(with_floor, given.test_pieces)));
  }
  out["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  std::printf("%s\n", out.dump(1).c_str());
}

}  // namespace
}  // namespace billow::tool

int main(int argc, char** argv) {
  CLI::App app("Trains a network to tell a garment file from the reference cloth of a data set.",
               "billow-stranger");
  billow::tool::StrangerGiven given;
  app.add_option("file", given.file, "Garment file")->required();
  app.add_option("data", given.data, "Folder of the data set")->required();
  app.add_option("--learn", given.learn, "Data set whose training clips are learnt from; default: the same");
  app.add_option("--rate", given.rate, "Rate of the runtime in frames per second")->capture_default_str();
  app.add_option(
         "--sees", given.sees,
         "What it is shown: normals over three frames, as light shows them, or all: places, motion and "
         "strain, too")
      ->capture_default_str()
      ->check(CLI::IsMember({"normals", "all"}));
  app.add_option("--device", given.device, "Device: auto (CUDA if available), cpu or cuda")
      ->capture_default_str();
  app.add_option("--pieces", given.pieces, "Pieces of each cloth to learn from")->capture_default_str();
  app.add_option("--clips", given.clips, "Most training clips to learn from")->capture_default_str();
  app.add_option("--threads", given.threads, "Number of threads; 0 uses all cores")->capture_default_str();
  app.add_option("--seed", given.seed, "Random seed")->capture_default_str();
  try {
    app.parse(argc, argv);
    billow::tool::run(given);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "billow-stranger: %s\n", e.what());
    return 1;
  }
  return 0;
}
