#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "files/whole_file.h"
#include "fit/sdf_body.h"

namespace billow::fit {
namespace {

static_assert(std::endian::native == std::endian::little, "the file holds numbers as this machine does");

constexpr char kMagic[8] = {'b', 'i', 'l', 'l', 'o', 'w', 's', 'd'};
constexpr uint32_t kVersion = 1, kGrid = 1, kNetwork = 2;
constexpr size_t kLongestName = 255;

struct Header {
  char magic[8];
  uint32_t version, parts;
  uint64_t size, hash;  // of all that follows
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
    bytes_.resize((bytes_.size() + 3) / 4 * 4);  // numbers stand at multiples of four
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
    const size_t wanted = count * sizeof(T), padded = (wanted + 3) / 4 * 4;
    if (padded > bytes_.size() - at_)
      throw std::runtime_error(std::string(what) + ": expected " + std::to_string(padded) + " bytes at " +
                               std::to_string(sizeof(Header) + at_) + ", found " +
                               std::to_string(bytes_.size() - at_));
    std::memcpy(values, bytes_.data() + at_, wanted);
    at_ += padded;
  }
  template <class T> T get(const char* what) {
    T value;
    get(&value, 1, what);
    return value;
  }
  // A number of things that each take some bytes, which must be there before room is made for them.
  size_t count(size_t things, size_t size, const char* what) const {
    if (things > (bytes_.size() - at_) / size)
      throw std::runtime_error(std::string(what) + ": expected at most " +
                               std::to_string((bytes_.size() - at_) / size) + ", found " +
                               std::to_string(things));
    return things;
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
  const uint32_t letters = in.get<uint32_t>("length of a name");
  if (letters > kLongestName)
    throw std::runtime_error("length of a name: expected at most 255, found " + std::to_string(letters));
  part.name.resize(in.count(letters, 1, "name"));
  in.get(part.name.data(), letters, "name");
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

// The API's own checks: ranges, finite numbers, surfaces inside their grids.
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
    throw std::runtime_error("expected the signed distances of a body, found something else");
  if (header.version != kVersion)
    throw std::runtime_error("expected version 1, found " + std::to_string(header.version));
  if (header.size != payload.size())
    throw std::runtime_error("expected " + std::to_string(header.size) + " bytes after the header, found " +
                             std::to_string(payload.size()));
  if (header.hash != hash_of(payload))
    throw std::runtime_error("expected other bytes: the checksum does not match");
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
