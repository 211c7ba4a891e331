// `billow figures garments`: cloth and chains of both garments (paper: Figure pendsetup).
#include "body/postures.h"
#include "garment/tailor.h"
#include "pack/garment_asset.h"
#include "research/figures/figures.h"
#include "tools/billow/picture.h"

namespace billow::tool {
namespace {

// The garment of the file; without a file the built-in garment, undraped.
garment::Garment garment_of(const std::filesystem::path& file, const char* name, bool& draped) {
  draped = !file.empty();
  if (draped) return pack::read_garment_asset(file).garment;
  const body::Person person = body::make_person();
  return garment::make_garment(name, person, body::make_skin(person));
}

}  // namespace

Figure figure_garments(const FigureInputs& inputs) {
  Figure figure;
  const dataset::OwnedCharacterBody character_body = dataset::person_as_character_body("average");
  const DrawnBody body(character_body);
  const std::vector<Transform> joints = body::rest_transforms(character_body.skeleton);
  std::vector<draw::Image> panels;
  for (const auto& [name, file] : {std::pair{"cape", inputs.garment}, {"skirt", inputs.skirt}}) {
    bool draped = false;
    const garment::Garment g = garment_of(file, name, draped);
    const std::vector<V3>& cloth = draped ? g.rest : g.shape;
    std::vector<V3> bones(g.bones.size());
    garment::bone_positions(g, cloth, bones);
    PictureStyle style = style_for(g);
    style.width = 460, style.height = 600, style.distance = 3.9f, style.look_at = 0.85f, style.behind = 0;
    if (inputs.quick) style.width = 138, style.height = 180, style.rays = 2;
    for (const bool chains : {false, true}) {
      Picture picture(style, body, joints);
      picture.add_cloth({&cloth[0].x, 3 * cloth.size()}, g.triangles, chains ? 0.25f : 1);
      if (chains) picture.add_chains(g, bones);
      panels.push_back(picture.make(following(joints)));
    }
    const size_t simulated = garment::simulated_bones(g);
    figure.numbers[name] = {
        {"vertices", g.size()},
        {"chains", g.chains.size()},
        {"bones", g.bones.size()},
        {"simulated_bones", simulated},
        {"vertices_a_simulated_bone", static_cast<double>(g.size()) / static_cast<double>(simulated)}};
    if (!draped)
      figure.differs.push_back(std::string("The ") + name +
                               " is shown as it is cut, before it is draped: no garment file was given.");
  }
  add_picture(figure, inputs, "garments", draw::strip(panels, 4, 6));
  figure.shows =
      "Cape and skirt, and their chains: ropes green, lateral springs purple. Blue bones near the top follow "
      "the body and are "
      "not simulated.";
  return figure;
}

}  // namespace billow::tool
