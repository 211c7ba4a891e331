// garment.json: exact round trips, and refused input.
#include "garment/garment_file.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "body/person.h"
#include "cloths.h"
#include "garment/layout_chains.h"
#include "offline/import/files.h"

namespace billow::garment {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

template <class T> bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), sizeof(T) * a.size()) == 0);
}

class GarmentFile : public ::testing::Test {
 protected:
  GarmentFile() : person_(body::make_person()) {
    const GarmentMesh sheet = testing::make_sheet(1, 0.7f, {.columns = 5, .rows = 6, .mess = true});
    garment_ = testing::as_garment(sheet, [](V3 p) { return p.z == 0; });
    garment_.name = "a \"sheet\"\n\\ with an \xc3\xa9";
    garment_.key_joint = "pelvis";
    garment_.material = "silk";
    testing::Random random(5);
    for (Attachment& a : garment_.attachments) {
      a.joints = {3, 4, 21, 0};
      a.weights = {0.1f, 0.7f, 0.2f, 0};
      a.rest = {random.uniform_float(-1, 1), -0.0f, 1e-20f};
    }
    layout_chains(garment_, {.chains = 3, .bones = 4});
    garment_.bones[0].weights = {1, -0.0f, 0};
    for (const V3& p : garment_.shape) {
      garment_.rest.push_back({p.x * 1.1f, -0.0f, p.z / 3});
      garment_.pattern_uvs.push_back({p.x, p.z * 0.9f});
    }
    garment_.closed = true;
  }

  // The error message after a change of the file's text.
  std::string message_after(const std::string& from, const std::string& to) {
    write_garment_file(garment_, person_.skeleton, path());
    std::string text = text_of(path());
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    std::ofstream(path(), std::ios::binary) << text;
    const std::string message = message_of([&] { read_garment_file(path(), person_.skeleton); });
    EXPECT_EQ(message.substr(0, path().string().size()), path().string()) << message;
    return message.substr(std::min(message.size(), path().string().size()));
  }
  fs::path path() const { return folder_.path().parent_path() / "sheet.json"; }

  body::Person person_;
  Garment garment_;
  TemporaryFile folder_{"empty", ""};
};

TEST_F(GarmentFile, ReadsBackWhatWasWritten) {
  write_garment_file(garment_, person_.skeleton, path());
  EXPECT_TRUE(fs::exists(path().parent_path() / "sheet_mesh.obj"));
  EXPECT_TRUE(fs::exists(path().parent_path() / "sheet_rest.npy"));
  const Garment again = read_garment_file(path(), person_.skeleton);
  EXPECT_EQ(again.name, garment_.name);
  EXPECT_EQ(again.material, "silk");
  EXPECT_EQ(again.key_joint, "pelvis");
  EXPECT_EQ(again.triangles, garment_.triangles);
  EXPECT_TRUE(same_bits(again.pattern_uvs, garment_.pattern_uvs));
  EXPECT_TRUE(same_bits(again.shape, garment_.shape));
  EXPECT_TRUE(same_bits(again.rest, garment_.rest));
  EXPECT_TRUE(same_bits(again.attachments, garment_.attachments));
  EXPECT_TRUE(same_bits(again.bones, garment_.bones));
  EXPECT_EQ(again.chains, garment_.chains);
  EXPECT_EQ(again.closed, garment_.closed);
  // Writing it again gives the same bytes.
  const std::string first = text_of(path());
  write_garment_file(again, person_.skeleton, path());
  EXPECT_EQ(text_of(path()), first);
}

TEST_F(GarmentFile, RestAndPatternAreOptional) {
  garment_.rest.clear();
  garment_.pattern_uvs.clear();
  write_garment_file(garment_, person_.skeleton, path());
  EXPECT_FALSE(fs::exists(path().parent_path() / "sheet_rest.npy"));
  const Garment again = read_garment_file(path(), person_.skeleton);
  EXPECT_TRUE(again.rest.empty());
  EXPECT_TRUE(again.pattern_uvs.empty());
}

TEST_F(GarmentFile, InvalidUtf8InNamesIsReplaced) {
  for (const char* name :
       {"caf\xe9", "\xc0\x80", "\xed\xa0\x80", "\xf5", "\xe2\x82", "\xf0\x9f\x91\x97 dress\x01\t"}) {
    garment_.name = name;
    write_garment_file(garment_, person_.skeleton, path());
    const std::string again = read_garment_file(path(), person_.skeleton).name;
    EXPECT_EQ(again == name, name[0] == '\xf0') << again;
  }
}

TEST_F(GarmentFile, FindsJointsByTheirNames) {
  write_garment_file(garment_, person_.skeleton, path());
  // A skeleton with the same joints at other indices.
  body::Skeleton other;
  other.joints.push_back({"stand", body::kNoJoint, {}});
  for (const body::Joint& joint : person_.skeleton.joints) {
    other.joints.push_back(joint);
    other.joints.back().parent = joint.parent + 1;
  }
  EXPECT_EQ(read_garment_file(path(), other).attachments[0].joints[0], 4u);
  other.joints[4].name = "gone";
  const std::string message = message_of([&] { read_garment_file(path(), other); });
  EXPECT_NE(message.find("attachments[0].joints[0]: expected a joint of the character, found \"" +
                         person_.skeleton.joints[3].name + "\""),
            std::string::npos)
      << message;
}

TEST_F(GarmentFile, RefusesWrongCountsAndValues) {
  const auto expect = [&](const std::string& from, const std::string& to, const std::string& part) {
    const std::string message = message_after(from, to);
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect("\"vertices\": 42", "\"vertices\": 41",
         "vertices: expected the mesh's number of vertices, 42, found 41");
  expect("\"triangles\": 60", "\"triangles\": 61", "triangles: expected the mesh's number of triangles, 60");
  expect("billow garment", "billow body", "format: expected \"billow garment\"");
  expect("\"version\": 1", "\"version\": 2", "version: expected version 1, found 2");
  expect("sheet_mesh.obj", "../sheet_mesh.obj", "mesh: expected the name of a file in the same folder");
  expect("sheet_mesh.obj", "gone.obj", "cannot read");
  expect("\"vertex\": ", "\"vertex\": 42",
         "attachments[0].vertex: expected an integer from 0 to 41, found 42");
  expect("\"pelvis\"", "\"trunk\"", "key_joint: expected a joint of the character, found \"trunk\"");
  expect("\"closed\": true", "\"closed\": 1", "closed: expected true or false, found 1");
  expect("\"closed\": true", "\"closed\": true, \"open\": 1", "found 'open'");
  expect("\"closed\": true", "\"closed\": true, \"closed\": true", "expected each key once");
  expect("\"closed\": true,", "", "expected an object with 'closed'");
  expect("[0, 1, 2, 3, 4]", "[0, 1, 2, 3, 3]", "chain 0: expected bones that are in no other chain, found 3");
  expect("[0, 1, 2, 3, 4]", "[0, 1, 2, 3, 99]", "chains[0][4]: expected an integer from 0 to 16, found 99");
  expect("[0, 1, 2, 3, 4]", "[0]", "expected at least a root and one bone");
  expect("\"weights\": [0.1, 0.7, 0.2]", "\"weights\": [0.1, 0.7]", "expected 3 numbers");
  expect("\"weights\": [0.1, 0.7, 0.2]", "\"weights\": [0.1, 0.7, 0.9]", "weights that sum to 1");
  expect("\"weights\": [1, -0.0, 0]", "\"weights\": [1, NaN, 0]", "expected JSON");
  expect("\"weights\": [1, -0.0, 0]", "\"weights\": [1, 0]", "bones[0].weights: expected 3 numbers");
  expect("\"bones\": [", "\"bones\": [[[[[[[[[[[", "levels of nesting");
}

TEST_F(GarmentFile, RefusesADrapeOfAnotherGarment) {
  write_garment_file(garment_, person_.skeleton, path());
  const fs::path rest = path().parent_path() / "sheet_rest.npy";
  const std::string good = text_of(rest);
  const auto message_for = [&](const std::string& bytes) {
    std::ofstream(rest, std::ios::binary) << bytes;
    return message_of([&] { read_garment_file(path(), person_.skeleton); });
  };
  EXPECT_NE(message_for(positions_to_npy(std::vector<V3>(41))).find("rest: expected a file of 42 positions"),
            std::string::npos);
  EXPECT_NE(message_for(good.substr(0, good.size() - 1))
                .find("expected (42, 3) values of 4 bytes, found 503 bytes"),
            std::string::npos);
  EXPECT_NE(message_for("nothing").find("expected a .npy file"), std::string::npos);
  std::string doubles = good;
  doubles.replace(doubles.find("<f4"), 3, "<f8");
  EXPECT_NE(message_for(doubles).find("expected float32"), std::string::npos);
  std::vector<V3> nan = garment_.rest;
  nan[7].y = NAN;
  EXPECT_NE(message_for(positions_to_npy(nan)).find("position 7 is not finite"), std::string::npos);
}

TEST_F(GarmentFile, RefusesToWriteInvalidGarments) {
  EXPECT_THROW(write_garment_file(garment_, person_.skeleton, path().parent_path() / "sheet.txt"),
               std::runtime_error);
  EXPECT_THROW(write_garment_file(garment_, person_.skeleton, path().parent_path() / "none/sheet.json"),
               std::runtime_error);
  garment_.shape[3].x = NAN;
  EXPECT_THROW(write_garment_file(garment_, person_.skeleton, path()), std::invalid_argument);
  EXPECT_FALSE(fs::exists(path()));
}

TEST(NpyPositions, ReadsFrames) {
  std::string bytes = positions_to_npy(std::vector<V3>{{1, 2, 3}, {4, 5, 6}, {7, 8, -0.0f}, {1e-40f, 0, 0}});
  EXPECT_EQ(positions_from_npy(bytes).shape, (std::vector<size_t>{4, 3}));
  EXPECT_EQ(bytes.find('\n') % 64, 63u);
  bytes.replace(bytes.find("(4, 3), }"), 9, "(2,2,3,)}");
  const NpyPositions two = positions_from_npy(bytes);
  EXPECT_EQ(two.shape, (std::vector<size_t>{2, 2, 3}));
  EXPECT_TRUE(std::signbit(two.positions[2].z));
}

}  // namespace
}  // namespace billow::garment
