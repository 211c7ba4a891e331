// A garment file on the built-in person in motion, through the runtime: what pictures, films, figures and exports play.
#pragma once

#include <billow/billow.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dataset/reader/character_body.h"
#include "motion/clip.h"
#include "pack/garment_asset.h"

namespace CLI {
class App;
}

namespace billow::tool {

struct PlaybackOptions {
  std::string file, motion = "run";  // motion: of `billow motion list`, "dance:7" for another seed, or a file
  double seconds = 5, rate = 60;     // rate: frames a second that are simulated
  bool shape = true, push_out = true, linear_blend = false;
  bool seconds_given = false;  // on the command line, not by default
};

// What all commands that play a garment file have in common.
void add_playback_options(CLI::App& command, PlaybackOptions& options);

// Which joints of a skeleton a garment asks for, in its order. Throws std::runtime_error that names the file and the joint.
std::vector<size_t> joints_needed(const billow_garment* garment, const body::Skeleton& skeleton,
                                  const std::string& file);

class Playback {
 public:
  // Throws std::runtime_error for a file that is none, or is for another character; for a motion there is none of.
  explicit Playback(const PlaybackOptions& options);
  // The same in a clip of the person's own; the options' motion is its name only.
  Playback(const PlaybackOptions& options, const motion::Clip& clip);

  size_t frames() const { return clip_.frames.size(); }
  double seconds() const { return static_cast<double>(frames() - 1) / options_.rate; }  // to the last frame
  // Whether a motion file ends before the seconds that were asked for.
  bool is_shorter() const;
  // Where less is played than was asked for, or than the motion file has: a sentence that says so; else empty.
  std::string note() const;
  // Frame after frame; false when there is none left.
  bool step();
  size_t frame() const { return next_ - 1; }
  double time() const { return static_cast<double>(frame()) / options_.rate; }

  const std::vector<Transform>& joints() const { return joints_; }  // all of the person's
  std::span<const float> positions() const;
  std::vector<V3> bones() const;
  billow_instance_report report() const;
  const billow_body* body() const { return billow_instance_body(instance_.get()); }
  uint64_t hash() const { return billow_instance_hash(instance_.get()); }
  // The joints in any frame.
  std::vector<Transform> joints_at(size_t frame) const;

  const garment::Garment& garment() const { return packed_.garment; }
  const dataset::OwnedCharacterBody& character_body() const { return character_body_; }
  const motion::Clip& clip() const { return clip_; }

 private:
  struct Destroy {
    void operator()(billow_garment* g) const { billow_garment_destroy(g); }
    void operator()(billow_instance* i) const { billow_instance_destroy(i); }
  };
  void expect(billow_status status) const;
  void move_to(const std::vector<Transform>& joints);

  PlaybackOptions options_;
  pack::GarmentData packed_;
  dataset::OwnedCharacterBody character_body_;
  motion::Clip clip_;
  std::unique_ptr<billow_garment, Destroy> garment_;
  std::unique_ptr<billow_instance, Destroy> instance_;
  std::vector<size_t> needed_;  // which of the person's joints the garment asks for, in its order
  std::vector<Transform> joints_;
  size_t next_ = 0;
  double whole_ = 0;  // seconds of the motion before it was cut
};

// Prints a note to standard error, unless it is empty.
void print_note(const std::string& note);

// The reference cloth of the same garment in the same motion, in the frames that are wanted (ascending): slow. `told` hears the
// share that is done.
std::vector<std::vector<V3>> reference_of(const Playback& playback, std::span<const size_t> wanted,
                                          const std::function<void(double)>& told = {});

}  // namespace billow::tool
