// Plays a garment file on a moving character through the runtime, for pictures, films, figures and exports.
#pragma once

#include <billow/billow.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "character_options.h"
#include "motion/clip.h"
#include "pack/garment_asset.h"

namespace CLI {
class App;
}

namespace billow::tool {

struct PlaybackOptions {
  std::string file,
      motion = "run";             // motion: a name of `billow motion list`, "dance:7" with a seed, or a file
  double seconds = 5, rate = 60;  // rate: simulated frames per second
  bool shape = true, push_out = true, linear_blend = false;
  std::string lengths = "high";  // off, low or high
  std::string over = {};         // a garment file that is worn under this one; empty: none
  std::string contacts = {};     // as of body::contacts_from(); empty: the garment's own
  bool seconds_given = false;    // whether --seconds was on the command line
  CharacterOptions character = {};
};

// --over
void add_over_option(CLI::App& command, PlaybackOptions& options);
// The options shared by all commands that play a garment file.
void add_playback_options(CLI::App& command, PlaybackOptions& options);

// The clip of options.motion, on the character's skeleton. Throws as Playback does.
motion::Clip playback_clip(const PlaybackOptions& options);

class Playback {
 public:
  // Throws std::runtime_error for an invalid garment file, one for another character, or an unknown motion.
  explicit Playback(const PlaybackOptions& options);
  // Plays a clip of the character's skeleton; options.motion serves as its name only.
  Playback(const PlaybackOptions& options, const motion::Clip& clip);
  // Starts afresh with another clip of the same garment, which is not read again.
  void play(const motion::Clip& clip);

  size_t frames() const { return clip_.frames.size(); }
  double rate() const { return options_.rate; }
  double seconds() const { return static_cast<double>(frames() - 1) / options_.rate; }  // to the last frame
  // Whether the motion ends before options.seconds.
  bool is_shorter() const;
  // A note for the user where the motion is shorter than options.seconds, or longer and cut by default; else empty.
  std::string note() const;
  // Advances by one frame. Returns false after the last.
  bool step();
  size_t frame() const { return next_ - 1; }
  double time() const { return static_cast<double>(frame()) / options_.rate; }

  const std::vector<Transform>& joints() const { return joints_; }  // all joints of the character
  std::span<const float> positions() const;
  std::vector<V3> bones() const;
  billow_instance_report report() const;
  const billow_body* body() const { return billow_instance_body(instance_.get()); }
  uint64_t hash() const { return billow_instance_hash(instance_.get()); }
  // The joints in a given frame, independent of step().
  std::vector<Transform> joints_at(size_t frame) const;

  const garment::Garment& garment() const { return packed_.garment; }
  const Playback* under() const { return under_.get(); }  // what is worn under the garment; null: nothing
  const dataset::OwnedCharacterBody& character_body() const { return character_body_; }
  const body::Skin& skin() const { return character_->skin(); }
  const motion::Clip& clip() const { return clip_; }

 private:
  struct Destroy {
    void operator()(billow_garment* g) const { billow_garment_destroy(g); }
    void operator()(billow_instance* i) const { billow_instance_destroy(i); }
    void operator()(billow_body* b) const { billow_body_destroy(b); }
  };
  // The garment under that of `options`, if there is one.
  static std::unique_ptr<Playback> make_under(const PlaybackOptions& options, const motion::Clip& clip);
  void expect(billow_status status) const;
  void move_to(const std::vector<Transform>& joints);

  PlaybackOptions options_;
  pack::GarmentData packed_;
  std::shared_ptr<GivenCharacter> character_;
  dataset::OwnedCharacterBody character_body_;
  motion::Clip clip_;
  std::unique_ptr<billow_garment, Destroy> garment_;
  std::unique_ptr<billow_instance, Destroy> instance_;
  std::unique_ptr<Playback> under_;
  std::unique_ptr<billow_body, Destroy> layer_;  // the outside of what is under
  std::vector<size_t> needed_;  // indices of the garment's joints in the skeleton, in the garment's order
  std::vector<Transform> joints_;
  size_t next_ = 0;
  double whole_ = 0;  // duration of the motion in seconds, before it is cut to options.seconds
};

// Prints a note to standard error, unless it is empty.
void print_note(const std::string& note);

// Simulates the reference cloth of the same garment and motion, and returns its vertices in the `wanted` frames (ascending).
// Slow. `report_progress` receives the completed fraction.
std::vector<std::vector<V3>> reference_of(const Playback& playback, std::span<const size_t> wanted,
                                          const std::function<void(double)>& report_progress = {});

}  // namespace billow::tool
