// PC2 (3ds Max, Blender, Maya, Marvelous Designer) and MDD (LightWave, Blender, Houdini): a header, then the
// float32 positions of one frame after the other, without triangles. Streamed frame by frame.
//
//   PC2, little-endian: "POINTCACHE2\0", version 1, points, start frame (float), frames per sample (float), samples
//   MDD, big-endian: frames, points, the time of each frame in seconds (float)
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>

#include "cache/formats.h"
#include "files/whole_file.h"

namespace billow::cache {
namespace {

static_assert(sizeof(V3) == 12 && sizeof(float) == 4);
constexpr char kPc2Magic[] = "POINTCACHE2";  // including the terminating zero
constexpr size_t kPc2Header = 32, kMddHeader = 8;

uint32_t swapped(uint32_t v) { return v >> 24 | (v >> 8 & 0xff00) | (v << 8 & 0xff0000) | v << 24; }
uint32_t in_order(uint32_t v, std::endian order) { return order == std::endian::native ? v : swapped(v); }

void put(std::string& out, uint32_t value, std::endian order) {
  value = in_order(value, order);
  out.append(reinterpret_cast<const char*>(&value), 4);
}

// The frames start at byte `start_`.
class PointReader : public Reader {
 protected:
  PointReader(const std::filesystem::path& path, std::endian order) : order_(order) {
    path_ = path;
    info_.name = path.stem().string();
    file_.open(path, std::ios::binary | std::ios::ate);
    if (!file_) fail("cannot read ", path.string());
    size_ = static_cast<size_t>(file_.tellg());
    file_.seekg(0);
  }

  template <class... Parts> [[noreturn]] void refuse(const Parts&... parts) const {
    fail(path_.string(), ": ", parts...);
  }

  void get(void* to, size_t bytes, const std::string& what) {
    if (!file_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes)))
      refuse("expected ", what, ", found the end of the file after ", size_, " bytes");
  }
  uint32_t get_word(const std::string& what) {
    uint32_t value = 0;
    get(&value, 4, what);
    return in_order(value, order_);
  }

  // Checks counts against the file's size, before any allocation depends on them. `extra` bytes per frame
  // precede the positions of all frames.
  bool fits(uint64_t header, uint64_t frames, uint64_t points, uint64_t extra) const {
    if (frames > INT32_MAX || points > INT32_MAX || size_ < header) return false;
    const uint64_t frame = 12 * points + extra, payload = size_ - header;
    return frame > 0 && payload % frame == 0 && payload / frame == frames;
  }
  void set_counts(uint64_t header, uint64_t frames, uint64_t points, uint64_t extra) {
    if (frames == 0 || frames > INT32_MAX || points == 0 || points > INT32_MAX)
      refuse("expected 1 to 2147483647 frames and vertices, found ", frames, " frames of ", points,
             " vertices");
    if (!fits(header, frames, points, extra)) {
      const uint64_t frame = 12 * points + extra, complete = (size_ - header) / frame;
      refuse("expected ", frames, " frames of ", points, " vertices as its header says, found ",
             (complete < frames ? std::to_string(complete) : "more"), " in its ", size_, " bytes");
    }
    info_.frames = frames;
    info_.topology.vertices = points;
    start_ = header + extra * frames;
  }

  void fetch(size_t frame, std::span<V3> positions) override {
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(start_ + frame * positions.size_bytes()));
    get(positions.data(), positions.size_bytes(), "frame " + std::to_string(frame));
    if (order_ == std::endian::native) return;
    for (V3& p : positions)
      for (float* value : {&p.x, &p.y, &p.z})
        *value = std::bit_cast<float>(swapped(std::bit_cast<uint32_t>(*value)));
  }

  std::endian order_;
  std::ifstream file_;
  size_t size_ = 0, start_ = 0;
};

class Pc2Reader : public PointReader {
 public:
  explicit Pc2Reader(const std::filesystem::path& path) : PointReader(path, std::endian::little) {
    info_.format = "PC2";
    char magic[sizeof kPc2Magic] = {};
    get(magic, sizeof magic, "a header of 32 bytes");
    if (std::memcmp(magic, kPc2Magic, sizeof magic) != 0) refuse("expected 'POINTCACHE2' at its start");
    const uint32_t version = get_word("a header of 32 bytes");
    if (version == swapped(1)) refuse("expected little-endian numbers, found big-endian ones");
    if (version != 1) refuse("expected version 1, found ", version);
    const uint32_t points = get_word("a header of 32 bytes");
    for (const char* what : {"start frame", "sample rate"})
      if (const float value = std::bit_cast<float>(get_word("a header of 32 bytes")); !std::isfinite(value))
        refuse("expected a finite ", what, ", found ", value);
    const uint32_t samples = get_word("a header of 32 bytes");
    set_counts(kPc2Header, samples, points, 0);
  }
};

class MddReader : public PointReader {
 public:
  explicit MddReader(const std::filesystem::path& path) : PointReader(path, std::endian::big) {
    info_.format = "MDD";
    const uint32_t frames = get_word("a header of 8 bytes"), points = get_word("a header of 8 bytes");
    if (!fits(kMddHeader, frames, points, 4) && swapped(frames) > 0 && swapped(points) > 0 &&
        fits(kMddHeader, swapped(frames), swapped(points), 4))
      refuse("expected big-endian numbers, found little-endian ones");
    set_counts(kMddHeader, frames, points, 4);
    read_times();
  }

 private:
  void read_times() {
    double first = 0, last = 0;
    for (size_t frame = 0; frame < info_.frames; ++frame) {
      const float time = std::bit_cast<float>(get_word("a time for each frame"));
      if (!std::isfinite(time) || (frame > 0 && static_cast<double>(time) < last))
        refuse("frame ", frame, ": expected a time of at least ", last, " s, found ", time);
      last = static_cast<double>(time);
      if (frame == 0) first = last;
    }
    // Some tools write 0 for all times.
    if (last > first) info_.fps = tidy_rate(static_cast<double>(info_.frames - 1) / (last - first));
  }
};

class PointWriter : public Writer {
 protected:
  explicit PointWriter(std::endian order) : order_(order) {}
  virtual std::string header() const = 0;

  void begin() override {
    file_ = std::make_unique<files::AtomicFile>(path_);
    file_->write(header());
  }
  void add(std::span<const V3> positions) override {
    std::string bytes(reinterpret_cast<const char*>(positions.data()), positions.size_bytes());
    if (order_ != std::endian::native)
      for (size_t k = 0; k < bytes.size(); k += 4)
        std::swap(bytes[k], bytes[k + 3]), std::swap(bytes[k + 1], bytes[k + 2]);
    file_->write(bytes);
  }
  void end() override { file_->commit(); }

  std::endian order_;
  std::unique_ptr<files::AtomicFile> file_;
};

class Pc2Writer : public PointWriter {
 public:
  Pc2Writer() : PointWriter(std::endian::little) {}

 private:
  std::string header() const override {
    std::string out(kPc2Magic, sizeof kPc2Magic);
    for (const uint32_t value :
         {uint32_t{1}, static_cast<uint32_t>(topology_.vertices), std::bit_cast<uint32_t>(0.0f),
          std::bit_cast<uint32_t>(1.0f), static_cast<uint32_t>(frames_)})
      put(out, value, order_);
    return out;
  }
};

class MddWriter : public PointWriter {
 public:
  MddWriter() : PointWriter(std::endian::big) {}

 private:
  std::string header() const override {
    std::string out;
    put(out, static_cast<uint32_t>(frames_), order_);
    put(out, static_cast<uint32_t>(topology_.vertices), order_);
    for (size_t frame = 0; frame < frames_; ++frame)
      put(out, std::bit_cast<uint32_t>(static_cast<float>(static_cast<double>(frame) / fps_)), order_);
    return out;
  }
};

}  // namespace

std::unique_ptr<Reader> open_pc2(const std::filesystem::path& path) {
  return std::make_unique<Pc2Reader>(path);
}
std::unique_ptr<Reader> open_mdd(const std::filesystem::path& path) {
  return std::make_unique<MddReader>(path);
}
std::unique_ptr<Writer> make_pc2_writer() { return std::make_unique<Pc2Writer>(); }
std::unique_ptr<Writer> make_mdd_writer() { return std::make_unique<MddWriter>(); }

}  // namespace billow::cache
