// The software renderer: coverage, depth order and PNG round trips.
#include <gtest/gtest.h>
#include <png.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "draw/canvas.h"
#include "draw/paint.h"
#include "draw/plot.h"
#include "draw/show_through.h"

namespace billow::draw {
namespace {

// A temporary folder, unique to the running test and removed at its end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path = std::filesystem::temp_directory_path() / (std::string("billow_") + test->test_suite_name() + "_" +
                                                     test->name() + "_" + std::to_string(getpid()));
    std::filesystem::create_directories(path);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

// At 10 m the picture is 10 m high: 10 pixels per metre in 100 pixels.
const Camera kCamera{.eye = {0, 0, 10}, .target = {}, .field_of_view = 2 * std::atan(0.5f)};
const Colour kRed = srgb(0xff0000), kGreen = srgb(0x00ff00), kBlue = srgb(0x0000ff);

bool is_background(const Image& image, int x, int y) {
  const Colour &c = image.at(x, y), &corner = image.at(0, y);
  return std::fabs(c.r - corner.r) + std::fabs(c.g - corner.g) + std::fabs(c.b - corner.b) < 1e-5f;
}

void add_square(Canvas& canvas, float half, float z, const Material& material) {
  const float positions[] = {-half, -half, z, half, -half, z, half, half, z, -half, half, z};
  const uint32_t indices[] = {0, 1, 2, 0, 2, 3};
  canvas.mesh({positions, indices}, material);
}

int covered(const Image& image) {
  int count = 0;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) count += !is_background(image, x, y);
  return count;
}

TEST(Canvas, RaysSeeShadowsAndBothSides) {
  if (!Canvas::can_trace()) GTEST_SKIP() << "built without Embree";
  Canvas canvas(100, 100, 1);
  canvas.light.toward = {0, 1, 0};
  add_square(canvas, 2, 0, {.colour = kRed, .back = kBlue});
  canvas.ground({.height = -4, .grid = 0, .centre = {0, -4, 0}, .reach = 50});
  canvas.sphere({0, -2, -1}, 1, {.colour = kGreen});
  const Image front = canvas.trace(kCamera, 16, 1),
              behind = canvas.trace(
                  {.eye = {0, 0, -10}, .target = {}, .field_of_view = kCamera.field_of_view}, 16, 2);
  EXPECT_GT(front.at(50, 50).r, 3 * front.at(50, 50).b) << "the front is red";
  EXPECT_GT(behind.at(50, 40).b, 3 * behind.at(50, 40).r) << "the back is blue";
  const Image above = canvas.trace({.eye = {0, 4, 14}, .target = {0, -4, 0}, .field_of_view = 1.0f}, 64, 1);
  Canvas bare(100, 100, 1);
  bare.light.toward = {0, 1, 0};
  bare.ground({.height = -4, .grid = 0, .centre = {0, -4, 0}, .reach = 50});
  const Image open = bare.trace({.eye = {0, 4, 14}, .target = {0, -4, 0}, .field_of_view = 1.0f}, 64, 1);
  // (50, 47) shows the ground below the sphere, and the key light is straight above.
  EXPECT_LT(above.at(50, 47).g, 0.75f * open.at(50, 47).g) << "a shadow";
  EXPECT_NEAR(above.at(5, 95).g, open.at(5, 95).g, 0.05f) << "far from it there is none";
}

TEST(Canvas, TriangleCoversTheExpectedPixels) {
  Canvas canvas(100, 100, 1);
  const float positions[] = {-2, -2, 0, 2, -2, 0, -2, 2, 0};
  const uint32_t indices[] = {0, 1, 2};
  canvas.mesh({positions, indices}, {.colour = kRed});
  const Image image = canvas.render(kCamera);
  // Corners at (30, 70), (70, 70) and (30, 30); half of 40 x 40 pixels.
  for (auto [x, y] : {std::pair{31, 68}, {31, 35}, {65, 68}, {48, 50}})
    EXPECT_FALSE(is_background(image, x, y)) << x << " " << y;
  for (auto [x, y] : {std::pair{28, 50}, {50, 72}, {52, 48}, {71, 68}, {31, 28}})
    EXPECT_TRUE(is_background(image, x, y)) << x << " " << y;
  EXPECT_NEAR(covered(image), 800, 45);
}

TEST(Canvas, SphereCoversADisc) {
  Canvas canvas(100, 100, 1);
  canvas.sphere({1, 0, 0}, 2, {.colour = kRed}, 96);
  const Image image = canvas.render(kCamera);
  EXPECT_FALSE(is_background(image, 60, 50));
  for (auto [x, y] : {std::pair{42, 50}, {78, 50}, {60, 32}, {60, 68}})
    EXPECT_FALSE(is_background(image, x, y)) << x << " " << y;
  for (auto [x, y] : {std::pair{36, 50}, {84, 50}, {60, 27}, {60, 73}, {76, 66}})
    EXPECT_TRUE(is_background(image, x, y)) << x << " " << y;
  // The silhouette lies in front of the centre plane: asin(2/10) is 20.4 pixels at the centre of the picture.
  EXPECT_NEAR(covered(image), 3.14159 * 20.4 * 20.4, 50);
}

TEST(Canvas, NearerHidesFartherInAnyOrder) {
  for (bool near_first : {false, true}) {
    Canvas canvas(40, 40, 2);
    if (near_first) add_square(canvas, 1, 1, {.colour = kRed});
    add_square(canvas, 2, 0, {.colour = kGreen});
    if (!near_first) add_square(canvas, 1, 1, {.colour = kRed});
    const Image image = canvas.render(kCamera);
    EXPECT_GT(image.at(20, 20).r, 4 * image.at(20, 20).g);
    EXPECT_GT(image.at(14, 20).g, 4 * image.at(14, 20).r);
  }
}

TEST(Canvas, LinesHaveDepthAndWidth) {
  Canvas canvas(100, 100, 3);
  add_square(canvas, 2, 0, {.colour = kGreen});
  canvas.line({-4, 1, -1}, {4, 1, -1}, 4, kRed);
  canvas.line({-4, -1, 1}, {4, -1, 1}, 4, kBlue);
  const Image image = canvas.render(kCamera);
  EXPECT_GT(image.at(50, 41).g, image.at(50, 41).r) << "the line behind shows through";
  EXPECT_GT(image.at(20, 41).r, 0.9f);
  EXPECT_LT(image.at(20, 41).g, 0.1f);
  EXPECT_GT(image.at(50, 61).b, 0.9f) << "the line in front is hidden";
  EXPECT_TRUE(is_background(image, 20, 37));
}

TEST(Canvas, TranslucentLayerShowsItsNearestSurfaceOnly) {
  const auto render = [](int squares) {
    Canvas canvas(20, 20, 1);
    for (int i = 0; i < squares; ++i)
      add_square(canvas, 4, -static_cast<float>(i), {.colour = kRed, .alpha = 0.5f, .casts_shadow = false});
    return canvas.render(kCamera).at(10, 10);
  };
  const Colour none = render(0), one = render(1), three = render(3);
  EXPECT_LT(one.b, none.b);
  EXPECT_FLOAT_EQ(one.b, three.b);
}

TEST(Canvas, CastsAShadowOnTheGround) {
  const auto brightness = [](bool casts) {
    Canvas canvas(60, 60, 1);
    canvas.light.toward = {0, 1, 0};
    canvas.ground({.grid = 0});
    canvas.sphere({0, 2, 0}, 0.5f, {.casts_shadow = casts});
    return canvas.render({.eye = {0, 1, 8}, .target = {}, .field_of_view = 0.3f}).at(30, 30).g;
  };
  EXPECT_LT(brightness(true), 0.8f * brightness(false));
}

TEST(Canvas, CutsOffWhatIsBehindTheEye) {
  Canvas canvas(40, 40, 1);
  const float positions[] = {-1, -1, 30, 1, -1, 30, 0, -1, -30};
  const uint32_t indices[] = {0, 1, 2};
  canvas.mesh({positions, indices}, {.colour = kRed});
  canvas.line({0, 1, 30}, {0, 1, -30}, 2, kBlue);
  canvas.point({0, 0, 12}, 8, kGreen);
  const Image image = canvas.render(kCamera);
  EXPECT_FALSE(is_background(image, 20, 36));
  EXPECT_FALSE(is_background(image, 20, 4));
  EXPECT_TRUE(is_background(image, 17, 20)) << "the point behind the eye shows";
}

TEST(Canvas, ColoursOfVerticesAreMixed) {
  Canvas canvas(40, 40, 1);
  const float positions[] = {-2, -2, 0, 2, -2, 0, 2, 2, 0, -2, 2, 0};
  const uint32_t indices[] = {0, 1, 2, 0, 2, 3};
  const Colour colours[] = {kRed, kBlue, kBlue, kRed};
  canvas.mesh({positions, indices, {}, colours}, {});
  const Image image = canvas.render(kCamera);
  EXPECT_GT(image.at(13, 20).r, 4 * image.at(13, 20).b);
  EXPECT_GT(image.at(27, 20).b, 4 * image.at(27, 20).r);
}

TEST(Canvas, RefusesIndicesOutOfRange) {
  Canvas canvas(8, 8);
  const float positions[9] = {};
  const uint32_t indices[] = {0, 1, 3};
  EXPECT_THROW(canvas.mesh({positions, indices}, {}), std::out_of_range);
}

TEST(Mesh, CapsuleIsClosedAndOnItsSurface) {
  for (auto [a, b] : {std::pair{0.3f, 0.3f}, {0.3f, 0.1f}, {0.1f, 0.3f}, {0.1f, 2.0f}}) {
    const Mesh mesh = capsule_mesh({0, 0, 0}, {0, 1, 0}, a, b, 24);
    ASSERT_EQ(mesh.positions.size(), mesh.normals.size());
    for (size_t i = 0; i < mesh.positions.size(); i += 3) {
      // No vertex lies inside either sphere.
      const Vec3 p{mesh.positions[i], mesh.positions[i + 1], mesh.positions[i + 2]};
      const float to_a = length(p) - a, to_b = length(p - Vec3{0, 1, 0}) - b;
      EXPECT_GT(std::min(to_a, to_b), -1e-5f);
      EXPECT_NEAR(length({mesh.normals[i], mesh.normals[i + 1], mesh.normals[i + 2]}), 1, 1e-5f);
    }
  }
}

TEST(Image, PngComesBackAsWritten) {
  const TemporaryFolder folder;
  Image image(7, 5, kBlue);
  image.at(0, 0) = kRed;
  image.at(6, 4) = srgb(0x123456);
  image.at(3, 2) = {9, -1, 0.5f};  // clamped
  const std::filesystem::path path = folder.path / "picture.png";
  write_png(image, path);

  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  ASSERT_TRUE(png_image_begin_read_from_file(&png, path.c_str())) << png.message;
  png.format = PNG_FORMAT_RGB;
  ASSERT_EQ(png.width, 7u);
  ASSERT_EQ(png.height, 5u);
  std::vector<uint8_t> bytes(PNG_IMAGE_SIZE(png));
  ASSERT_TRUE(png_image_finish_read(&png, nullptr, bytes.data(), 0, nullptr)) << png.message;
  const auto pixel = [&](size_t x, size_t y) {
    const uint8_t* p = bytes.data() + 3 * (7 * y + x);
    return (p[0] << 16) | (p[1] << 8) | p[2];
  };
  EXPECT_EQ(pixel(0, 0), 0xff0000);
  EXPECT_EQ(pixel(1, 0), 0x0000ff);
  EXPECT_EQ(pixel(6, 4), 0x123456);
  EXPECT_EQ(pixel(3, 2), 0xff00bc);

  // Only the picture is in the folder.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path), {}), 1);
}

TEST(Image, SaysWhyItCannotBeWritten) {
  const TemporaryFolder folder;
  const std::filesystem::path missing = folder.path / "missing" / "picture.png";
  try {
    write_png(Image(2, 2), missing);
    FAIL() << "no error";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find(missing.string()), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("no folder"), std::string::npos) << e.what();
  }
  // A folder has the picture's name; no temporary file remains.
  std::filesystem::create_directories(folder.path / "taken.png" / "inside");
  EXPECT_THROW(write_png(Image(2, 2), folder.path / "taken.png"), std::runtime_error);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path), {}), 1);
  EXPECT_THROW(write_png(Image(), folder.path / "empty.png"), std::runtime_error);
}

TEST(Image, StripLaysPicturesOut) {
  const std::vector<Image> images = {Image(4, 3, kRed), Image(4, 3, kGreen), Image(2, 2, kBlue)};
  const Image all = strip(images, 2, 1);
  EXPECT_EQ(all.width(), 11);
  EXPECT_EQ(all.height(), 9);
  EXPECT_EQ(all.at(1, 1).r, 1.0f);
  EXPECT_EQ(all.at(6, 1).g, 1.0f);
  EXPECT_EQ(all.at(1, 5).b, 1.0f);
  EXPECT_EQ(all.at(0, 0).g, 1.0f);
  EXPECT_EQ(strip({}, 3, 2).width(), 0);
}

TEST(Paint, EveryCharacterIsDrawnWithinItsWidth) {
  for (int c = 33; c < 256; ++c) {
    const char text[] = {static_cast<char>(c), 0};
    Image image(60, 40);
    paint_text(image, 20, 30, text, {18, {}});
    float ink = 0;
    for (int y = 0; y < 40; ++y)
      for (int x = 0; x < 60; ++x) {
        const float dark = 1 - image.at(x, y).g;
        ink += dark;
        const bool beside = static_cast<float>(x) < 17 || static_cast<float>(x) > 23 + text_width(text, 18);
        if (beside || y < 9 || y > 38) {
          EXPECT_EQ(dark, 0) << c << " at " << x << " " << y;
        }
      }
    EXPECT_GT(ink, 3) << "character " << c;
  }
  EXPECT_GT(text_width("wide", 10), text_width("i", 10));
  EXPECT_EQ(text_width("", 10), 0);
}

TEST(Plot, TicksAreRound) {
  EXPECT_EQ(ticks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(ticks(-1.2, 1.2, 4), (std::vector<double>{-1, 0, 1}));
  EXPECT_TRUE(ticks(1, 1, 5).empty());
}

TEST(Plot, DrawsItsSeriesWhereTheyBelong) {
  Plot plot{"title", "x", "y", {{"rising", {0, 1}, {0, 1}, kRed, 3}}, 400, 300, {{0, 1}}, {{0, 1}}};
  const Image image = draw_plot(plot);
  // The middle of the frame is on the line; its upper left and lower right are not.
  const auto red = [&](int x, int y) { return image.at(x, y).r - image.at(x, y).g; };
  const int left = 84, right = 376, top = 62, bottom = 244;
  EXPECT_GT(red((left + right) / 2, (top + bottom) / 2), 0.5f);
  EXPECT_LT(red(left + 40, top + 40), 0.1f);
  EXPECT_LT(red(right - 40, bottom - 40), 0.1f);

  // An empty plot and one without finite values do not crash.
  draw_plot({});
  draw_plot({"", "", "", {{"nothing", {NAN, 1}, {1, INFINITY}}}, 400, 300, {}, {}, true});
}

// A ball of radius 1 and a square of cloth across the view.
size_t shown(float z, float left, float right) {
  const Mesh ball = sphere_mesh({0, 0, 0}, 1, 64);
  const std::vector<float> corners{left, -2, z, right, -2, z, right, 2, z, left, 2, z};
  const std::vector<uint32_t> indices{0, 1, 2, 0, 2, 3};
  return count_show_through(ball, {corners, indices}, kCamera, 100, 100);
}

TEST(ShowThrough, CountsClothInsideTheBodyOnly) {
  const double disc = 3.14159 * 10 * 10;  // pixels of the ball
  EXPECT_NEAR(static_cast<double>(shown(0, -2, 2)), disc, 0.05 * disc);
  EXPECT_NEAR(static_cast<double>(shown(0, 0, 2)), 0.5 * disc, 0.05 * disc);
  EXPECT_EQ(shown(1.2f, -2, 2), 0u);   // covers the body
  EXPECT_EQ(shown(-1.2f, -2, 2), 0u);  // hangs behind it
  EXPECT_EQ(shown(0, 1.2f, 2), 0u);    // beside it
  // The cap of the ball before the cloth is seen, and the cloth around it.
  const double cap = disc * (1 - 0.8 * 0.8);
  EXPECT_NEAR(static_cast<double>(shown(0.8f, -2, 2)), cap, 0.1 * cap);
}

}  // namespace
}  // namespace billow::draw
