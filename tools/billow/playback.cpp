#include "playback.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "character/clothed_character.h"
#include "contacts_option.h"
#include "dataset/clip_writer.h"
#include "evaluate/product.h"
#include "fit/body_file.h"
#include "motion_file.h"
#include "number_from.h"
#include "shipped.h"

namespace billow::tool {
namespace {

// Resolves the names of garments that ship with Billow.
PlaybackOptions with_garment_path(PlaybackOptions options) {
  options.file = garment_file(options.file);
  return options;
}

std::string character_of(const CharacterOptions& options) {
  return options.is_preset() ? "the built-in person" : options.name;
}

// A file's character has the colliders of the garment that is made for it. Throws std::runtime_error for a garment that is
// made for another.
dataset::OwnedCharacterBody with_colliders_of(const pack::GarmentData& garment,
                                              dataset::OwnedCharacterBody character,
                                              const std::string& file) {
  if (!character.preset.empty()) return character;
  std::vector<fit::NamedCollider> colliders;
  for (size_t i = 0; i < garment.colliders.size(); ++i)
    colliders.push_back({garment.collider_names.empty() ? std::to_string(i) : garment.collider_names[i],
                         garment.colliders[i], false});
  try {
    return dataset::own_character_body(character.character, character.skeleton,
                                       fit::make_body_file(character.character, garment.skeleton, colliders));
  } catch (const std::invalid_argument& e) {
    throw std::runtime_error(file + ": expected a garment for " + character.character + ": " + e.what());
  }
}

size_t frames_wanted(const PlaybackOptions& options) {
  return static_cast<size_t>(std::lround(options.seconds * options.rate)) + 1;
}

}  // namespace

motion::Clip playback_clip(const PlaybackOptions& options) {
  check_motion_name(options.motion);
  const GivenCharacter character(options.character);
  return motion_for(options.motion, character.skeleton(), character.preset(), frames_wanted(options),
                    options.rate, 0);
}

void add_over_option(CLI::App& command, PlaybackOptions& o) {
  command
      .add_option("--over", o.over,
                  "Garment to wear under this one: cape, skirt or a file. This one stays outside it")
      ->check([](const std::string& name) {
        return name.empty() ? "expected a garment, found an empty name" : "";
      });
}

void add_playback_options(CLI::App& command, PlaybackOptions& o) {
  command.add_option("file", o.file, kGarmentFileHelp)->required();
  add_skinned_character_options(command, o.character);
  command
      .add_option(
          "--motion", o.motion,
          "Motion to play: a name of `billow motion list`, a name with a seed (dance:7), a captured clip "
          "(captured:07_03), or a motion file (run.bvh, hero.glb:Run)")
      ->capture_default_str();
  command.add_option("--seconds", o.seconds, "Seconds of the motion to play; a motion file may end earlier")
      ->capture_default_str()
      ->check(number_from(0.1, 600))
      ->each([&o](const std::string&) { o.seconds_given = true; });
  add_over_option(command, o);
  command.add_option("--contacts", o.contacts, kContactsHelp);
  command.add_option("--rate", o.rate, "Simulation rate in frames per second")
      ->capture_default_str()
      ->check(number_from(5, 1000));
  command.add_flag_callback(
      "--no-shape", [&o] { o.shape = false; }, "Evaluate the linear (skinning) part of the networks only");
  command.add_flag("--linear-blend", o.linear_blend,
                   "Use linear blend skinning instead of the networks; the file needs blend weights");
  command
      .add_option("--lengths", o.lengths,
                  "How far the mesh gets back the lengths of the pattern; off shows what the networks decode")
      ->capture_default_str()
      ->check(CLI::IsMember({"off", "low", "high"}));
  command.add_flag_callback(
      "--no-push-out", [&o] { o.push_out = false; },
      "Do not project vertices that are inside the body back to its surface");
}

Playback::Playback(const PlaybackOptions& options) : Playback(options, playback_clip(options)) {}

Playback::Playback(const PlaybackOptions& options, const motion::Clip& clip)
    : options_(with_garment_path(options)),
      packed_(pack::read_garment_asset(options_.file)),
      character_(std::make_shared<GivenCharacter>(options.character)),
      character_body_(with_colliders_of(packed_, character_->skeleton_and_colliders(), options.file)),
      under_(make_under(options, clip)) {
  billow_garment* garment = nullptr;
  expect(billow_garment_load(options_.file.c_str(), nullptr, &garment));
  garment_.reset(garment);
  needed_ = evaluate::joints_needed(garment, character_body_.skeleton, options_.file,
                                    character_of(options.character));
  if (!options_.contacts.empty()) {
    packed_.garment.contacts = contacts_option(options_.contacts);
    body::apply(packed_.garment.contacts, packed_.settings);
  }
  play(clip);
}

std::unique_ptr<Playback> Playback::make_under(const PlaybackOptions& options, const motion::Clip& clip) {
  if (options.over.empty()) return nullptr;
  PlaybackOptions under = options;
  under.file = options.over, under.over.clear(), under.contacts.clear(), under.linear_blend = false;
  return std::make_unique<Playback>(under, clip);
}

void Playback::play(const motion::Clip& clip) {
  const size_t frames = frames_wanted(options_);
  clip_ = motion::resample(clip, static_cast<float>(options_.rate));
  whole_ = seconds();
  if (clip_.frames.size() > frames) clip_.frames.resize(frames);
  next_ = 0;
  joints_.clear();

  billow_instance* instance = nullptr;
  expect(billow_instance_create(garment_.get(), nullptr, &instance));
  instance_.reset(instance);
  billow_instance_options instance_options = billow_instance_options_default();
  instance_options.shape = options_.shape;
  instance_options.lengths = options_.lengths == "off"   ? BILLOW_LENGTHS_OFF
                             : options_.lengths == "low" ? BILLOW_LENGTHS_LOW
                                                         : BILLOW_LENGTHS_HIGH;
  instance_options.push_out = options_.push_out;
  instance_options.linear_blend = options_.linear_blend;
  instance_options.profile = 1;
  if (!options_.contacts.empty())
    expect(billow_chains_set_settings(billow_instance_chains(instance), &packed_.settings));
  expect(billow_instance_set_options(instance, &instance_options));
  if (!under_) return;
  under_->play(clip);
  billow_body* layer = nullptr;
  expect(billow_body_create_layer(under_->instance_.get(), nullptr, &layer));
  layer_.reset(layer);
}

bool Playback::is_shorter() const { return frames() < frames_wanted(options_); }

std::string Playback::note() const {
  char text[160] = "";
  if (is_shorter())
    std::snprintf(text, sizeof text,
                  ": ends after %.2f s, before the %g s of --seconds; it is played to its end", whole_,
                  options_.seconds);
  else if (!options_.seconds_given && whole_ > seconds())
    std::snprintf(text, sizeof text,
                  ": lasts %.2f s, of which the first %g s are played; --seconds plays more", whole_,
                  options_.seconds);
  return *text ? options_.motion + text : "";
}

void print_note(const std::string& note) {
  if (!note.empty()) std::fprintf(stderr, "billow: note: %s\n", note.c_str());
}

void Playback::expect(billow_status status) const {
  if (status != BILLOW_OK) throw std::runtime_error(options_.file + ": " + billow_last_error());
}

std::vector<Transform> Playback::joints_at(size_t frame) const {
  return body::joint_transforms(character_body_.skeleton, clip_.frames[frame]);
}

void Playback::move_to(const std::vector<Transform>& joints) {
  std::vector<Transform> garment_joints;
  for (const size_t j : needed_) garment_joints.push_back(joints[j]);
  const auto api_joints = body::to_api(garment_joints);
  billow_frame frame{};
  frame.dt = static_cast<float>(1 / options_.rate);
  frame.joints = api_joints.data(), frame.joint_count = static_cast<uint32_t>(api_joints.size());
  const billow_body* const layer = layer_.get();
  if (under_) {
    under_->move_to(joints);
    expect(billow_body_pose_layer(layer_.get(), under_->instance_.get()));
    frame.others = &layer, frame.other_count = 1;
  }
  expect(billow_instance_step(instance_.get(), &frame));
}

bool Playback::step() {
  if (next_ >= clip_.frames.size()) return false;
  // Lead in from the rest pose to the first pose, as clips of a data set do.
  if (next_ == 0)
    for (const auto& joints : dataset::lead_in(character_body_.skeleton, clip_)) move_to(joints);
  joints_ = joints_at(next_++);
  move_to(joints_);
  return true;
}

std::span<const float> Playback::positions() const {
  return {billow_instance_position_data(instance_.get()), 3 * packed_.garment.size()};
}

std::vector<V3> Playback::bones() const {
  std::vector<V3> bones(packed_.garment.bones.size());
  expect(billow_instance_get_bones(instance_.get(), &bones[0].x, static_cast<uint32_t>(bones.size())));
  return bones;
}

billow_instance_report Playback::report() const {
  billow_instance_report report;
  expect(billow_instance_get_report(instance_.get(), &report));
  return report;
}

std::vector<std::vector<V3>> reference_of(const Playback& playback, std::span<const size_t> wanted,
                                          const std::function<void(double)>& report_progress) {
  const auto lead_in = dataset::lead_in(playback.character_body().skeleton, playback.clip());
  const Transform root_motion =
      lead_in[0][0] * inverse(body::rest_transforms(playback.character_body().skeleton)[0]);
  std::vector<V3> start;
  for (const V3& p : playback.garment().rest) start.push_back(apply(root_motion, p));
  const character::CharacterBody character_body = playback.character_body();
  // One thread: several would stall at barriers on a machine with other load.
  character::ClothedCharacter cloth(playback.garment(), character_body, start, lead_in[0], {}, 1);
  const float dt = 1 / playback.clip().frames_per_second;
  for (const auto& joints : lead_in) cloth.step(dt, joints);
  std::vector<std::vector<V3>> kept;
  const size_t last = wanted.empty() ? 0 : *std::max_element(wanted.begin(), wanted.end());
  for (size_t f = 0; f <= last; ++f) {
    cloth.step(dt, playback.joints_at(f));
    if (std::find(wanted.begin(), wanted.end(), f) != wanted.end())
      kept.emplace_back(cloth.vertices().begin(), cloth.vertices().end());
    if (report_progress) report_progress(static_cast<double>(f + 1) / static_cast<double>(last + 1));
  }
  return kept;
}

}  // namespace billow::tool
