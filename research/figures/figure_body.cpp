// `billow figures body`: the skin and the colliders that approximate it (paper: Figure sdf).
#include "body/agreement.h"
#include "body/person.h"
#include "body/postures.h"
#include "research/figures/figures.h"
#include "tools/billow/draw_body.h"
#include "tools/billow/picture.h"

namespace billow::tool {

Figure figure_body(const FigureInputs& inputs) {
  const body::Person person = body::make_person();
  const body::Skin skin = body::make_skin(person);
  const std::vector<Transform> joints = body::rest_transforms(person.skeleton),
                               identity(joints.size(), Transform{{0, 0, 0}, {0, 0, 0, 1}});
  const int width = inputs.quick ? 150 : 520, height = inputs.quick ? 180 : 640, rays = inputs.quick ? 2 : 48;
  std::vector<draw::Image> panels;
  for (const bool shapes : {false, true}) {
    draw::Canvas canvas(width, height);
    if (shapes)
      for (size_t i = 0; i < person.colliders.size(); ++i)
        draw_colliders(canvas, {&person.colliders[i], 1}, identity, {.colour = collider_colour(i)});
    else
      canvas.mesh({.positions = {&skin.mesh.positions[0].x, 3 * skin.mesh.positions.size()},
                   .indices = {skin.mesh.triangles[0].data(), 3 * skin.mesh.triangles.size()}},
                  {.colour = draw::srgb(0xc9a48c), .gloss = 0.1f, .finish = draw::Finish::kSkin});
    canvas.background_top = draw::srgb(0xdfe4ea), canvas.background_bottom = draw::srgb(0xeef0f2);
    canvas.ground({.colour = draw::srgb(0xe9ebee), .reach = 8});
    canvas.light.toward = {1.4f, 1.6f, 1.0f};
    panels.push_back(
        canvas.trace({.eye = {1.4f, 1.25f, 3.9f}, .target = {0, 0.9f, 0}, .field_of_view = 0.5f}, rays));
  }
  Figure figure;
  add_picture(figure, inputs, "body", draw::strip(panels, 2, 6));
  const body::RestAgreement at_rest = body::rest_agreement(skin, person.skeleton, person.colliders);
  figure.numbers = {
      {"colliders", person.colliders.size()},
      {"skin_vertices", skin.mesh.positions.size()},
      {"largest_distance_at_rest_mm", 1000 * std::max({at_rest.vertices, at_rest.edges, at_rest.faces})},
      {"mean_distance_at_rest_mm", 1000 * at_rest.mean}};
  figure.shows = "The built-in person's skin, and the " + std::to_string(person.colliders.size()) +
                 " analytic shapes whose blended signed distance stands for it. Numbers: between the resting "
                 "skin and the "
                 "distance's zero set.";
  return figure;
}

}  // namespace billow::tool
