#include "core/arena.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace billow {
namespace {

struct Odd {
  char bytes[13];
};

// Takes pieces of several types and sizes, and returns their addresses.
struct Piece {
  void* memory;
  size_t bytes;
};
std::vector<Piece> take_pieces(Arena& arena) {
  std::vector<Piece> pieces;
  for (size_t count : {size_t{1}, size_t{0}, size_t{3}, size_t{16}, size_t{17}, size_t{1000}}) {
    pieces.push_back({arena.take<float>(count), count * sizeof(float)});
    pieces.push_back({arena.take<Odd>(count), count * sizeof(Odd)});
    pieces.push_back({arena.take<double>(count), count * sizeof(double)});
  }
  return pieces;
}

TEST(Arena, MeasuringReturnsNoMemory) {
  Arena measure;
  for (const Piece& p : take_pieces(measure)) EXPECT_EQ(p.memory, nullptr);
  EXPECT_GT(measure.used(), 0u);
}

TEST(Arena, TakesWhatWasMeasured) {
  Arena measure;
  take_pieces(measure);
  std::vector<std::byte> block(measure.used() + Arena::kAlignment);
  Arena arena(block.data());
  take_pieces(arena);
  EXPECT_EQ(arena.used(), measure.used());
}

TEST(Arena, PiecesAreAlignedAndDoNotOverlap) {
  Arena measure;
  take_pieces(measure);
  struct alignas(Arena::kAlignment) Line {
    std::byte bytes[Arena::kAlignment];
  };
  // One more cache line on either side, to check that nothing is written there.
  std::vector<Line> block(measure.used() / sizeof(Line) + 2);
  std::memset(static_cast<void*>(block.data()), 0xee, block.size() * sizeof(Line));
  Arena arena(block.data() + 1);
  const std::vector<Piece> pieces = take_pieces(arena);

  for (size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(pieces[i].memory) % Arena::kAlignment, 0u);
    std::memset(pieces[i].memory, static_cast<int>(i), pieces[i].bytes);
  }
  for (size_t i = 0; i < pieces.size(); ++i) {
    const auto* bytes = static_cast<const unsigned char*>(pieces[i].memory);
    for (size_t k = 0; k < pieces[i].bytes; ++k)
      ASSERT_EQ(bytes[k], i) << "piece " << i << " was overwritten";
  }
  for (std::byte b : block.front().bytes) EXPECT_EQ(b, std::byte{0xee});
  for (std::byte b : block.back().bytes) EXPECT_EQ(b, std::byte{0xee});
}

TEST(Arena, PiecesAreWholeCacheLines) {
  Arena arena;
  arena.take<float>(16);
  EXPECT_EQ(arena.used(), 64u);
  arena.take<float>(17);
  EXPECT_EQ(arena.used(), 64u + 128u);
  arena.take<float>(0);
  EXPECT_EQ(arena.used(), 64u + 128u);
}

}  // namespace
}  // namespace billow
