// What README.md and billow.hpp show, in a program that runs: a cape on a character that walks in a circle, and a chain.
#include <billow/billow.hpp>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

namespace {

// A renderer would take them from here.
void draw(std::span<const float> positions, std::span<const float> normals) {
  static int frame = 0;
  if (frame++ % 20 == 0)
    std::printf("frame %2d: first vertex at %6.3f %6.3f %6.3f, %zu normals\n", frame,
                static_cast<double>(positions[0]), static_cast<double>(positions[1]),
                static_cast<double>(positions[2]), normals.size() / 3);
}

int report(const char* message) {
  std::fprintf(stderr, "%s\n", message);
  return 1;
}

int dress_a_character() {
  auto garment = billow::Garment::load("assets/cape.billow").value();  // once, shared by all characters
  auto cape = billow::Instance::create(garment).value();               // once per character

  std::vector<billow::Transform> rest(garment.joint_count()), joints;
  if (billow_garment_get_joint_rest(garment.get(), rest.data(), garment.joint_count()) != BILLOW_OK)
    return report(billow_last_error());
  const float dt = 1.0f / 60;
  for (int frame = 0; frame < 60; ++frame) {
    joints = rest;
    for (billow::Transform& j : joints) j.position[2] += 1.4f * dt * static_cast<float>(frame);
    // Every frame: the garment's joints in world space.
    if (auto status = cape.step(dt, joints); !status) return report(status.message());
    draw(cape.positions(), cape.normals());
  }
  // Too few joints are an error that names them, not a wrong picture.
  if (auto status = cape.step(dt, std::span(joints).first(1)); status)
    return report("expected a refusal of one joint");
  return 0;
}

int hang_a_chain() {
  const uint32_t bones = 3;
  const float rest[] = {0, 0, 0, 0, -0.1f, 0, 0, -0.2f, 0};
  billow_chains_desc description{};
  description.chain_count = 1;
  description.bone_counts = &bones;
  description.rest_positions = rest;
  billow::Chains chains = billow::Chains::create(description).value();
  const std::vector<billow::Transform> roots = {billow::translation(0, 1, 0)};
  if (auto status = chains.step(1.0f / 60, roots); !status) std::puts(status.message());
  return chains.bone_count() == bones ? 0 : report("expected three bones");
}

}  // namespace

int main() { return dress_a_character() + hang_a_chain(); }
