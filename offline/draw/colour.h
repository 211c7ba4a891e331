// Colours in linear light, 1 is white. sRGB appears only in hexadecimal codes and in written pictures.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace billow::draw {

struct Colour {
  float r = 0, g = 0, b = 0;
};

inline Colour operator+(Colour a, Colour b) { return {a.r + b.r, a.g + b.g, a.b + b.b}; }
inline Colour operator*(Colour a, Colour b) { return {a.r * b.r, a.g * b.g, a.b * b.b}; }
inline Colour operator*(float s, Colour a) { return {s * a.r, s * a.g, s * a.b}; }
inline Colour mix(Colour a, Colour b, float t) { return (1 - t) * a + t * b; }

inline float decode_srgb(float encoded) {
  return encoded <= 0.04045f ? encoded / 12.92f : std::pow((encoded + 0.055f) / 1.055f, 2.4f);
}
inline float encode_srgb(float linear) {
  const float v = std::clamp(linear, 0.0f, 1.0f);
  return v <= 0.0031308f ? 12.92f * v : 1.055f * std::pow(v, 1 / 2.4f) - 0.055f;
}

// A colour from its sRGB code, such as 0x2e8b57.
inline Colour srgb(uint32_t code) {
  const auto channel = [code](int shift) {
    return decode_srgb(static_cast<float>((code >> shift) & 255u) / 255.0f);
  };
  return {channel(16), channel(8), channel(0)};
}

// A colour map whose lightness is monotonic: dark blue at 0, green, yellow at 1 (after matplotlib's viridis).
inline Colour heat(float value) {
  static const Colour stops[] = {srgb(0x440154), srgb(0x3b528b), srgb(0x21918c), srgb(0x5ec962),
                                 srgb(0xfde725)};
  const float at = 4 * std::clamp(value, 0.0f, 1.0f);
  const int i = std::min(3, static_cast<int>(at));
  return mix(stops[i], stops[i + 1], at - static_cast<float>(i));
}

}  // namespace billow::draw
