// Video output: encodes pictures as MP4 or GIF through ffmpeg.
#pragma once

#include <filesystem>

#include "draw/image.h"
#include "unfinished.h"

namespace billow::tool {

// Whether the file extension is .mp4 or .gif.
bool is_film(const std::filesystem::path& file);

// Whether there is a program that encodes films.
bool has_ffmpeg();

// Writes to a temporary file in the same folder and renames it in finish(); an interrupted run leaves no
// file. All members throw std::runtime_error. If ffmpeg is missing, the message says what to install.
class FilmWriter {
 public:
  // All pictures have this width and height. MP4 requires both to be even.
  FilmWriter(const std::filesystem::path& file, int width, int height, double frames_per_second);
  ~FilmWriter();  // removes the temporary file if finish() was not called
  FilmWriter(const FilmWriter&) = delete;
  FilmWriter& operator=(const FilmWriter&) = delete;

  void add(const draw::Image& image);
  void finish();

 private:
  std::filesystem::path file_;
  Unfinished temporary_;
  int width_, height_;
  int pipe_ = -1;
};

}  // namespace billow::tool
