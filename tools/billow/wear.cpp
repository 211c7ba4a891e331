// `billow wear`: a garment file on the built-in person, through the runtime: pictures, and what a frame costs.
#include <billow/billow.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "body/skeleton.h"
#include "commands.h"
#include "draw_dressed.h"
#include "files.h"
#include "motion/motions.h"
#include "pack/garment_asset.h"

namespace billow::tool {
namespace {

struct WearOptions {
  std::string file, motion = "run", out;
  uint32_t seed = 1;
  double seconds = 5, rate = 60, speed = 0;
  size_t panels = 8, columns = 4;
  bool no_shape = false, no_push_out = false, json = false;
};

struct Played {
  std::vector<double> frame_ms, stage_ms[BILLOW_FRAME_STAGE_COUNT];
  size_t inside = 0, most_inside = 0;  // vertices, after push-out: over all frames, in one of them
  double pushed = 0;                   // a frame
  uint64_t hash = 0;
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

struct Destroy {
  void operator()(billow_garment* g) const { billow_garment_destroy(g); }
  void operator()(billow_instance* i) const { billow_instance_destroy(i); }
};
using Garment = std::unique_ptr<billow_garment, Destroy>;
using Instance = std::unique_ptr<billow_instance, Destroy>;

void expect(billow_status status, const WearOptions& o) {
  if (status != BILLOW_OK) throw std::runtime_error(o.file + ": " + billow_last_error());
}

Garment load(const WearOptions& o) {
  billow_garment* garment = nullptr;
  expect(billow_garment_load(o.file.c_str(), nullptr, &garment), o);
  return Garment(garment);
}

Instance put_on(const Garment& garment, const WearOptions& o) {
  billow_instance* instance = nullptr;
  expect(billow_instance_create(garment.get(), nullptr, &instance), o);
  billow_instance_options options = billow_instance_options_default();
  options.shape = !o.no_shape, options.push_out = !o.no_push_out, options.profile = 1;
  expect(billow_instance_set_options(instance, &options), o);
  return Instance(instance);
}

// The garment names the joints that it needs, in its order.
std::vector<size_t> joints_of(const Garment& garment, const body::Skeleton& skeleton,
                              const std::string& file) {
  std::vector<size_t> joints;
  for (uint32_t j = 0; j < billow_garment_joint_count(garment.get()); ++j) {
    char name[256] = "";
    billow_garment_joint_name(garment.get(), j, name, sizeof name);
    const int found = skeleton.find(name);
    if (found == body::kNoJoint)
      throw std::runtime_error(
          file + ": expected a garment for the built-in person, found one that needs a joint '" + name + "'");
    joints.push_back(static_cast<size_t>(found));
  }
  return joints;
}

void add(Played& played, const billow_instance_report& r) {
  double sum = 0;
  for (int k = 0; k < BILLOW_FRAME_STAGE_COUNT; ++k) {
    played.stage_ms[k].push_back(1e3 * r.stage_seconds[k]);
    sum += 1e3 * r.stage_seconds[k];
  }
  played.frame_ms.push_back(sum);
  played.inside += r.inside, played.most_inside = std::max<size_t>(played.most_inside, r.inside);
  played.pushed += r.pushed;
}

void print(const Played& p, const WearOptions& o) {
  const double frames = static_cast<double>(p.frame_ms.size());
  if (o.json) {
    nlohmann::ordered_json json{{"frames", p.frame_ms.size()}, {"frame_ms", median(p.frame_ms)}};
    for (int k = 0; k < BILLOW_FRAME_STAGE_COUNT; ++k)
      json["stages_ms"][billow_frame_stage_name(static_cast<billow_frame_stage>(k))] = median(p.stage_ms[k]);
    json.update({{"pushed_per_frame", p.pushed / frames}, {"inside", p.inside}, {"hash", p.hash}});
    std::printf("%s\n", json.dump(2).c_str());
    return;
  }
  std::printf("%zu frames of %s, median %.3f ms:", p.frame_ms.size(), o.motion.c_str(), median(p.frame_ms));
  for (int k = 0; k < BILLOW_FRAME_STAGE_COUNT; ++k)
    std::printf(" %s %.3f", billow_frame_stage_name(static_cast<billow_frame_stage>(k)),
                median(p.stage_ms[k]));
  std::printf(
      "\n%.0f vertices pushed out a frame; %zu inside the body in all frames together, %zu in the worst\n",
      p.pushed / frames, p.inside, p.most_inside);
}

void wear(const WearOptions& o) {
  const Garment garment = load(o);
  const dataset::OwnedWearer wearer = dataset::person_as_wearer("average");
  const body::Person person = body::make_person();
  const std::vector<size_t> joints = joints_of(garment, wearer.skeleton, o.file);
  const motion::Clip clip = motion::make_motion(person, {o.motion, o.seed, o.seconds, o.rate, o.speed});
  const Instance instance = put_on(garment, o);
  std::vector<std::array<uint32_t, 3>> triangles(billow_garment_triangle_count(garment.get()));
  expect(
      billow_garment_triangles(garment.get(), triangles[0].data(), static_cast<uint32_t>(triangles.size())),
      o);
  const size_t values = 3 * size_t{billow_garment_vertex_count(garment.get())};

  const bool drawn = !o.out.empty();
  const std::unique_ptr<DrawnBody> body = drawn ? std::make_unique<DrawnBody>(wearer) : nullptr;
  const size_t every = std::max<size_t>(1, (clip.frames.size() - 1) / o.panels);
  std::vector<draw::Image> panels;
  Played played;
  for (size_t f = 0; f < clip.frames.size(); ++f) {
    const std::vector<Transform> posed = body::joint_transforms(person.skeleton, clip.frames[f]);
    std::vector<Transform> wanted;
    for (const size_t j : joints) wanted.push_back(posed[j]);
    const auto given = body::to_api(wanted);
    billow_frame frame{};
    frame.dt = static_cast<float>(1 / o.rate), frame.joints = given.data();
    frame.joint_count = static_cast<uint32_t>(given.size());
    expect(billow_instance_step(instance.get(), &frame), o);
    billow_instance_report report;
    expect(billow_instance_get_report(instance.get(), &report), o);
    add(played, report);
    if (drawn && f > 0 && f % every == 0 && panels.size() < o.panels) {
      draw::Canvas canvas(kPanelWidth, kPanelHeight);
      char label[40];
      std::snprintf(label, sizeof label, "%.2f s", static_cast<double>(f) / o.rate);
      panels.push_back(draw_dressed(
          canvas, *body, posed, {billow_instance_position_data(instance.get()), values}, triangles, label));
    }
  }
  played.hash = billow_instance_hash(instance.get());
  if (drawn) {
    const std::filesystem::path out = o.out;
    if (out.has_parent_path()) make_folder(out.parent_path());
    draw::write_png(draw::strip(panels, static_cast<int>(o.columns), 4), out);
  }
  print(played, o);
}

}  // namespace

void add_wear(CLI::App& app) {
  auto* command =
      app.add_subcommand("wear", "A garment file on the built-in person: pictures, and what a frame costs");
  auto o = std::make_shared<WearOptions>();
  command->add_option("file", o->file, "Garment file (.billow)")->required();
  command->add_option("--motion", o->motion, "One of `billow motion list`")->capture_default_str();
  command->add_option("--seed", o->seed, "Another one moves in another way")->capture_default_str();
  command->add_option("--seconds", o->seconds, "How long")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 600.0));
  command->add_option("--speed", o->speed, "m/s; 0: as the seed has it")->capture_default_str();
  command->add_option("--rate", o->rate, "Frames a second")
      ->capture_default_str()
      ->check(CLI::Range(5.0, 1000.0));
  command->add_option("-o,--out", o->out, "A picture strip to write (.png)");
  command->add_option("--panels", o->panels, "Pictures in it")
      ->check(CLI::Range(1, 200))
      ->capture_default_str();
  command->add_option("--columns", o->columns, "Pictures in a row")
      ->check(CLI::Range(1, 50))
      ->capture_default_str();
  command->add_flag("--no-shape", o->no_shape, "Skinning alone");
  command->add_flag("--no-push-out", o->no_push_out,
                    "Leave vertices in the body where the networks put them");
  command->add_flag("--json", o->json, "Figures as JSON");
  command->footer(
      "Examples\n"
      "  billow wear cape.billow -o cape_running.png\n"
      "  billow wear cape.billow --motion dance --seconds 20 --json\n");
  command->callback([o] { wear(*o); });
}

}  // namespace billow::tool
