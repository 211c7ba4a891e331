#include "film.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace billow::tool {
namespace {

std::string extension(const std::filesystem::path& file) {
  std::string kind = file.extension().string();
  std::transform(kind.begin(), kind.end(), kind.begin(), [](unsigned char c) { return std::tolower(c); });
  return kind;
}

// Looks the value up in a table, because each frame has millions.
uint8_t srgb_byte(float linear) {
  constexpr size_t kSteps = size_t{1} << 16;
  static const std::vector<uint8_t> table = [] {
    std::vector<uint8_t> all;
    for (size_t k = 0; k <= kSteps; ++k)
      all.push_back(static_cast<uint8_t>(
          std::lround(255 * draw::encode_srgb(static_cast<float>(k) / static_cast<float>(kSteps)))));
    return all;
  }();
  return table[static_cast<size_t>(std::clamp(linear, 0.0f, 1.0f) * static_cast<float>(kSteps) + 0.5f)];
}

std::filesystem::path temporary_film(const std::filesystem::path& file) {
  return file.parent_path() / ("." + file.stem().string() + ".part" + file.extension().string());
}

std::vector<std::string> arguments(const std::filesystem::path& out, int width, int height, double rate) {
  char fps[32];
  std::snprintf(fps, sizeof fps, "%g", rate);
  std::vector<std::string> all = {"ffmpeg",
                                  "-hide_banner",
                                  "-loglevel",
                                  "error",
                                  "-y",
                                  "-f",
                                  "rawvideo",
                                  "-pix_fmt",
                                  "rgb24",
                                  "-s",
                                  std::to_string(width) + "x" + std::to_string(height),
                                  "-r",
                                  fps,
                                  "-i",
                                  "-"};
  if (extension(out) == ".gif")
    // Generate a palette for this film: the default 256 colours show banding in soft shadows.
    all.insert(all.end(),
               {"-filter_complex", "split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=sierra2_4a"});
  else
    all.insert(all.end(),
               {"-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "18", "-movflags", "+faststart"});
  all.push_back(out.string());
  return all;
}

}  // namespace

bool has_ffmpeg() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + "/ffmpeg").c_str(), X_OK) == 0) return true;
  return false;
}

bool is_film(const std::filesystem::path& file) {
  const std::string kind = extension(file);
  return kind == ".mp4" || kind == ".gif";
}

FilmWriter::FilmWriter(const std::filesystem::path& file, int width, int height, double frames_per_second)
    : file_(file), temporary_(temporary_film(file)), width_(width), height_(height) {
  if (extension(file) == ".mp4" && (width % 2 != 0 || height % 2 != 0))
    throw std::runtime_error(file.string() + ": expected an even width and height for an MP4, found " +
                             std::to_string(width) + " x " + std::to_string(height));
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe to ffmpeg");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
  const int failed =
      temporary_.start(arguments(temporary_.file(), width, height, frames_per_second), actions);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  pipe_ = ends[1];
  if (failed != 0) {
    close(pipe_);
    throw std::runtime_error(
        "cannot write " + file.string() +
        (failed == ENOENT
             ? ": films need ffmpeg, which is not installed (Debian, Ubuntu: apt install ffmpeg); "
               "pictures (.png) do without"
             : std::string(": ffmpeg could not be run: ") + std::strerror(failed)));
  }
  // If ffmpeg ends early, let write() fail instead of raising SIGPIPE.
  signal(SIGPIPE, SIG_IGN);
}

FilmWriter::~FilmWriter() {
  if (pipe_ >= 0) close(pipe_);
}

void FilmWriter::add(const draw::Image& image) {
  if (image.width() != width_ || image.height() != height_)
    throw std::invalid_argument("all pictures of a film have one size");
  std::vector<uint8_t> bytes;
  bytes.reserve(3 * static_cast<size_t>(width_) * static_cast<size_t>(height_));
  for (int y = 0; y < height_; ++y)
    for (int x = 0; x < width_; ++x) {
      const draw::Colour& c = image.at(x, y);
      for (const float v : {c.r, c.g, c.b}) bytes.push_back(srgb_byte(v));
    }
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t n = write(pipe_, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw std::runtime_error("cannot write " + file_.string() + ": ffmpeg ended early");
    done += static_cast<size_t>(n);
  }
}

void FilmWriter::finish() {
  close(pipe_);
  pipe_ = -1;
  if (temporary_.wait() != 0)
    throw std::runtime_error("cannot write " + file_.string() + ": ffmpeg said why above");
  temporary_.finish(file_);
}

}  // namespace billow::tool
