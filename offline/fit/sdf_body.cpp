#include "fit/sdf_body.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <system_error>

#include "files/whole_file.h"
#include "parallel.h"

namespace billow::fit {
namespace {

// Fills the field of each part by make(part, index, progress).
template <class Make>
SdfBody make_body(std::span<const BodyPart> parts, const std::function<void(double)>& progress, Make make) {
  SdfBody body;
  for (const BodyPart& p : parts) body.parts.push_back({p.name, p.joint, p.frame, {}});
  std::vector<double> done(parts.size(), 0);
  std::mutex progress_mutex;
  for_each_in_parallel(parts.size(), [&](size_t i) {
    const auto report = [&, i](double fraction) {
      if (!progress) return;
      const std::lock_guard lock(progress_mutex);
      done[i] = fraction;
      double sum = 0;
      for (const double d : done) sum += d;
      progress(sum / static_cast<double>(done.size()));
    };
    body.parts[i].field = make(parts[i], i, report);
    report(1);
  });
  return body;
}

}  // namespace

size_t SdfBody::bytes() const {
  size_t sum = 0;
  for (const SdfPart& p : parts) {
    if (const auto* grid = std::get_if<GridSdf>(&p.field)) sum += grid->values.size() * sizeof(int16_t);
    if (const auto* network = std::get_if<NeuralSdf>(&p.field))
      sum += network->weights.size() * sizeof(float);
  }
  return sum;
}

SdfBody make_grids(std::span<const BodyPart> parts, const GridOptions& options,
                   const std::function<void(double)>& progress) {
  return make_body(parts, progress, [&](const BodyPart& part, size_t, const auto&) {
    return make_grid(part.surface, options);
  });
}

SdfBody train_networks(std::span<const BodyPart> parts, const TrainOptions& options,
                       const std::function<void(double)>& progress) {
  return make_body(parts, progress, [&](const BodyPart& part, size_t i, const auto& report) {
    TrainOptions part_options = options;
    part_options.seed += static_cast<uint32_t>(i);
    part_options.progress = report;
    return train_network(part.surface, part_options);
  });
}

SdfColliders::SdfColliders(const SdfBody& body) {
  // Reserve, so that the colliders' pointers stay valid.
  grids_.reserve(body.parts.size());
  networks_.reserve(body.parts.size());
  for (const SdfPart& part : body.parts) {
    billow_collider c = billow_collider_default();
    const auto& [position, q] = part.frame;
    c.position[0] = position.x, c.position[1] = position.y, c.position[2] = position.z;
    c.rotation[0] = q.x, c.rotation[1] = q.y, c.rotation[2] = q.z, c.rotation[3] = q.w;
    c.joint[0] = part.joint;
    if (const auto* grid = std::get_if<GridSdf>(&part.field)) {
      grids_.push_back(
          {grid->values.data(), {grid->size[0], grid->size[1], grid->size[2]}, grid->spacing, grid->unit});
      c.shape = BILLOW_SHAPE_GRID;
      c.grid = &grids_.back();
    } else {
      const NeuralSdf& net = std::get<NeuralSdf>(part.field);
      networks_.push_back({net.weights.data(), net.width, {net.half.x, net.half.y, net.half.z}, net.margin});
      c.shape = BILLOW_SHAPE_NEURAL;
      c.neural = &networks_.back();
    }
    colliders_.push_back(c);
  }
}

namespace {

static_assert(std::endian::native == std::endian::little,
              "the file is little-endian and read without conversion");

constexpr char kMagic[8] = {'b', 'i', 'l', 'l', 'o', 'w', 's', 'd'};
constexpr uint32_t kVersion = 1, kGrid = 1, kNetwork = 2;
constexpr size_t kMaxNameLength = 255;

struct Header {
  char magic[8];
  uint32_t version, parts;
  uint64_t size, hash;  // of all bytes after the header
};
static_assert(sizeof(Header) == 32);

uint64_t hash_of(std::span<const unsigned char> bytes) {  // FNV-1a
  uint64_t hash = 14695981039346656037ull;
  for (const unsigned char b : bytes) hash = (hash ^ b) * 1099511628211ull;
  return hash;
}

class Writer {
 public:
  template <class T> void put(const T* values, size_t count) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(values);
    bytes_.insert(bytes_.end(), bytes, bytes + count * sizeof(T));
    bytes_.resize((bytes_.size() + 3) / 4 * 4);  // values are aligned to four bytes
  }
  template <class T> void put(const T& value) { put(&value, 1); }
  std::vector<unsigned char> take() { return std::move(bytes_); }

 private:
  std::vector<unsigned char> bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const unsigned char> bytes) : bytes_(bytes) {}
  template <class T> void get(T* values, size_t count, const char* what) {
    const size_t size = count * sizeof(T), padded = (size + 3) / 4 * 4;
    if (padded > bytes_.size() - at_)
      throw std::runtime_error(std::string(what) + ": expected " + std::to_string(padded) + " bytes at " +
                               std::to_string(sizeof(Header) + at_) + ", found " +
                               std::to_string(bytes_.size() - at_));
    std::memcpy(values, bytes_.data() + at_, size);
    at_ += padded;
  }
  template <class T> T get(const char* what) {
    T value;
    get(&value, 1, what);
    return value;
  }
  // Checks a number of elements of `size` bytes against the remaining bytes, before memory is allocated for
  // them.
  size_t count(size_t elements, size_t size, const char* what) const {
    if (elements > (bytes_.size() - at_) / size)
      throw std::runtime_error(std::string(what) + ": expected at most " +
                               std::to_string((bytes_.size() - at_) / size) + ", found " +
                               std::to_string(elements));
    return elements;
  }
  size_t left() const { return bytes_.size() - at_; }

 private:
  std::span<const unsigned char> bytes_;
  size_t at_ = 0;
};

GridSdf read_grid(Reader& in) {
  GridSdf grid;
  in.get(grid.size.data(), 3, "grid size");
  size_t values = 1;
  for (const uint32_t n : grid.size) {
    if (n < 2 || n > 1024)
      throw std::runtime_error("grid size: expected 2 to 1024 points, found " + std::to_string(n));
    values *= n;
  }
  grid.spacing = in.get<float>("grid spacing");
  grid.unit = in.get<float>("grid unit");
  grid.values.resize(in.count(values, sizeof(int16_t), "grid values"));
  in.get(grid.values.data(), values, "grid values");
  return grid;
}

NeuralSdf read_network(Reader& in) {
  NeuralSdf net;
  net.width = in.get<uint32_t>("network width");
  if (net.width > 64)
    throw std::runtime_error("network width: expected at most 64, found " + std::to_string(net.width));
  in.get(&net.half.x, 1, "network box");
  in.get(&net.half.y, 1, "network box");
  in.get(&net.half.z, 1, "network box");
  net.margin = in.get<float>("network margin");
  const size_t weights = BILLOW_NEURAL_SDF_WEIGHTS(net.width);
  net.weights.resize(in.count(weights, sizeof(float), "network weights"));
  in.get(net.weights.data(), weights, "network weights");
  return net;
}

SdfPart read_part(Reader& in) {
  SdfPart part;
  const uint32_t length = in.get<uint32_t>("length of a name");
  if (length > kMaxNameLength)
    throw std::runtime_error("length of a name: expected at most 255, found " + std::to_string(length));
  part.name.resize(in.count(length, 1, "name"));
  in.get(part.name.data(), length, "name");
  const uint32_t kind = in.get<uint32_t>("kind");
  part.joint = in.get<uint32_t>("joint");
  float frame[7];
  in.get(frame, 7, "frame");
  part.frame = {{frame[0], frame[1], frame[2]}, {frame[3], frame[4], frame[5], frame[6]}};
  if (kind == kGrid)
    part.field = read_grid(in);
  else if (kind == kNetwork)
    part.field = read_network(in);
  else
    throw std::runtime_error("kind: expected 1 (grid) or 2 (network), found " + std::to_string(kind));
  return part;
}

// Creates a body through the API, which checks ranges, finite values and that surfaces lie inside their
// grids.
void check(const SdfBody& body) {
  uint32_t joints = 1;
  for (const SdfPart& p : body.parts) {
    if (p.joint >= 65536)
      throw std::runtime_error("joint: expected less than 65536, found " + std::to_string(p.joint));
    joints = std::max(joints, p.joint + 1);
  }
  const SdfColliders colliders(body);
  billow_body_desc desc{};
  desc.colliders = colliders.colliders().data();
  desc.collider_count = static_cast<uint32_t>(colliders.colliders().size());
  desc.joint_count = joints;
  billow_body* made = nullptr;
  if (billow_body_create(&desc, &made) != BILLOW_OK) throw std::runtime_error(billow_last_error());
  billow_body_destroy(made);
}

}  // namespace

std::vector<unsigned char> sdf_to_bytes(const SdfBody& body) {
  Writer out;
  for (const SdfPart& part : body.parts) {
    out.put(static_cast<uint32_t>(part.name.size()));
    out.put(part.name.data(), part.name.size());
    const auto* grid = std::get_if<GridSdf>(&part.field);
    out.put(grid ? kGrid : kNetwork);
    out.put(part.joint);
    const auto& [p, q] = part.frame;
    const float frame[7] = {p.x, p.y, p.z, q.x, q.y, q.z, q.w};
    out.put(frame, 7);
    if (grid) {
      out.put(grid->size.data(), 3);
      out.put(grid->spacing);
      out.put(grid->unit);
      out.put(grid->values.data(), grid->values.size());
    } else {
      const NeuralSdf& net = std::get<NeuralSdf>(part.field);
      out.put(net.width);
      const float box[4] = {net.half.x, net.half.y, net.half.z, net.margin};
      out.put(box, 4);
      out.put(net.weights.data(), net.weights.size());
    }
  }
  const std::vector<unsigned char> payload = out.take();
  Header header{{}, kVersion, static_cast<uint32_t>(body.parts.size()), payload.size(), hash_of(payload)};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  Writer all;
  all.put(header);
  all.put(payload.data(), payload.size());
  return all.take();
}

SdfBody sdf_from_bytes(std::span<const unsigned char> bytes) {
  Header header;
  if (bytes.size() < sizeof header)
    throw std::runtime_error("expected at least " + std::to_string(sizeof header) + " bytes, found " +
                             std::to_string(bytes.size()));
  std::memcpy(&header, bytes.data(), sizeof header);
  const auto payload = bytes.subspan(sizeof header);
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0)
    throw std::runtime_error("expected an SDF file of a body, found another format");
  if (header.version != kVersion)
    throw std::runtime_error("expected version 1, found " + std::to_string(header.version));
  if (header.size != payload.size())
    throw std::runtime_error("expected " + std::to_string(header.size) + " bytes after the header, found " +
                             std::to_string(payload.size()));
  if (header.hash != hash_of(payload))
    throw std::runtime_error("expected a matching checksum, found damaged bytes");
  if (header.parts > BILLOW_MAX_COLLIDERS)
    throw std::runtime_error("expected at most " + std::to_string(BILLOW_MAX_COLLIDERS) + " parts, found " +
                             std::to_string(header.parts));
  SdfBody body;
  Reader in(payload);
  for (uint32_t k = 0; k < header.parts; ++k) body.parts.push_back(read_part(in));
  if (in.left() != 0)
    throw std::runtime_error("expected nothing after the last part, found " + std::to_string(in.left()) +
                             " bytes");
  check(body);
  return body;
}

void write_sdf_file(const SdfBody& body, const std::filesystem::path& path) {
  const std::vector<unsigned char> bytes = sdf_to_bytes(body);
  files::write_whole_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

SdfBody read_sdf_file(const std::filesystem::path& path) {
  const std::string text = files::read_whole_file(path);
  const std::span bytes(reinterpret_cast<const unsigned char*>(text.data()), text.size());
  try {
    return sdf_from_bytes(bytes);
  } catch (const std::runtime_error& e) {
    throw std::runtime_error(path.string() + ": " + e.what());
  }
}

}  // namespace billow::fit
