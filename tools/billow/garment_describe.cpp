// `billow garment describe`: turns a mesh into a garment.
#include "garment_describe.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>

#include "cache/cache.h"
#include "character/clothed_character.h"
#include "character_options.h"
#include "cloth/sheet.h"
#include "contacts_option.h"
#include "files.h"
#include "garment/attach.h"
#include "garment/garment_file.h"
#include "garment/layout_chains.h"
#include "garment/mesh_file.h"
#include "garment/place.h"
#include "garment/ssdr.h"
#include "import/character.h"
#include "motion/human.h"
#include "progress.h"

namespace billow::tool {
namespace {

using garment::Garment;
using garment::GarmentMesh;

struct DescribeOptions {
  std::string mesh, out, name, material = "cotton", contacts;
  std::string attach, group, part, near, key;
  CharacterOptions character;
  float above = NAN, reach = 0.05f, uv_scale = 0, edges = 0;
  garment::Placement placement;
  std::array<float, 3> move{};
  bool weld = false, drape = false, fit = false, body_weights = false;
  garment::ChainOptions chains;
  std::vector<std::string> manual_chains, nodes;
  std::string frames;
  size_t ssdr = 0;
};

struct MeshOfFile {
  GarmentMesh mesh;
  importer::Character character;  // of a file that has joints: the mesh's own weights
};

MeshOfFile read_mesh(const DescribeOptions& options) {
  std::string extension = std::filesystem::path(options.mesh).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  if (extension == ".obj") return {garment::read_obj(options.mesh), {}};
  // The importer keeps neither UVs nor group and material names.
  importer::Character file = importer::read_character(options.mesh, {.only = options.nodes});
  if (file.skin.mesh.triangles.empty())
    throw std::runtime_error(options.mesh + ": expected a mesh, found none");
  GarmentMesh mesh;
  mesh.positions = file.skin.mesh.positions;
  mesh.triangles = file.skin.mesh.triangles;
  mesh.notes = std::move(file.notes);
  return {std::move(mesh), std::move(file)};
}

// A mesh of the character's own file, or made for its skeleton, is skinned as its author meant it: a cape to the chest, not to the
// arms that happen to be near.
// None with --weld, which joins vertices of different weights.
std::optional<body::Skin> weights_of(const DescribeOptions& o, MeshOfFile& file, const body::Skeleton& to) {
  if (o.body_weights || file.mesh.positions.size() != file.character.skin.mesh.positions.size())
    return std::nullopt;
  file.character.skin.mesh.positions = file.mesh.positions;
  return garment::own_weights(std::move(file.character.skin), file.character.skeleton, to);
}

// Uses the UVs as the flat pattern if they are in metres: if the median edge is about as long in UV as in the mesh.
void set_pattern_from_uvs(const GarmentMesh& mesh, const DescribeOptions& options, Garment& g) {
  if (mesh.uv.empty()) return;
  std::vector<float> ratios;
  for (const garment::Triangle& t : mesh.triangles)
    for (size_t k = 0; k < 3; ++k) {
      const uint32_t a = t[k], b = t[(k + 1) % 3];
      const float edge = length(mesh.positions[b] - mesh.positions[a]);
      if (edge > 0)
        ratios.push_back(std::hypot(mesh.uv[b][0] - mesh.uv[a][0], mesh.uv[b][1] - mesh.uv[a][1]) / edge);
    }
  if (ratios.empty()) return;
  std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2),
                   ratios.end());
  const float ratio = ratios[ratios.size() / 2];
  if (!(ratio > 0)) return;  // placeholders
  if (options.uv_scale > 0 || (ratio > 0.85f && ratio < 1.18f)) {
    const float scale = options.uv_scale > 0 ? options.uv_scale : 1;
    for (const auto& uv : mesh.uv) g.pattern_uvs.push_back({scale * uv[0], scale * uv[1]});
    std::printf("UV are the flat pattern: edges are %.3f times as long in it\n",
                static_cast<double>(scale * ratio));
  } else {
    std::printf(
        "note: UV are not in metres (edges are %.3g times as long in them), so the cloth is cut as modelled; "
        "--uv-scale takes them as the pattern\n",
        static_cast<double>(ratio));
  }
}

garment::Region region_of(const GarmentMesh& mesh, GivenCharacter& character, const DescribeOptions& o) {
  if (!o.group.empty()) return garment::region_of_group(mesh, o.group);
  if (!o.part.empty()) return garment::region_of_material(mesh, o.part);
  if (!o.near.empty()) {
    static_cast<void>(character.skeleton().at(o.near));
    return garment::region_near_joint(mesh, character.skeleton(), character.skin(), o.near, o.reach);
  }
  const float height = std::isnan(o.above) ? garment::attach_height(character.skeleton(), o.attach) : o.above;
  std::printf("attached above %.3f m\n", static_cast<double>(height));
  return garment::region_above(mesh, height);
}

void place_mesh(const DescribeOptions& o, GivenCharacter& character, GarmentMesh& mesh) {
  garment::Placement placement = o.placement;
  placement.move = {o.move[0], o.move[1], o.move[2]};
  float top = 0;
  for (const V3& p : character.skin().mesh.positions) top = std::max(top, p.y);
  const float unit = garment::place(mesh, placement, top);
  if (placement.scale == 0 && unit != 1)
    std::printf("note: the mesh is too %s for metres, so a unit is taken as %g m; --scale says otherwise\n",
                unit < 1 ? "large" : "small", static_cast<double>(unit));
}

// Throws for a garment that cannot be worn as it lies, which the simulation would say only after hours.
void fit_mesh(const DescribeOptions& o, const garment::Region& region, const body::Skin& skin, Garment& g) {
  const auto mm = [](float metres) { return 1000 * static_cast<double>(metres); };
  if (o.fit)
    std::printf("fitted to the body: vertices moved by up to %.0f mm\n",
                mm(garment::fit_on_body(g.shape, g.triangles, region, skin.mesh)));
  const garment::Fit fit = garment::measure_fit(g.shape, region, skin.mesh);
  std::printf(
      "attached vertices are %.0f mm from the skin on average, %.0f at most; %zu of %zu others lie in the "
      "body, %.0f mm deep at most\n",
      mm(fit.gap), mm(fit.farthest), fit.inside, fit.free, mm(std::max(0.0f, fit.deepest)));
  constexpr float kFar = 0.1f;   // m, of the seam from the skin on average
  constexpr size_t kInside = 3;  // one in so many free vertices may lie in the body
  char text[300];
  if (fit.gap > kFar)
    std::snprintf(
        text, sizeof text,
        "expected its attached vertices on the body, found them %.2f m away on average: --move, --turn and "
        "--scale place it",
        static_cast<double>(fit.gap));
  else if (fit.inside * kInside > fit.free)
    std::snprintf(
        text, sizeof text,
        "expected cloth around the body, found %zu of %zu vertices up to %.0f mm inside it: --fit grows it, "
        "--scale and --move place it",
        fit.inside, fit.free, mm(fit.deepest));
  else
    return;
  throw std::runtime_error(o.mesh + ": " + text);
}

// The joint with the largest summed weight over the seam: attached vertices of triangles that have a free vertex.
std::string joint_of_seam(const Garment& g, const body::Skeleton& skeleton) {
  std::vector<bool> attached(g.size(), false), on_seam(g.size(), false);
  for (const garment::Attachment& a : g.attachments) attached[a.vertex] = true;
  for (const garment::Triangle& t : g.triangles)
    if (!attached[t[0]] || !attached[t[1]] || !attached[t[2]])
      for (const uint32_t v : t) on_seam[v] = true;
  std::vector<double> joint_weight(skeleton.size(), 0);
  for (const garment::Attachment& a : g.attachments)
    for (size_t k = 0; k < a.joints.size() && on_seam[a.vertex]; ++k)
      joint_weight[a.joints[k]] += static_cast<double>(a.weights[k]);
  return skeleton
      .joints[static_cast<size_t>(std::max_element(joint_weight.begin(), joint_weight.end()) -
                                  joint_weight.begin())]
      .name;
}

// Default key joint: the hips for garments attached at the waist, the neck for those at neck or shoulders, else the
// dominant joint of the seam.
std::string key_joint(const DescribeOptions& o, const Garment& g, const body::Skeleton& skeleton) {
  if (!o.key.empty()) return skeleton.joints[static_cast<size_t>(skeleton.at(o.key))].name;
  if (o.attach.empty()) return joint_of_seam(g, skeleton);
  const motion::Human human = motion::find_human(skeleton);
  int joint = human.of(o.attach == "waist" ? motion::Part::hips : motion::Part::neck);
  if (joint == body::kNoJoint) joint = human.of(motion::Part::chest);
  return joint == body::kNoJoint ? joint_of_seam(g, skeleton)
                                 : skeleton.joints[static_cast<size_t>(joint)].name;
}

// Throws if the output would overwrite the input mesh.
void check_not_overwritten(const std::filesystem::path& read, const std::filesystem::path& written) {
  std::error_code error;
  if (std::filesystem::equivalent(read, written, error))
    throw std::runtime_error(written.string() +
                             " would be written over; give the garment another name with -o");
}

// Parses the --chain options: comma-separated vertex indices.
std::vector<std::vector<uint32_t>> parse_chains(const std::vector<std::string>& texts) {
  std::vector<std::vector<uint32_t>> out;
  for (const std::string& text : texts) {
    out.emplace_back();
    const char *at = text.data(), *end = at + text.size();
    while (at < end) {
      uint32_t vertex = 0;
      const auto [next, error] = std::from_chars(at, end, vertex);
      if (error != std::errc() || (next < end && *next != ','))
        throw CLI::ValidationError("--chain",
                                   "expected vertices like 1,5,9 (counted from 0), found '" + text + "'");
      out.back().push_back(vertex);
      at = next < end ? next + 1 : end;
    }
  }
  return out;
}

// Positions of all frames, one frame after the other, from a .npy file or another tool's mesh cache.
std::vector<V3> read_frames(const DescribeOptions& o, size_t vertices) {
  const auto check_vertices = [&](size_t found) {
    if (found != vertices)
      throw std::runtime_error(o.frames + ": expected " + std::to_string(vertices) +
                               " vertices a frame, found " + std::to_string(found));
  };
  if (std::filesystem::path(o.frames).extension() == ".npy") {
    garment::NpyPositions frames = garment::read_npy_positions(o.frames);
    check_vertices(frames.shape.size() == 3 ? frames.shape[1] : frames.shape[0]);
    return std::move(frames.positions);
  }
  const std::unique_ptr<cache::Reader> frames =
      cache::open_cache(o.frames, {.scale = o.placement.scale > 0 ? o.placement.scale : 1});
  check_vertices(frames->info().topology.vertices);
  std::vector<V3> out(vertices * frames->info().frames);
  for (size_t f = 0; f < frames->info().frames; ++f)
    frames->read(f, std::span(out).subspan(f * vertices, vertices));
  return out;
}

// Extracts bones from simulated frames by SSDR, instead of chains. These bones are embedded in the cloth; no chain
// simulates them.
void extract_ssdr_bones(const DescribeOptions& o, Garment& g) {
  const std::vector<V3> frames = read_frames(o, g.size());
  Progress progress("decomposing");
  const garment::Ssdr found = garment::decompose(
      g.shape, g.triangles, frames, {.bones = o.ssdr, .report = [&](double share) { progress(share); }});
  g.bones = found.embeddings;
  g.chains.clear();
  g.closed = false;
  std::printf("%zu bones from %zu frames: rms %.2f mm\n", g.bones.size(), frames.size() / g.size(),
              1000 * found.rms);
}

void describe(const DescribeOptions& o) {
  const int attachment_options =
      !o.attach.empty() + !o.group.empty() + !o.part.empty() + !o.near.empty() + !std::isnan(o.above);
  if (attachment_options != 1)
    throw CLI::ValidationError("describe",
                               "expected one of --attach, --group, --part, --above and --near, found " +
                                   std::to_string(attachment_options));
  if ((o.ssdr > 0) != !o.frames.empty())
    throw CLI::ValidationError("describe", "--ssdr and --frames go together");
  const std::vector<std::vector<uint32_t>> manual_chains = parse_chains(o.manual_chains);
  const std::string name = o.name.empty() ? std::filesystem::path(o.mesh).stem().string() : o.name;
  const std::filesystem::path out = o.out.empty() ? name + ".json" : o.out;
  check_not_overwritten(o.mesh, garment::mesh_file_of(out));
  MeshOfFile file = read_mesh(o);
  GarmentMesh& mesh = file.mesh;
  if (o.weld) std::printf("%zu vertices joined with others\n", garment::weld(mesh));
  for (const std::string& note : mesh.notes) std::printf("note: %s\n", note.c_str());
  GivenCharacter character(o.character);
  place_mesh(o, character, mesh);
  const std::optional<body::Skin> own = weights_of(o, file, character.skeleton());
  if (own)
    std::printf(
        "attached vertices have the weights of the mesh file; --body-weights takes those of the skin\n");
  if (o.edges > 0) {
    const size_t before = mesh.positions.size();
    garment::refine(mesh, o.edges);
    if (mesh.positions.size() > before)
      std::printf("refined from %zu to %zu vertices\n", before, mesh.positions.size());
  }
  if (o.drape) static_cast<void>(character.body());
  if (!o.key.empty()) static_cast<void>(character.skeleton().at(o.key));

  Garment g;
  g.name = name;
  g.material = o.material;
  g.shape = mesh.positions;
  g.triangles = mesh.triangles;
  set_pattern_from_uvs(mesh, o, g);
  const garment::Region region = region_of(mesh, character, o);
  fit_mesh(o, region, character.skin(), g);
  garment::attach_region(g, region, own ? *own : character.skin());
  g.key_joint = key_joint(o, g, character.skeleton());
  if (o.ssdr > 0) {
    extract_ssdr_bones(o, g);
  } else {
    const std::vector<std::string> notes =
        manual_chains.empty() ? layout_chains(g, o.chains) : layout_chains(g, manual_chains);
    for (const std::string& note : notes) std::printf("note: %s\n", note.c_str());
  }
  if (const cloth::Sheet sheet = character::sheet_of(g); sheet.softened_hinges > 0)
    std::printf(
        "note: %zu of %zu edges are at slivers of the mesh, where the reference cloth bends more easily\n",
        sheet.softened_hinges, sheet.edges.size());
  g.contacts = o.contacts.empty() ? garment::default_contacts(g) : contacts_option(o.contacts);
  if (o.drape) drape_on(g, character.body(), 0);
  if (out.has_parent_path()) make_folder(out.parent_path());
  garment::write_garment_file(g, character.skeleton(), out);
  const size_t simulated = garment::simulated_bones(g);
  std::printf(
      "%s: %zu vertices, %zu triangles, %zu attached; %zu chains%s, %zu bones of which %zu are simulated",
      g.name.c_str(), g.size(), g.triangles.size(), g.attachments.size(), g.chains.size(),
      g.closed ? " closed to a ring" : "", g.bones.size(), simulated);
  if (simulated > 0)
    std::printf(" (%.0f times fewer degrees of freedom)",
                static_cast<double>(g.size()) / static_cast<double>(simulated));
  std::printf("; follows %s\n%s\n", g.key_joint.c_str(), out.string().c_str());
}

void add_attachment_options(CLI::App* command, DescribeOptions& o) {
  constexpr const char* kGroup = "Attachment (give one)";
  command->add_option("--attach", o.attach, "Attach vertices above the character's waist, neck or shoulders")
      ->check(CLI::IsMember(garment::attachment_sites()))
      ->group(kGroup);
  command->add_option("--above", o.above, "Attach vertices above this height, in metres")->group(kGroup);
  command->add_option("--group", o.group, "Attach the faces of this group or object")->group(kGroup);
  command->add_option("--material", o.part, "Attach the faces of this material")->group(kGroup);
  command->add_option("--near", o.near, "Attach vertices within --reach of the skin of this joint")
      ->group(kGroup);
  command->add_option("--reach", o.reach, "Distance in metres for --near")
      ->check(CLI::Range(0.001f, 10.0f))
      ->capture_default_str()
      ->group(kGroup);
}

void add_placing_options(CLI::App* command, DescribeOptions& o) {
  constexpr const char* kGroup = "Placing, in this order";
  command
      ->add_option("--scale", o.placement.scale,
                   "Metres per unit of the mesh file; default: 1, or a guess where that is no garment")
      ->check(CLI::Range(1e-6f, 1e6f))
      ->group(kGroup);
  command->add_flag("--z-up", o.placement.z_up, "The mesh has z up")->group(kGroup);
  command->add_option("--turn", o.placement.turn, "Degrees about the vertical, counter-clockwise from above")
      ->check(CLI::Range(-360.0f, 360.0f))
      ->group(kGroup);
  command->add_option("--move", o.move, "Metres to the character's left, up and ahead: --move 0 0.1 -0.02")
      ->group(kGroup);
  command
      ->add_flag(
          "--fit", o.fit,
          "Draw attached cloth onto the skin and cloth that lies in the body out of it; the rest follows")
      ->group(kGroup);
}

void add_bone_options(CLI::App* command, DescribeOptions& o) {
  command->add_option("--chains", o.chains.chains, "Number of chains")
      ->check(CLI::Range(size_t{1}, garment::kMaxChains))
      ->capture_default_str();
  auto* bones = command->add_option("--bones", o.chains.bones, "Number of simulated bones per chain")
                    ->check(CLI::Range(size_t{1}, garment::kMaxBonesOfChain))
                    ->capture_default_str();
  command->add_option("--spacing", o.chains.spacing, "Distance between bones in metres, instead of --bones")
      ->check(CLI::Range(0.001f, 10.0f))
      ->excludes(bones);
  command
      ->add_option("--chain", o.manual_chains,
                   "Chain through these vertices (indices from 0, seam to hem), instead of automatic ones; "
                   "may be repeated")
      ->type_name("V,V,V...");
  command->add_option("--ssdr", o.ssdr, "Number of bones to extract from --frames by SSDR, instead of chains")
      ->check(CLI::Range(1, 10000));
  command->add_option("--frames", o.frames,
                      "Animated cloth for --ssdr: a cache (.pc2, .mdd, .glb, cloth_####.obj), or a .npy of "
                      "float32, frames x vertices x 3");
}

}  // namespace

void add_garment_describe(CLI::App* garment_command) {
  auto o = std::make_shared<DescribeOptions>();
  CLI::App* command = garment_command->add_subcommand(
      "describe",
      "Turn a mesh into a garment: attach it to the body, and lay chains of bones from the seam to the hem");
  command
      ->add_option("mesh", o->mesh,
                   "Mesh file: .obj, or .glb, .gltf, .fbx, .dae (of which groups and UVs are not read)")
      ->required();
  add_attachment_options(command, *o);
  add_bone_options(command, *o);
  command->add_option("--key", o->key,
                      "Key joint: the cloth is learnt relative to its motion; default: hips or neck with "
                      "--attach, else the joint that the seam follows");
  command->add_option("--name", o->name, "Name of the garment; default: the file's name");
  command->add_option("--contacts", o->contacts, kContactsHelp);
  command->add_option("--cloth", o->material, "Fabric of the reference cloth")
      ->check(CLI::IsMember(cloth::material_names()))
      ->capture_default_str();
  add_character_options(*command, o->character);
  command->add_option(
      "--node", o->nodes,
      "Name of the node whose mesh is the garment, of a file that has others; may be repeated");
  add_placing_options(command, *o);
  command->add_option("--edges", o->edges, "Split triangles until no edge is longer than this, in metres")
      ->check(CLI::Range(0.001f, 10.0f));
  command
      ->add_option("--uv-scale", o->uv_scale,
                   "Use the UVs as the flat pattern, with this many metres per UV unit")
      ->check(CLI::Range(1e-6f, 1e6f));
  command->add_flag(
      "--body-weights", o->body_weights,
      "Attached vertices follow the joints of the skin next to them, even where the mesh file has "
      "weights for the character's joints");
  command->add_flag("--weld", o->weld, "Merge vertices at the same position");
  command->add_flag("--drape", o->drape, "Simulate the drape on the character and store it");
  command->add_option("-o,--out", o->out,
                      "Garment description to write (.json), with the mesh next to it; default: NAME.json");
  command->footer(
      "Examples\n"
      "  billow garment describe dress.obj --attach waist --chains 26 --bones 9 -o dress.json\n"
      "  billow garment describe dress.obj --above 1.05 --spacing 0.06 --scale 0.01\n"
      "  billow garment describe coat.obj --group collar --key chest --character hero.glb\n"
      "  billow garment describe flag.obj --material pole --chain 0,12,24 --chain 4,16,28\n"
      "  billow garment describe dress.obj --attach waist --ssdr 60 --frames simulated.pc2\n");
  command->callback([o] { describe(*o); });
}

}  // namespace billow::tool
