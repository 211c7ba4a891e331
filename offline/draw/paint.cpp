#include "draw/paint.h"

#include <array>
#include <cmath>

namespace billow::draw {
namespace {

// The covered fraction of a pixel whose centre is `distance` outside an edge.
float coverage(float distance) { return std::clamp(0.5f - distance, 0.0f, 1.0f); }

}  // namespace

void paint_line(Image& image, float x0, float y0, float x1, float y1, float width, Colour colour,
                float alpha) {
  const float reach = 0.5f * width + 1;
  const int left = std::max(0, static_cast<int>(std::floor(std::min(x0, x1) - reach)));
  const int right = std::min(image.width() - 1, static_cast<int>(std::ceil(std::max(x0, x1) + reach)));
  const int top = std::max(0, static_cast<int>(std::floor(std::min(y0, y1) - reach)));
  const int bottom = std::min(image.height() - 1, static_cast<int>(std::ceil(std::max(y0, y1) + reach)));
  const float dx = x1 - x0, dy = y1 - y0, squared = dx * dx + dy * dy;

  for (int y = top; y <= bottom; ++y)
    for (int x = left; x <= right; ++x) {
      const float px = static_cast<float>(x) + 0.5f - x0, py = static_cast<float>(y) + 0.5f - y0;
      const float s = squared > 0 ? std::clamp((px * dx + py * dy) / squared, 0.0f, 1.0f) : 0;
      const float a = coverage(std::hypot(px - s * dx, py - s * dy) - 0.5f * width);
      if (a > 0) image.blend(x, y, colour, a * alpha);
    }
}

void paint_disc(Image& image, float x, float y, float radius, Colour colour, float alpha) {
  paint_line(image, x, y, x, y, 2 * radius, colour, alpha);
}

void paint_box(Image& image, int x0, int y0, int x1, int y1, Colour colour, float alpha) {
  for (int y = std::max(0, y0); y < std::min(y1, image.height()); ++y)
    for (int x = std::max(0, x0); x < std::min(x1, image.width()); ++x) image.blend(x, y, colour, alpha);
}

// A stroke font, smooth at any size. A glyph is strokes separated by spaces; each point is two hexadecimal
// digits, x to the right and y up. The baseline is at 3, lower case reaches 9, capitals c, descenders 0.

namespace {

constexpr int kFirstGlyph = 33;
constexpr const char* kGlyphs[] = {
    "0c06 0303",                          // !
    "0c0a 2c2a",                          // "
    "1b14 4b44 0959 0656",                // #
    "5a4b1b0a0918475654451504 3c33",      // $
    "036c 0a0c2c2a0a 4345656343",         // %
    "63190a1c3c4a160513335566",           // &
    "0c0a",                               // '
    "2c0a0523",                           // (
    "0c2a2503",                           // )
    "272b 0848 074a 470a",                // *
    "0747 2529",                          // +
    "1301",                               // ,
    "0747",                               // -
    "0303",                               // .
    "034c",                               // /
    "13040b1c4c5b544313",                 // 0
    "1a3c33",                             // 1
    "0b1c4c5b590353",                     // 2
    "0b1c4c5b594828 485754431304",        // 3
    "434c0656",                           // 4
    "5c0c08485754431304",                 // 5
    "4c1c0b04134354574808",               // 6
    "0c5c23",                             // 7
    "18090b1c4c5b59481807041343545748",   // 8
    "1343545b4c1c0b081757",               // 9
    "0303 0909",                          // :
    "1301 1909",                          // ;
    "4a0744",                             // <
    "0646 0848",                          // =
    "0a4704",                             // >
    "0b1c3c4b4a2826 2323",                // ?
    "5313040b1c5c6b675646 4a3a29273646",  // @
    "033c63 1656",                        // A
    "030c4c5b594808 4867645303",          // B
    "6b5c1c0b04135364",                   // C
    "030c4c6a654303",                     // D
    "6c0c0363 0848",                      // E
    "6c0c03 0848",                        // F
    "6b5c1c0b041353646838",               // G
    "030c 636c 0868",                     // H
    "030c",                               // I
    "4c44331304",                         // J
    "030c 6c06 2863",                     // K
    "0c0353",                             // L
    "030c366c63",                         // M
    "030c636c",                           // N
    "13040b1c5c6b645313",                 // O
    "030c5c6b685707",                     // P
    "13040b1c5c6b645313 4562",            // Q
    "030c5c6b685707 3763",                // R
    "6b5c1c0b0918576664531304",           // S
    "0c6c 3c33",                          // T
    "0c041353646c",                       // U
    "0c336c",                             // V
    "0c234a638c",                         // W
    "036c 0c63",                          // X
    "0c386c 3833",                        // Y
    "0c6c0363",                           // Z
    "2c0c0323",                           // [
    "0c43",                               // backslash
    "0c2c2303",                           // ]
    "0a2c4a",                             // ^
    "0252",                               // _
    "0c1a",                               // `
    "5953 5849190804134354",              // a
    "0c03 0819495854431304",              // b
    "5849190804134354",                   // c
    "5c53 5849190804134354",              // d
    "06565849190804134354",               // e
    "4c3c2b23 0949",                      // f
    "5951401001 5849190804134354",        // g
    "0c03 0819495853",                    // h
    "0903 0c0c",                          // i
    "29211000 2c2c",                      // j
    "0c03 4905 2743",                     // k
    "0c03",                               // l
    "0903 0819394843 4859798883",         // m
    "0903 0819495853",                    // n
    "130408194958544313",                 // o
    "0900 0819495854431304",              // p
    "5950 5849190804134354",              // q
    "0903 07193949",                      // r
    "584919080716465554431304",           // s
    "2c243343 0949",                      // t
    "0904134354 5953",                    // u
    "092349",                             // v
    "0923486389",                         // w
    "0943 0349",                          // x
    "0923 49231000",                      // y
    "09490343",                           // z
    "3c2c1b19081716142333",               // {
    "0c01",                               // |
    "0c1c2b29382726241303",               // }
    "081928374859",                       // ~
};
constexpr const char* kUnknownGlyph = "030c5c5303";
constexpr float kCapital = 9, kBaseline = 3, kGap = 2.6f, kSpace = 2.6f;

const char* glyph_of(char character) {
  const int i = static_cast<unsigned char>(character) - kFirstGlyph;
  return i >= 0 && i < static_cast<int>(std::size(kGlyphs)) ? kGlyphs[i] : kUnknownGlyph;
}

float digit(char c) { return static_cast<float>(c <= '9' ? c - '0' : c - 'a' + 10); }

float glyph_width(char character) {
  if (character == ' ') return kSpace;
  if (character >= '0' && character <= '9') return 5;  // tabular figures
  float width = 0;
  for (const char* p = glyph_of(character); *p != 0; ++p) {
    if (*p == ' ') continue;
    width = std::max(width, digit(*p));
    ++p;
  }
  return width;
}

}  // namespace

float text_width(std::string_view text, float height) {
  float units = 0;
  for (char c : text) units += glyph_width(c) + kGap;
  return text.empty() ? 0 : (units - kGap) * height / kCapital;
}

void paint_text(Image& image, float x, float y, std::string_view text, const TextStyle& style) {
  const float unit = style.height / kCapital, weight = std::max(1.2f, 0.125f * style.height);
  float pen = 0;
  if (style.align != Align::kLeft)
    pen = -text_width(text, style.height) * (style.align == Align::kCentre ? 0.5f : 1.0f);

  for (char c : text) {
    const auto to_pixels = [&](const char* p) {
      const float right = pen + unit * digit(p[0]), up = unit * (digit(p[1]) - kBaseline);
      return style.upwards ? std::array{x - up, y - right} : std::array{x + right, y - up};
    };
    for (const char* p = c == ' ' ? "" : glyph_of(c); *p != 0;) {
      // Draw one stroke, up to the next space.
      std::array from = to_pixels(p);
      for (p += 2; *p != 0 && *p != ' '; p += 2) {
        const std::array to = to_pixels(p);
        paint_line(image, from[0], from[1], to[0], to[1], weight, style.colour);
        from = to;
      }
      if (*p == ' ') ++p;
    }
    pen += unit * (glyph_width(c) + kGap);
  }
}

}  // namespace billow::draw
