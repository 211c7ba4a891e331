// A crowd in capes, in a render loop as engines have one: characters beyond the picture's edge are simulated but not expanded, those far
// away are computed less often and drawn with a coarser mesh of some of the vertices, and all go into vertex buffers of half floats. Stands in for a GPU: a few
// lines that fill triangles. Writes the last frame as a picture.
//
//     example_render_loop [GARMENT.billow [PICTURE.ppm]]
#include <algorithm>
#include <array>
#include <billow/billow.hpp>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

constexpr int kWidth = 640, kHeight = 360, kFrames = 45;
constexpr uint32_t kCharacters = 9;
constexpr float kFar = 8;  // m from the camera, from which on the coarser mesh will do

void check(billow::Status status) {
  if (status) return;
  std::fprintf(stderr, "billow: %s\n", status.message());
  std::exit(EXIT_FAILURE);
}

// What a GPU would be given: 20 bytes a vertex.
struct Vertex {
  uint16_t position[3];  // from where the character stands
  uint16_t normal[3], tangent[4];
};

// Some of the garment's vertices, and triangles between them.
struct Mesh {
  std::vector<uint32_t> vertices, triangles;
};

Mesh whole_mesh(const billow::Garment& garment) {
  Mesh mesh;
  for (uint32_t v = 0; v < garment.vertex_count(); ++v) mesh.vertices.push_back(v);
  mesh.triangles.resize(3 * garment.triangle_count());
  check(garment.triangles(mesh.triangles));
  return mesh;
}

// One vertex for each square of the pattern. Any tool that makes coarse meshes of given vertices serves as well.
Mesh coarse_mesh(const billow::Garment& garment, const Mesh& whole, float square) {
  std::vector<float> uvs(2 * garment.vertex_count());
  check(billow_garment_get_uvs(garment.get(), uvs.data(), garment.vertex_count()));
  std::map<std::pair<int, int>, uint32_t> chosen;
  std::vector<uint32_t> stands_for;
  Mesh mesh;
  for (uint32_t v = 0; v < garment.vertex_count(); ++v) {
    const std::pair cell(static_cast<int>(std::floor(uvs[2 * v] / square)),
                         static_cast<int>(std::floor(uvs[2 * v + 1] / square)));
    const auto [at, is_new] = chosen.try_emplace(cell, static_cast<uint32_t>(mesh.vertices.size()));
    if (is_new) mesh.vertices.push_back(v);
    stands_for.push_back(at->second);
  }
  for (size_t t = 0; t < whole.triangles.size(); t += 3) {
    const uint32_t a = stands_for[whole.triangles[t]], b = stands_for[whole.triangles[t + 1]],
                   c = stands_for[whole.triangles[t + 2]];
    if (a != b && b != c && c != a) mesh.triangles.insert(mesh.triangles.end(), {a, b, c});
  }
  return mesh;
}

// The engine's threads.
void run_on_threads(void*, billow_job job, void* data, uint32_t count) {
  std::vector<std::thread> threads;
  for (uint32_t k = 0; k < count; ++k) threads.emplace_back(job, data, k);
  for (std::thread& t : threads) t.join();
}

struct Character {
  billow::Instance cape;
  std::array<float, 3> place{};  // the character's origin in the world
  std::vector<billow::Transform> joints;
  std::vector<Vertex> buffer;
  const Mesh* drawn = nullptr;  // null: not seen
};

// Walks away from the camera, bobbing. An engine's animation goes here.
void animate(Character& c, const std::vector<billow::Transform>& rest, uint32_t number, float seconds) {
  const float row = static_cast<float>(number / 3), column = static_cast<float>(number % 3);
  c.place = {3.4f * column - 2.2f, 0.03f * std::fabs(std::sin(6 * seconds)), -3 * row - 2 * seconds};
  // At rest characters look along +z: half a turn about y.
  c.joints = rest;
  for (billow::Transform& j : c.joints) {
    const float x = j.position[0], z = j.position[2];
    j.position[0] = c.place[0] - x, j.position[1] += c.place[1], j.position[2] = c.place[2] - z;
    const float turned[4] = {j.rotation[2], j.rotation[3], -j.rotation[0], -j.rotation[1]};
    std::copy_n(turned, 4, j.rotation);
  }
}

// The mesh of the last frame into the character's vertex buffer.
void fill_buffer(Character& c) {
  c.buffer.resize(c.drawn->vertices.size());
  billow_output outputs[3] = {};
  for (billow_output& o : outputs) {
    o.format = BILLOW_FORMAT_FLOAT16;
    o.stride = sizeof(Vertex), o.capacity = static_cast<uint32_t>(c.buffer.size());
    o.vertices = c.drawn->vertices.data(), o.vertex_count = static_cast<uint32_t>(c.drawn->vertices.size());
  }
  outputs[0].attribute = BILLOW_ATTRIBUTE_POSITION, outputs[0].out = c.buffer[0].position;
  std::copy_n(c.place.data(), 3, outputs[0].origin);
  outputs[1].attribute = BILLOW_ATTRIBUTE_NORMAL, outputs[1].out = c.buffer[0].normal;
  outputs[2].attribute = BILLOW_ATTRIBUTE_TANGENT, outputs[2].out = c.buffer[0].tangent;
  check(c.cape.write(outputs));
}

float from_half(uint16_t half) {
  const float size = std::bit_cast<float>((half & 0x7fffu) << 13) * 0x1p112f;
  return half & 0x8000u ? -size : size;
}

// Stands in for a GPU.
class Picture {
 public:
  struct Corner {
    float x, y, depth, light;
  };
  void draw(const Character& c) {
    std::vector<Corner> corners;
    for (const Vertex& v : c.buffer) {
      const float x = from_half(v.position[0]) + c.place[0], y = from_half(v.position[1]) + c.place[1],
                  depth = kCamera - from_half(v.position[2]) - c.place[2], scale = kZoom / depth;
      const float light =
          0.35f + 0.65f * std::fabs(0.5f * from_half(v.normal[1]) + 0.8f * from_half(v.normal[2]));
      corners.push_back({kWidth / 2 + scale * x, kHeight / 2 - scale * (y - 1.1f), depth, light});
    }
    for (size_t t = 0; t < c.drawn->triangles.size(); t += 3)
      fill(corners[c.drawn->triangles[t]], corners[c.drawn->triangles[t + 1]],
           corners[c.drawn->triangles[t + 2]]);
  }
  size_t covered() const {
    return static_cast<size_t>(
        std::count_if(depth_.begin(), depth_.end(), [](float d) { return d < kNone; }));
  }
  bool save(const char* path) const {
    std::FILE* file = std::fopen(path, "wb");
    if (!file) return false;
    std::fprintf(file, "P6 %d %d 255\n", kWidth, kHeight);
    for (const float light : light_) {
      const auto level = [&](float most) { return static_cast<unsigned char>(most * light); };
      const unsigned char pixel[3] = {level(200), level(60), level(70)};
      std::fwrite(pixel, 1, 3, file);
    }
    return std::fclose(file) == 0;
  }
  static constexpr float kCamera = 4, kZoom = 500;  // m behind the first row; pixels a metre at 1 m

 private:
  void fill(const Corner& a, const Corner& b, const Corner& c) {
    const float area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
    const int left = std::max(0, static_cast<int>(std::min({a.x, b.x, c.x}))),
              right = std::min(kWidth - 1, static_cast<int>(std::max({a.x, b.x, c.x}))),
              top = std::max(0, static_cast<int>(std::min({a.y, b.y, c.y}))),
              bottom = std::min(kHeight - 1, static_cast<int>(std::max({a.y, b.y, c.y})));
    for (int y = top; y <= bottom && area != 0; ++y)
      for (int x = left; x <= right; ++x) {
        const float px = static_cast<float>(x) + 0.5f, py = static_cast<float>(y) + 0.5f;
        const float of_b = ((px - a.x) * (c.y - a.y) - (c.x - a.x) * (py - a.y)) / area,
                    of_c = ((b.x - a.x) * (py - a.y) - (px - a.x) * (b.y - a.y)) / area,
                    of_a = 1 - of_b - of_c;
        const size_t at = static_cast<size_t>(y * kWidth + x);
        const float depth = of_a * a.depth + of_b * b.depth + of_c * c.depth;
        if (of_a < 0 || of_b < 0 || of_c < 0 || depth > depth_[at]) continue;
        depth_[at] = depth;
        light_[at] = of_a * a.light + of_b * b.light + of_c * c.light;
      }
  }
  static constexpr float kNone = 1e9f;
  std::vector<float> depth_ = std::vector<float>(kWidth * kHeight, kNone);
  std::vector<float> light_ = std::vector<float>(kWidth * kHeight, 0.15f);
};

struct Counts {
  size_t unseen = 0, coarse = 0, inside = 0;
};

// One frame of everybody: where they are, what of them is seen, the step, and the vertex buffers.
void play(std::vector<Character>& crowd, const std::vector<billow::Transform>& rest, const Mesh& whole,
          const Mesh& coarse, float seconds, Counts& counts) {
  std::vector<billow_instance*> instances;
  std::vector<billow_frame> frames;
  std::vector<billow_view> views;
  for (Character& c : crowd) {
    animate(c, rest, static_cast<uint32_t>(&c - crowd.data()), seconds);
    const float depth = Picture::kCamera - c.place[2];
    c.drawn = std::fabs(c.place[0]) > 0.64f * depth + 0.7f ? nullptr : depth > kFar ? &coarse : &whole;
    billow_frame frame{};
    frame.dt = 1.0f / 60;
    frame.joints = c.joints.data(), frame.joint_count = static_cast<uint32_t>(c.joints.size());
    instances.push_back(c.cape.get()), frames.push_back(frame);
    views.push_back({depth, c.drawn != nullptr});
  }
  check(billow::choose_levels(instances, frames, views));
  const billow_jobs jobs{run_on_threads, nullptr};
  check(billow_crowd_step(instances.data(), frames.data(), static_cast<uint32_t>(frames.size()), &jobs));
  for (Character& c : crowd) {
    counts.unseen += c.drawn == nullptr, counts.coarse += c.drawn == &coarse;
    if (!c.drawn) continue;
    fill_buffer(c);
    counts.inside += c.cape.report().inside;
  }
}

int main(int count, char** arguments) {
  const char* file = count > 1 ? arguments[1] : "assets/cape.billow";
  auto loaded = billow::Garment::load(file);
  check(loaded.status());
  const billow::Garment garment = std::move(loaded).value();
  std::vector<billow::Transform> rest(garment.joint_count());
  check(billow_garment_get_joint_rest(garment.get(), rest.data(), garment.joint_count()));
  const Mesh whole = whole_mesh(garment), coarse = coarse_mesh(garment, whole, 0.04f);

  std::vector<Character> crowd(kCharacters);
  for (Character& c : crowd) {
    auto made = billow::Instance::create(garment);
    check(made.status());
    c.cape = std::move(made).value();
  }
  Counts counts;
  Picture picture;
  for (int frame = 0; frame < kFrames; ++frame) {
    play(crowd, rest, whole, coarse, static_cast<float>(frame) / 60, counts);
    picture = Picture();
    for (const Character& c : crowd)
      if (c.drawn) picture.draw(c);
  }
  std::printf(
      "%d frames of %u characters: %zu not seen, %zu with %zu vertices instead of %zu, %zu vertices inside; "
      "%zu pixels are cloth\n",
      kFrames, kCharacters, counts.unseen, counts.coarse, coarse.vertices.size(), whole.vertices.size(),
      counts.inside, picture.covered());
  if (count > 2 && !picture.save(arguments[2])) return EXIT_FAILURE;
  const bool as_meant =
      counts.inside == 0 && counts.unseen > 0 && counts.coarse > 0 && picture.covered() > 500;
  return as_meant ? EXIT_SUCCESS : EXIT_FAILURE;
}
