// Films: pictures in a row to MP4 or GIF, through ffmpeg.
#pragma once

#include <filesystem>

#include "draw/image.h"
#include "unfinished.h"

namespace billow::tool {

// Whether a file's name ends as a film's does.
bool is_film(const std::filesystem::path& file);

// Written beside the file, and renamed to it at the end; a film that is stopped leaves nothing. All throw std::runtime_error, where
// ffmpeg is not there with what to install.
class FilmWriter {
 public:
  // Width and height are those of all pictures; MP4 wants both even.
  FilmWriter(const std::filesystem::path& file, int width, int height, double frames_per_second);
  ~FilmWriter();  // without finish, nothing is left of it
  FilmWriter(const FilmWriter&) = delete;
  FilmWriter& operator=(const FilmWriter&) = delete;

  void add(const draw::Image& image);
  void finish();

 private:
  std::filesystem::path file_;
  Unfinished beside_;
  int width_, height_;
  int pipe_ = -1;
};

}  // namespace billow::tool
