#include "draw/image.h"

#include <png.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <system_error>

#include "files/whole_file.h"

namespace billow::draw {

Image::Image(int width, int height, Colour fill)
    : width_(width),
      height_(height),
      pixels_(static_cast<size_t>(width) * static_cast<size_t>(height), fill) {}

void Image::blend(int x, int y, Colour colour, float alpha) {
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
  at(x, y) = mix(at(x, y), colour, alpha);
}

void Image::paste(const Image& other, int x, int y) {
  for (int j = std::max(0, -y); j < std::min(other.height(), height_ - y); ++j)
    for (int i = std::max(0, -x); i < std::min(other.width(), width_ - x); ++i)
      at(x + i, y + j) = other.at(i, j);
}

Image strip(std::span<const Image> images, int columns, int gap, Colour background) {
  if (images.empty()) return {};
  int cell_width = 0, cell_height = 0;
  for (const Image& image : images) {
    cell_width = std::max(cell_width, image.width());
    cell_height = std::max(cell_height, image.height());
  }
  const int count = static_cast<int>(images.size());
  columns = std::clamp(columns, 1, count);
  const int rows = (count + columns - 1) / columns;

  Image all(columns * (cell_width + gap) + gap, rows * (cell_height + gap) + gap, background);
  for (int i = 0; i < count; ++i)
    all.paste(images[static_cast<size_t>(i)], gap + (i % columns) * (cell_width + gap),
              gap + (i / columns) * (cell_height + gap));
  return all;
}

namespace {

// sRGB bytes of 4096 levels of linear light.
std::vector<uint8_t> make_srgb_table() {
  std::vector<uint8_t> table(4096);
  for (size_t i = 0; i < table.size(); ++i)
    table[i] = static_cast<uint8_t>(std::lround(255 * encode_srgb(static_cast<float>(i) / 4095.0f)));
  return table;
}

std::vector<uint8_t> to_bytes(const Image& image) {
  static const std::vector<uint8_t> table = make_srgb_table();
  const auto encode = [](float v) {
    return table[static_cast<size_t>(std::lround(4095 * std::clamp(v, 0.0f, 1.0f)))];
  };
  std::vector<uint8_t> bytes;
  bytes.reserve(3 * static_cast<size_t>(image.width()) * static_cast<size_t>(image.height()));
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) {
      const Colour& c = image.at(x, y);
      bytes.insert(bytes.end(), {encode(c.r), encode(c.g), encode(c.b)});
    }
  return bytes;
}

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& reason) {
  throw std::runtime_error("cannot write " + path.string() + ": " + reason);
}

}  // namespace

void write_png(const Image& image, const std::filesystem::path& path) {
  if (image.width() == 0 || image.height() == 0) fail(path, "the picture is empty");
  std::error_code error;
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (!std::filesystem::is_directory(folder, error)) fail(path, "there is no folder " + folder.string());

  const std::vector<uint8_t> pixels = to_bytes(image);
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width());
  png.height = static_cast<png_uint_32>(image.height());
  png.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&png, bytes.data(), &size, 0, pixels.data(), 0, nullptr) == 0)
    fail(path, png.message);
  files::write_whole_file(path, std::string_view(bytes).substr(0, size));
}

}  // namespace billow::draw
