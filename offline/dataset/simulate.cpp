#include "dataset/simulate.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <fstream>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "body/postures.h"
#include "dataset/checksum.h"
#include "dataset/measure.h"
#include "dataset/npy.h"
#include "dress/dressed.h"
#include "dress/ropes.h"
#include "garment/garment_file.h"
#include "garment/tailor.h"

namespace billow::dataset {
namespace {

namespace fs = std::filesystem;

constexpr float kLeadIn = 1.0f;      // s, from the rest pose to the first of the clip
constexpr float kWait = 0.5f;        // s, that it stands there before the clip begins
constexpr int kCrossingsEvery = 10;  // frames
constexpr float kDenser = 1.001f;    // times, the air of the chaos floor
constexpr float kDrift = 1.5f;       // s, after which the drift is measured
constexpr size_t kChaosClips = 6;
// Clips with more than this are not for learning: the cloth got caught, torn or tangled.
constexpr double kMostWorstP99 = 0.25, kMostDepth = 0.02, kMostCrossings = 0.01;  // the last: of the edges

void write_text(const fs::path& path, const std::string& text) {
  const fs::path beside = path.string() + ".part";
  std::ofstream file(beside, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(path.string() + ": cannot write");
  fs::rename(beside, path);
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path.string() + ": cannot read");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string clip_name(size_t number) {
  std::string name = std::to_string(number);
  return name.size() < 4 ? std::string(4 - name.size(), '0') + name : name;
}

std::span<const float> floats(std::span<const V3> v) { return {&v[0].x, 3 * v.size()}; }

std::string hex(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

// Text within quotes.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + '"';
}

// The poses before a clip: from rest, where it begins, to its first frame; then it waits.
std::vector<std::vector<Transform>> lead_in(const body::Person& person, const motion::Clip& clip) {
  body::Pose start = body::rest_pose(person.skeleton);
  start.root_position.x = clip.frames[0].root_position.x;
  start.root_position.z = clip.frames[0].root_position.z;
  start.rotations[0] = clip.frames[0].rotations[0];
  std::vector<std::vector<Transform>> poses;
  const auto frames = static_cast<int>(std::lround(kLeadIn * clip.frames_per_second));
  const auto wait = static_cast<int>(std::lround(kWait * clip.frames_per_second));
  for (int i = 0; i <= frames + wait; ++i) {
    const float t = std::min(1.0f, static_cast<float>(i) / static_cast<float>(frames));
    // Start and stop gently.
    poses.push_back(
        body::joint_transforms(person.skeleton, motion::blend(start, clip.frames[0], t * t * (3 - 2 * t))));
  }
  return poses;
}

// A dressed person and its rope chains, where a clip begins.
struct Stage {
  Stage(const garment::Garment& garment, const body::Person& person, const motion::Clip& clip,
        const cloth::Settings& settings)
      : before(lead_in(person, clip)),
        cloth(garment, dress::wearer(person), drape_at(garment, person, before[0]), before[0], settings, 1),
        ropes(garment, dress::wearer(person), before[0], dress::rope_settings(garment)) {
    const float dt = 1 / clip.frames_per_second;
    for (size_t i = 1; i < before.size(); ++i) cloth.step(dt, before[i]), ropes.step(dt, before[i]);
  }
  static std::vector<V3> drape_at(const garment::Garment& garment, const body::Person& person,
                                  std::span<const Transform> joints) {
    const Transform moved = joints[0] * inverse(body::rest_transforms(person.skeleton)[0]);
    std::vector<V3> out;
    for (const V3& p : garment.rest) out.push_back(apply(moved, p));
    return out;
  }

  std::vector<std::vector<Transform>> before;
  dress::Dressed cloth;
  dress::Ropes ropes;
};

// One clip from beginning to end, in a folder of its own.
class ClipMaker {
 public:
  ClipMaker(const garment::Garment& garment, const body::Person& person, const PlannedClip& planned)
      : garment_(garment), person_(person), planned_(planned), clip_(planned.make(person)) {}

  template <class Tell> void make(const fs::path& folder, const Tell& frame_done) {
    Stage stage(garment_, person_, clip_, {});
    dress::Dressed& cloth = stage.cloth;
    dress::Ropes& ropes = stage.ropes;
    const float dt = 1 / clip_.frames_per_second;
    const size_t frames = planned_.frames, joints = person_.skeleton.size();
    NpyWriter cloth_file(folder / "cloth.npy", {frames, garment_.size(), 3});
    NpyWriter bones_file(folder / "bones.npy", {frames, garment_.bones.size(), 3});
    NpyWriter rope_file(folder / "rope.npy", {frames, garment_.bones.size(), 3});
    NpyWriter joints_file(folder / "joints.npy", {frames, joints, 7});
    std::vector<V3> bones(garment_.bones.size());
    std::vector<float> distances(garment_.size());
    FigureSum figures;
    for (size_t f = 0; f < frames; ++f) {
      const std::vector<Transform> pose = body::joint_transforms(person_.skeleton, clip_.frames[f]);
      cloth.step(dt, pose);
      ropes.step(dt, pose);
      garment::places_of_bones(garment_, cloth.vertices(), bones);
      cloth_file.write(floats(cloth.vertices()));
      bones_file.write(floats(bones));
      rope_file.write(floats(ropes.bones()));
      for (const Transform& t : pose) {
        const float values[] = {t.position.x, t.position.y, t.position.z, t.rotation.x,
                                t.rotation.y, t.rotation.z, t.rotation.w};
        joints_file.write(values);
      }
      cloth.surface().query(cloth.vertices(), distances);
      const bool crossings = f % kCrossingsEvery == 0;
      figures.add(measure(cloth.cloth().sheet(), cloth.vertices(), distances, crossings), crossings);
      frame_done();
    }
    std::string sums;
    const auto finish = [&](const char* name, NpyWriter& file) {
      file.finish();
      sums += std::string(sums.empty() ? "" : ", ") + "\"" + name + "\": \"" + hex(file.checksum()) + "\"";
    };
    finish("cloth.npy", cloth_file);
    finish("bones.npy", bones_file);
    finish("rope.npy", rope_file);
    finish("joints.npy", joints_file);
    write_text(folder / "clip.json", text(figures, sums));
  }

  // The same clip in slightly denser air, against the one in `folder`.
  template <class Tell> std::string drift(const fs::path& folder, const Tell& frame_done) {
    cloth::Settings settings;
    settings.air_density *= kDenser;
    Stage stage(garment_, person_, clip_, settings);
    const NpyMap cloth_file(folder / "cloth.npy"), bones_file(folder / "bones.npy");
    std::vector<V3> bones(garment_.bones.size());
    const auto squares = [](std::span<const float> a, std::span<const float> b) {
      double sum = 0;
      for (size_t i = 0; i < a.size(); ++i)
        sum += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
      return 3 * sum / static_cast<double>(a.size());
    };
    double cloth_sum = 0, bone_sum = 0, count = 0;
    for (size_t f = 0; f < planned_.frames; ++f) {
      stage.cloth.step(1 / clip_.frames_per_second,
                       body::joint_transforms(person_.skeleton, clip_.frames[f]));
      frame_done();
      if (static_cast<float>(f) < kDrift * clip_.frames_per_second) continue;
      garment::places_of_bones(garment_, stage.cloth.vertices(), bones);
      cloth_sum += squares(floats(stage.cloth.vertices()), cloth_file.row(f));
      bone_sum += squares(floats(bones), bones_file.row(f));
      ++count;
    }
    std::ostringstream out;
    out << "{\"name\": " << quoted(planned_.name)
        << ", \"cloth_mm\": " << 1000 * std::sqrt(cloth_sum / std::max(1.0, count))
        << ", \"bones_mm\": " << 1000 * std::sqrt(bone_sum / std::max(1.0, count)) << "}";
    return out.str();
  }

 private:
  std::string text(const FigureSum& figures, const std::string& sums) const {
    const ClothFigures f = figures.mean();
    const bool usable = figures.worst_p99() <= kMostWorstP99 && f.deepest <= kMostDepth &&
                        f.crossings <= kMostCrossings * 3 * static_cast<double>(garment_.size());
    std::ostringstream out;
    out << "{\"name\": " << quoted(planned_.name) << ", \"frames\": " << planned_.frames
        << ", \"usable\": " << (usable ? "true" : "false")
        << ",\n  \"strain_percent\": {\"mean\": " << 100 * f.strain_mean
        << ", \"p99\": " << 100 * f.strain_p99 << ", \"worst_frame_p99\": " << 100 * figures.worst_p99()
        << ", \"most\": " << 100 * f.strain_most << "},\n  \"penetrating_percent\": " << 100 * f.penetrating
        << ", \"deepest_mm\": " << 1000 * f.deepest << ", \"crossings\": " << f.crossings
        << ",\n  \"checksums\": {" << sums << "},\n  \"split\": \"" << planned_.parts << "\"}";
    return out.str();
  }

  const garment::Garment& garment_;
  const body::Person& person_;
  const PlannedClip& planned_;
  motion::Clip clip_;
};

// Of all that decides which frames there are: names, lengths, what each frame is for, and the user's own motions.
uint64_t checksum_of(const Request& request, const std::vector<PlannedClip>& clips) {
  uint64_t sum = kChecksumStart;
  for (const PlannedClip& clip : clips) {
    sum = add_to_checksum(sum, clip.name.c_str(), clip.name.size() + 1);
    sum = add_to_checksum(sum, clip.parts.c_str(), clip.parts.size() + 1);
  }
  for (const motion::Clip& clip : request.clips)
    for (const body::Pose& pose : clip.frames) {
      sum = add_to_checksum(sum, &pose.root_position, sizeof pose.root_position);
      sum = add_to_checksum(sum, pose.rotations.data(), pose.rotations.size() * sizeof(Quat));
    }
  return sum;
}

// What was asked for, as the first lines of a manifest: it has to be the same for clips to belong together.
std::string head_of(const Request& request, const garment::Garment& garment,
                    const std::vector<PlannedClip>& clips) {
  std::ostringstream out;
  out << "\"format\": \"billow data set\",\n\"version\": 1,\n\"garment\": " << quoted(request.garment)
      << ",\n\"preset\": " << quoted(request.preset) << ",\n\"seed\": " << request.seed
      << ",\n\"mix\": " << quoted(request.mix) << ",\n\"frames_per_second\": " << request.frames_per_second
      << ",\n\"vertices\": " << garment.size() << ",\n\"bones\": " << garment.bones.size()
      << ",\n\"simulated_bones\": " << garment::simulated_bones(garment)
      << ",\n\"planned_clips\": " << clips.size() << ",\n\"plan\": \"" << hex(checksum_of(request, clips))
      << "\",\n\"made_by\": " << quoted(std::string("billow ") + billow_version());
  return out.str();
}

// Refuses to mix clips of two requests in one folder.
void claim_folder(const fs::path& folder, const std::string& head) {
  fs::create_directories(folder / "clips");
  fs::create_directories(folder / "chaos");
  const fs::path file = folder / "head.json";
  const std::string text = "{\n" + head + "\n}\n";
  if (!fs::exists(file)) {
    write_text(file, text);
  } else if (const std::string found = read_text(file); found != text) {
    throw std::invalid_argument(
        folder.string() + ": this folder holds another data set; choose another one, or remove " +
        file.string() + " and what is beside it. Expected:\n" + text + "found:\n" + found);
  }
}

void drape(garment::Garment& g, const Job& job, const body::Person& person) {
  // The JSON is written last: where it is, all of it is there.
  const fs::path file = job.folder / "garment.json";
  if (fs::exists(file)) {
    const NpyMap rest(job.folder / "garment_rest.npy");
    if (rest.shape() != std::vector<size_t>{g.size(), 3})
      throw std::runtime_error(job.folder.string() + "/garment_rest.npy: expected " +
                               std::to_string(g.size()) + " x 3 values");
    for (size_t v = 0; v < g.size(); ++v)
      g.rest.push_back({rest.values()[3 * v], rest.values()[3 * v + 1], rest.values()[3 * v + 2]});
    return;
  }
  if (job.report) job.report({0, 0, "draping the " + g.name + " on the resting body"});
  dress::drape(g, person, job.threads);
  garment::write_garment_file(g, person.skeleton, file);
}

// Calls each(i) for 0..count on a few threads; passes on the first exception.
template <class Each> void in_parallel(size_t count, int threads, const Each& each) {
  std::mutex mutex;
  std::atomic<size_t> next{0};
  std::exception_ptr failure;
  const auto work = [&] {
    for (size_t i; (i = next.fetch_add(1)) < count;) try {
        each(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(work);
  work();
  for (std::thread& t : others) t.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

void simulate(const Job& job) {
  if (job.shards < 1 || job.shard < 0 || job.shard >= job.shards)
    throw std::invalid_argument("data set: expected a shard from 0 to " + std::to_string(job.shards - 1) +
                                ", found " + std::to_string(job.shard));
  const std::vector<PlannedClip> clips = plan(job.request);
  const body::Person person = body::make_person(body::person_preset(job.request.preset));
  garment::Garment garment = garment::make_garment(
      job.request.garment, person, job.skin ? *job.skin : body::make_skin(person), job.request.vertices);
  claim_folder(job.folder, head_of(job.request, garment, clips));
  drape(garment, job, person);

  // What is left to do; a clip that was being written is begun anew.
  std::vector<size_t> todo, chaos;
  Progress progress;
  for (size_t c = 0; c < clips.size(); ++c) {
    if (c % static_cast<size_t>(job.shards) != static_cast<size_t>(job.shard)) continue;
    const bool unseen = clips[c].parts.find(static_cast<char>(Part::kUnseen)) != std::string::npos;
    if (!fs::exists(job.folder / "clips" / clip_name(c) / "clip.json"))
      todo.push_back(c), progress.frames += clips[c].frames;
    if (unseen && c + kChaosClips >= clips.size() &&
        !fs::exists(job.folder / "chaos" / (clip_name(c) + ".json")))
      chaos.push_back(c), progress.frames += clips[c].frames;
  }
  std::mutex mutex;
  const auto frame_done = [&] {
    const std::lock_guard lock(mutex);
    ++progress.frames_done;
    if (job.report) job.report(progress);
  };
  in_parallel(todo.size(), job.threads, [&](size_t i) {
    const fs::path folder = job.folder / "clips" / clip_name(todo[i]), beside = folder.string() + ".part";
    fs::remove_all(beside);
    fs::create_directories(beside);
    ClipMaker(garment, person, clips[todo[i]]).make(beside, frame_done);
    fs::rename(beside, folder);
  });
  in_parallel(chaos.size(), job.threads, [&](size_t i) {
    const std::string name = clip_name(chaos[i]);
    ClipMaker maker(garment, person, clips[chaos[i]]);
    write_text(job.folder / "chaos" / (name + ".json"), maker.drift(job.folder / "clips" / name, frame_done));
  });
  if (job.shards == 1) write_manifest(job.folder, clips.size());
}

void write_manifest(const fs::path& folder, size_t clips) {
  std::string head = read_text(folder / "head.json");
  head.resize(head.find_last_of('}'));
  std::string out = head.substr(0, head.find_last_not_of("\n") + 1) + ",\n\"clips\": [\n";
  for (size_t c = 0; c < clips; ++c)
    out += (c > 0 ? ",\n" : "") + read_text(folder / "clips" / clip_name(c) / "clip.json");
  out += "\n],\n\"chaos\": [\n";
  bool first = true;
  for (size_t c = 0; c < clips; ++c)
    if (const fs::path file = folder / "chaos" / (clip_name(c) + ".json"); fs::exists(file))
      out += std::exchange(first, false) ? read_text(file) : ",\n" + read_text(file);
  write_text(folder / "manifest.json", out + "\n]\n}\n");
}

}  // namespace billow::dataset
