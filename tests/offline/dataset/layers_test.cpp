// The shipped cape over the shipped skirt on a walking person.
#include <algorithm>
#include <vector>

#include "dataset/layer_crossings.h"
#include "support/colliders.h"
#include "support/walker.h"

namespace billow::layers_test {
namespace {

using namespace billow::testing;

std::vector<std::array<uint32_t, 3>> triangles_of(const char* name) {
  const auto garment = Walker::load(name);
  std::vector<std::array<uint32_t, 3>> out(billow_garment_triangle_count(garment.get()));
  EXPECT_EQ(billow_garment_get_triangles(garment.get(), out[0].data(), static_cast<uint32_t>(out.size())),
            BILLOW_OK);
  return out;
}

TEST(LayersSlow, ACapeStaysOutsideTheSkirt) {
  Walker skirt("skirt", {}), cape("cape", {}), free("cape", {});
  skirt.settle();
  billow_body* layer = nullptr;
  ASSERT_EQ(billow_body_create_layer(skirt.instance(), nullptr, &layer), BILLOW_OK) << billow_last_error();
  const BodyHandle held(layer);
  cape.meet({layer});
  cape.settle(), free.settle();
  const auto of_cape = triangles_of("cape"), of_skirt = triangles_of("skirt");
  size_t crossed = 0, crossed_free = 0, faces = 0;
  float deepest = 0;
  uint32_t touching = 0;
  for (int k = 0; k < 240; ++k) {
    skirt.step(60);
    ASSERT_EQ(billow_body_pose_layer(layer, skirt.instance()), BILLOW_OK);
    cape.step(60), free.step(60);
    touching += cape.touching();
    if (k % 4 != 0) continue;
    const dataset::LayerCrossings with =
        dataset::count_layer_crossings({cape.mesh(), of_cape}, {skirt.mesh(), of_skirt});
    crossed += with.faces, deepest = std::max(deepest, with.deepest);
    crossed_free += dataset::count_layer_crossings({free.mesh(), of_cape}, {skirt.mesh(), of_skirt}).faces;
    faces += of_cape.size();
  }
  const double share = static_cast<double>(crossed) / static_cast<double>(faces);
  std::printf("cape over skirt: %.4f %% of faces cross it, by %.1f mm at most; %.2f %% without a layer\n",
              100 * share, static_cast<double>(1000 * deepest),
              100 * static_cast<double>(crossed_free) / static_cast<double>(faces));
  EXPECT_GT(crossed_free, faces / 200) << "the skirt is meant to be in the way";
  EXPECT_GT(touching, 1000u);
  EXPECT_LE(share, 1e-4);
  EXPECT_LE(deepest, 0.005f);
}

}  // namespace
}  // namespace billow::layers_test
