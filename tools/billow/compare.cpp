// `billow compare`: a garment file beside the reference cloth on the same motion, as a film or a strip of
// pictures.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.h"
#include "draw/paint.h"
#include "evaluate/product.h"
#include "files.h"
#include "film.h"
#include "frames_for.h"
#include "number_from.h"
#include "picture.h"
#include "playback.h"
#include "progress.h"
#include "shipped.h"

namespace billow::tool {
namespace {

namespace fs = std::filesystem;

constexpr double kFilmRate = 30;      // frames per second, of motions; data sets keep their own
constexpr size_t kMoments = 6;        // of a strip
constexpr size_t kMostFrames = 3000;  // of which all vertices are kept

struct CompareOptions {
  PlaybackOptions playback;
  std::string out, data, size = "1280x720";
  std::optional<size_t> clip, moments;
  int rays = 0, width = 0, height = 0;  // width and height of a film, from `size`
  std::optional<double> azimuth, elevation, distance;
  bool motion_given = false, json = false, quiet = false;

  bool film() const { return is_film(out); }
  fs::path strip() const { return film() ? fs::path(out).replace_extension(".png") : fs::path(out); }
};

// Both cloths, frame by frame at one rate.
struct Compared {
  std::string motion;
  double frames_per_second = kFilmRate;
  garment::Garment garment;
  dataset::OwnedCharacterBody character;
  std::vector<std::vector<Transform>> joints;
  std::vector<std::vector<V3>> product, reference;
};

// Checks all that can be checked before anything is simulated.
void check(CompareOptions& o) {
  const auto refuse = [](const char* option, const std::string& why) {
    throw CLI::ValidationError(option, why);
  };
  if (!o.film() && fs::path(o.out).extension() != ".png")
    throw std::runtime_error(o.out + ": expected a file that ends in .mp4, .gif or .png");
  if (o.motion_given && !o.data.empty())
    refuse("--motion", "expected either a motion or a data set (--dataset), found both");
  if (o.clip && o.data.empty()) refuse("--clip", "expected a data set (--dataset), found none");
  char rest = 0;
  if (std::sscanf(o.size.c_str(), "%dx%d%c", &o.width, &o.height, &rest) != 2)
    refuse("--size", "expected WIDTHxHEIGHT, found " + o.size);
  if (o.width < 64 || o.height < 32 || o.width > 7680 || o.height > 4320 || o.width % 4 || o.height % 2)
    refuse(
        "--size",
        "expected 64x32 to 7680x4320 pixels, the width a multiple of 4 and the height of 2, found " + o.size);
}

Compared on_motion(const CompareOptions& o) {
  Playback playback(o.playback);
  if (!o.quiet) print_note(playback.note());
  Compared c{o.playback.motion,
             std::min(kFilmRate, o.playback.rate),
             playback.garment(),
             playback.character_body(),
             {},
             {},
             {}};
  std::vector<size_t> wanted;
  for (size_t k = 0;; ++k) {
    const auto f =
        static_cast<size_t>(std::lround(static_cast<double>(k) * o.playback.rate / c.frames_per_second));
    if (f >= playback.frames() || wanted.size() == kMostFrames) break;
    wanted.push_back(f);
  }
  while (c.product.size() < wanted.size() && playback.step()) {
    if (playback.frame() != wanted[c.product.size()]) continue;
    c.joints.push_back(playback.joints());
    const std::span<const float> x = playback.positions();
    c.product.emplace_back();
    for (size_t i = 0; i < x.size(); i += 3) c.product.back().push_back({x[i], x[i + 1], x[i + 2]});
  }
  Progress progress("simulating the reference");
  c.reference = reference_of(playback, wanted, [&](double share) {
    if (!o.quiet) progress(share);
  });
  return c;
}

// The clip asked for, or the first unseen one, or the first.
const learn::Frames::ClipRange& clip_of(const CompareOptions& o, const learn::Frames& frames) {
  const auto clips = frames.clips();
  if (clips.empty()) throw std::runtime_error(o.data + ": expected a usable clip, found none");
  const auto found = std::find_if(clips.begin(), clips.end(), [&](const auto& c) {
    return o.clip ? c.clip == *o.clip : frames.part(c.begin) == dataset::Part::kUnseen;
  });
  if (found != clips.end()) return *found;
  if (!o.clip) return clips[0];
  const size_t count = frames.info().clips.size();
  throw std::runtime_error(o.data + (*o.clip < count
                                         ? ": clip " + std::to_string(*o.clip) +
                                               " is left out: its reference is torn, caught or tangled"
                                         : ": expected a clip from 0 to " + std::to_string(count - 1) +
                                               ", found " + std::to_string(*o.clip)));
}

Compared on_dataset(const CompareOptions& o) {
  const std::string file = garment_file(o.playback.file);
  const learn::Frames frames = frames_for(file, pack::read_garment_asset(file).garment, o.data);
  learn::Frames::ClipRange clip = clip_of(o, frames);
  Compared c{frames.info().clips[clip.clip].name,
             frames.info().frames_per_second,
             frames.garment(),
             frames.character(),
             {},
             {},
             {}};
  const double most = o.playback.seconds_given ? o.playback.seconds * c.frames_per_second + 1 : kMostFrames;
  clip.end = std::min(clip.end, clip.begin + static_cast<uint32_t>(std::min<double>(most, kMostFrames)));
  c.product = evaluate::Product(file, frames, o.playback.rate).play(clip);
  const files::NpyMap cloth(frames.info().clip_folder(clip.clip) / "cloth.npy");
  for (uint32_t f = clip.begin; f < clip.end; ++f) {
    c.joints.emplace_back(frames.character().skeleton.size());
    frames.joints(f, c.joints.back());
    const std::span<const float> x = cloth.row(f - clip.begin);
    c.reference.emplace_back();
    for (size_t i = 0; i < x.size(); i += 3) c.reference.back().push_back({x[i], x[i + 1], x[i + 2]});
  }
  return c;
}

// Draws moments of both cloths from one camera.
class Painter {
 public:
  Painter(const CompareOptions& o, const Compared& compared)
      : compared_(compared), body_(compared.character), style_(style_for(compared.garment)), quiet_(o.quiet) {
    style_.width = o.width / 2, style_.height = o.height, style_.rays = o.rays, style_.samples = 2;
    // Nearer than a single picture: half of a film is narrow, and folds are what is compared.
    style_.distance = 3.7f;
    style_.distance *= body_.size(), style_.look_at *= body_.size(), style_.behind *= body_.size();
    if (o.azimuth) style_.azimuth = static_cast<float>(*o.azimuth);
    if (o.elevation) style_.elevation = static_cast<float>(*o.elevation);
    if (o.distance) style_.distance = static_cast<float>(*o.distance);
    std::vector<V3> roots;
    for (const auto& joints : compared.joints) roots.push_back(joints[0].position);
    camera_ =
        follow(roots, following(compared.joints[0]).heading, static_cast<float>(compared.frames_per_second));
  }
  // Calls use(product, reference) for each of the given frames, in order.
  template <class Use> void paint(const std::vector<size_t>& frames, bool with_time, const Use& use) const {
    Progress progress("drawing");
    std::vector<draw::Image> pair;
    size_t made = 0;
    PictureLine line(pictures_at_a_time(style_), [&](draw::Image image) {
      std::string label = pair.empty() ? "Billow" : "reference";
      char time[32] = "";
      const double seconds = static_cast<double>(frames[made / 2]) / compared_.frames_per_second;
      if (with_time) std::snprintf(time, sizeof time, "  %.2f s", seconds);
      draw::paint_text(image, 18, 38, label + time, {20, draw::srgb(0x2a2e36)});
      pair.push_back(std::move(image));
      ++made;
      if (!quiet_) progress(static_cast<double>(made) / static_cast<double>(2 * frames.size()));
      if (pair.size() < 2) return;
      use(std::move(pair[0]), std::move(pair[1]));
      pair.clear();
    });
    for (const size_t f : frames) {
      add(line, f, compared_.product[f]);
      add(line, f, compared_.reference[f]);
    }
    line.finish();
  }

 private:
  void add(PictureLine& line, size_t f, const std::vector<V3>& cloth) const {
    Picture picture(style_, body_, compared_.joints[f]);
    picture.add_cloth({&cloth[0].x, 3 * cloth.size()}, compared_.garment.triangles);
    line.add(std::move(picture), camera_[f]);
  }
  const Compared& compared_;
  DrawnBody body_;
  PictureStyle style_;
  std::vector<Following> camera_;
  bool quiet_;
};

void write_film(const Painter& painter, size_t frames, const CompareOptions& o, FilmWriter& writer) {
  std::vector<size_t> all;
  for (size_t f = 0; f < frames; ++f) all.push_back(f);
  painter.paint(all, false, [&](const draw::Image& product, const draw::Image& reference) {
    draw::Image both(o.width, o.height);
    both.paste(product, 0, 0);
    both.paste(reference, o.width / 2, 0);
    writer.add(both);
  });
  writer.finish();
}

// Moments evenly spaced to the last frame, the product above the reference.
void write_strip(const Painter& painter, size_t frames, const CompareOptions& o) {
  const size_t count = std::min(o.moments.value_or(kMoments), frames);
  std::vector<size_t> moments;
  for (size_t k = 0; k < count; ++k) moments.push_back((frames - 1) * (k + 1) / count);
  std::vector<draw::Image> above, below;
  painter.paint(moments, true, [&](draw::Image product, draw::Image reference) {
    above.push_back(std::move(product)), below.push_back(std::move(reference));
  });
  above.insert(above.end(), std::make_move_iterator(below.begin()), std::make_move_iterator(below.end()));
  draw::write_png(draw::strip(above, static_cast<int>(count), 4), o.strip());
}

void compare(CompareOptions o) {
  check(o);
  const fs::path out = o.out;
  if (out.has_parent_path()) make_folder(out.parent_path());
  const Progress clock("");
  // Open the writer before simulating, where the rate is known: it fails if ffmpeg is missing.
  std::unique_ptr<FilmWriter> writer;
  if (o.film()) {
    const double rate = o.data.empty() ? std::min(kFilmRate, o.playback.rate)
                                       : dataset::read_dataset(o.data).frames_per_second;
    writer = std::make_unique<FilmWriter>(out, o.width, o.height, rate);
  }
  const Compared compared = o.data.empty() ? on_motion(o) : on_dataset(o);
  const Painter painter(o, compared);
  const size_t frames = compared.product.size();
  std::vector<std::string> files;
  if (writer) write_film(painter, frames, o, *writer), files.push_back(o.out);
  if (!writer || o.moments) write_strip(painter, frames, o), files.push_back(o.strip().string());
  if (o.json) {
    std::printf("%s\n", nlohmann::ordered_json{{"files", files},
                                               {"motion", compared.motion},
                                               {"frames", frames},
                                               {"frames_per_second", compared.frames_per_second},
                                               {"seconds", clock.seconds()}}
                            .dump(2)
                            .c_str());
  } else if (!o.quiet) {
    for (const std::string& file : files)
      std::printf("%s: the product and the reference on %s, %zu frames, %.0f s\n", file.c_str(),
                  compared.motion.c_str(), frames, clock.seconds());
  }
}

}  // namespace

void add_compare(CLI::App& app) {
  auto* command = app.add_subcommand(
      "compare",
      "Show a garment beside the reference cloth on the same motion: a film or a strip of pictures");
  auto o = std::make_shared<CompareOptions>();
  command->add_option("file", o->playback.file, kGarmentFileHelp)->required();
  command
      ->add_option("-o,--out", o->out,
                   "File to write: a film (.mp4, .gif; needs ffmpeg) with the product left and the reference "
                   "right, or a strip (.png) with the product above")
      ->required();
  command
      ->add_option(
          "--motion", o->playback.motion,
          "Motion to play, on which the reference is simulated: a name of `billow motion list`, a name "
          "with a seed (dance:7), or a motion file (run.bvh, hero.glb:Run)")
      ->capture_default_str()
      ->each([o](const std::string&) { o->motion_given = true; });
  command->add_option("--dataset", o->data, "Folder of a data set, whose reference is shown instead");
  command->add_option("--clip", o->clip, "Clip of the data set, from 0; default: the first unseen one")
      ->check(CLI::Range(0, 10'000'000));
  command
      ->add_option("--seconds", o->playback.seconds, "Seconds to show; a motion file or clip may end earlier")
      ->capture_default_str()
      ->check(number_from(0.1, 100))
      ->each([o](const std::string&) { o->playback.seconds_given = true; });
  command->add_option("--rate", o->playback.rate, "Rate of the runtime in frames per second")
      ->capture_default_str()
      ->check(number_from(5, 1000));
  command
      ->add_option(
          "--strip", o->moments,
          "Number of moments in a strip, which a film gets beside it as .png; default without a film: 6")
      ->check(CLI::Range(1, 60));
  command
      ->add_option("--size", o->size,
                   "Size of a film in pixels, as WIDTHxHEIGHT; a picture of a strip is half as wide")
      ->capture_default_str();
  command
      ->add_option("--rays", o->rays,
                   "Rays per pixel of the path tracer; 0 uses the rasteriser, which is much faster")
      ->capture_default_str()
      ->check(CLI::Range(0, 4096));
  command
      ->add_option("--azimuth", o->azimuth,
                   "Camera azimuth in degrees: 0 is in front of the person, 90 on its left, 180 behind")
      ->check(number_from(-360, 360));
  command->add_option("--elevation", o->elevation, "Camera elevation in degrees above the horizon")
      ->check(number_from(-89, 89));
  command->add_option("--distance", o->distance, "Camera distance in metres")->check(number_from(0.1, 100));
  command->add_flag("--json", o->json, "Print a summary of the output as JSON");
  command->add_flag("--quiet", o->quiet, "Print neither summary, progress nor notes");
  command->footer(
      "The reference of 4 s takes a minute or two to simulate; a data set has it.\n\n"
      "Examples\n"
      "  billow compare cape --motion dance.bvh -o dance.mp4 --strip 6\n"
      "  billow compare skirt --motion dance:7 --seconds 3 -o dance.png\n"
      "  billow compare cape.billow --dataset data/cape -o unseen.mp4\n"
      "  billow compare cape.billow --dataset data/cape --clip 41 -o clip.mp4\n");
  command->callback([o] { compare(*o); });
}

}  // namespace billow::tool
