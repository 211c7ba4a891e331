#include "fit/body_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "body/person.h"
#include "limb.h"

namespace billow::fit {
namespace {

namespace fs = std::filesystem;

std::string message_of(const std::string& text) {
  try {
    body_from_text(text);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "(nothing was thrown)";
}

BodyFile person_file() {
  const body::Person person = body::make_person();
  std::vector<NamedCollider> colliders;
  for (size_t i = 0; i < person.colliders.size(); ++i)
    colliders.push_back({person.collider_names[i], person.colliders[i], i % 3 == 0});
  return make_body_file("a person \"quoted\" \xc3\xa9\n", person.skeleton, colliders);
}

TEST(BodyFile, ReadsBackWhatIsWritten) {
  const BodyFile file = person_file();
  const std::string text = body_to_text(file);
  const BodyFile read = body_from_text(text);
  EXPECT_EQ(body_to_text(read), text);
  EXPECT_EQ(read.character, file.character);
  ASSERT_EQ(read.joints.size(), file.joints.size());
  for (size_t j = 0; j < file.joints.size(); ++j) {
    EXPECT_EQ(read.joints[j].name, file.joints[j].name);
    EXPECT_TRUE(same(read.joints[j].rest, file.joints[j].rest));
  }
  ASSERT_EQ(read.colliders.size(), file.colliders.size());
  for (size_t i = 0; i < file.colliders.size(); ++i) {
    EXPECT_EQ(read.colliders[i].name, file.colliders[i].name);
    EXPECT_EQ(read.colliders[i].fixed, file.colliders[i].fixed);
    EXPECT_EQ(std::memcmp(&read.colliders[i].collider, &file.colliders[i].collider, sizeof(billow_collider)),
              0)
        << file.colliders[i].name;
  }
}

TEST(BodyFile, KeepsEveryFloat) {
  std::mt19937 engine(1);
  BodyFile file;
  file.joints = {{"j", {}}};
  file.colliders.resize(1);
  file.colliders[0].name = "c";
  billow_collider& c = file.colliders[0].collider;
  for (int i = 0; i < 3000; ++i) {
    for (float& v : c.position) {
      const auto bits = static_cast<uint32_t>(engine());
      std::memcpy(&v, &bits, 4);
      if (!(std::fabs(v) < 1e9f)) v = 0;
    }
    const BodyFile read = body_from_text(body_to_text(file));
    ASSERT_EQ(std::memcmp(read.colliders[0].collider.position, c.position, sizeof c.position), 0)
        << c.position[0] << " " << c.position[1] << " " << c.position[2];
  }
}

TEST(BodyFile, HasOnlyTheJointsThatCollidersFollow) {
  billow::testing::Limb limb = billow::testing::make_limb();
  limb.skeleton.joints.push_back({"finger", 1, {{0.1f, 0, 0}, {0, 0, 0, 1}}});
  const BodyFile file = make_body_file("limb", limb.skeleton, std::span(limb.colliders).subspan(1, 0));
  EXPECT_TRUE(file.joints.empty());
  EXPECT_EQ(make_body_file("limb", limb.skeleton, limb.colliders).joints.size(), 2u);
}

TEST(BodyFile, BindsByNameToAnotherOrderOfJoints) {
  const billow::testing::Limb limb = billow::testing::make_limb();
  const BodyFile file = make_body_file("limb", limb.skeleton, limb.colliders);
  body::Skeleton other;
  other.joints = {{"armature", body::kNoJoint, {}},
                  {"upper", 0, limb.skeleton.joints[0].rest},
                  {"twist", 1, {}},
                  {"lower", 1, limb.skeleton.joints[1].rest}};
  const std::vector<NamedCollider> bound = bind(file, other);
  EXPECT_EQ(bound[0].collider.joint[0], 1u);
  EXPECT_EQ(bound[1].collider.joint[0], 3u);

  const auto refused = [&](const char* part) {
    try {
      bind(file, other);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  };
  other.joints[3].rest.position.y += 0.1f;
  refused("expected joint 'lower' to rest at");
  other.joints[3].name = "elbow";
  refused("with the joint 'lower'");
}

// A replacement in a valid file.
struct Change {
  const char *from, *to, *message;
};

TEST(BodyFile, SaysWhatIsWrongAndWhere) {
  const billow::testing::Limb limb = billow::testing::make_limb();
  const std::string good = body_to_text(make_body_file("limb", limb.skeleton, limb.colliders));
  ASSERT_NO_THROW(body_from_text(good));
  const Change changes[] = {
      {"billow body", "billow cape", "format: expected \"billow body\", found \"billow cape\""},
      {"\"version\": 1", "\"version\": 2", "version: expected version 1, found 2"},
      {"\"version\": 1", "\"version\": -1", "version: expected an integer"},
      {"\"version\": 1", "\"version\": 1e3", "version: expected an integer"},
      {"\"character\": \"limb\"", "\"character\": 5", "character: expected a string, found 5"},
      {"\"character\": \"limb\",", "", "expected an object with 'character'"},
      {"\"character\"", "\"hat\": 1, \"character\"",
       "expected only character, colliders, format, joints, version, found 'hat'"},
      {"\"character\"", "\"version\": 1, \"character\"", "expected each key once, found 'version' again"},
      {"\"name\": \"lower\"", "\"name\": \"upper\"", "joints[1].name: expected a unique name"},
      {"\"name\": \"lower\"", "\"name\": \"\"", "joints[1].name: expected a unique name"},
      {"\"rotation\": [0, 0, 0, 1]", "\"rotation\": [0, 0, 0, 0]",
       "joints[0].rotation: expected a quaternion of length 1"},
      {"\"rotation\": [0, 0, 0, 1]", "\"rotation\": [0, 0, 1]", "joints[0].rotation: expected 4 numbers"},
      {"\"position\": [0.1, 1, 0]", "\"position\": [0.1, \"1\", 0]",
       "joints[0].position[1]: expected a number"},
      {"\"position\": [0.1, 1, 0]", "\"position\": [0.1, 1e20, 0]",
       "joints[0].position[1]: expected a number from"},
      {"\"position\": [0.1, 1, 0]", "\"position\": [0.1, 1e999, 0]", "expected JSON"},
      {"\"position\": [0.1, 1, 0]", "\"position\": [0.1, NaN, 0]", "expected JSON"},
      {"tapered_capsule", "cone", "colliders[0].shape: expected one of sphere, capsule, tapered_capsule"},
      {"tapered_capsule", "sphere", "colliders[0]: expected only"},
      {"\"joints\": [\"upper\"]", "\"joints\": [\"hip\"]",
       "colliders[0].joints[0]: expected a joint of the file's list, found \"hip\""},
      {"\"joints\": [\"upper\"]", "\"joints\": []", "colliders[0].joints: expected 1 to 4 names"},
      {"\"joints\": [\"upper\"]", "\"joints\": \"upper\"", "colliders[0].joints: expected an array"},
      {"\"weights\": [1]", "\"weights\": [0]", "colliders[0].weights[0]: expected more than 0"},
      {"\"weights\": [1]", "\"weights\": [0.5, 0.5]", "colliders[0].weights: expected 1 numbers"},
      {"\"radius\": 0.08", "\"radius\": -0.08", "colliders[0].radius: expected more than 0, found -0.08"},
      {"\"radius\": 0.08", "\"radius\": null", "colliders[0].radius: expected a number"},
      {"\"radius\": 0.08, ", "", "colliders[0]: expected an object with 'radius'"},
      {"\"blend_with\": \"upper\"", "\"blend_with\": \"lower\"",
       "colliders[1].blend_with: expected the name of an earlier collider, found \"lower\""},
      {"\"blend_with\": \"upper\"", "\"blend_with\": 0", "colliders[1].blend_with: expected a string"},
      {"\"blend_with\": \"upper\",", "", "colliders[1]: expected 'blend_with'"},
      {"\"blend_radius\": 0.02", "\"blend_radius\": 0", "colliders[1].blend_radius: expected more than 0"},
      {"\"blend_radius\": 0.02", "\"blend_radius\": 0.02, \"fixed\": 1",
       "colliders[1].fixed: expected true or false"},
      {"\"colliders\": [", "\"colliders\": [7, ", "colliders[0]: expected an object"},
      {"}\n  ]\n}", "}\n  ]\n} ]", "expected JSON"},
  };
  for (const Change& change : changes) {
    std::string text = good;
    const size_t at = text.find(change.from);
    ASSERT_NE(at, std::string::npos) << change.from << " in\n" << good;
    text.replace(at, std::strlen(change.from), change.to);
    EXPECT_NE(message_of(text).find(change.message), std::string::npos)
        << change.to << "\n  expected: " << change.message << "\n  found: " << message_of(text);
  }
}

TEST(BodyFile, RefusesWhatIsMeantToDoHarm) {
  EXPECT_NE(message_of("").find("expected JSON"), std::string::npos);
  EXPECT_NE(message_of("[]").find("expected an object"), std::string::npos);
  EXPECT_NE(message_of(std::string(1000000, '[')).find("nesting"), std::string::npos);
  std::string nested;
  for (int k = 0; k < 100000; ++k) nested += "{\"a\":";
  EXPECT_NE(message_of(nested).find("nesting"), std::string::npos);
  EXPECT_NE(message_of("{\"a\": \"" + std::string(5 << 20, 'x') + "\"}").find("bytes"), std::string::npos);
  EXPECT_NE(message_of("{\"format\": \"\xff\xfe\"}").find("expected JSON"), std::string::npos);
  EXPECT_NE(message_of(std::string("{\"format\0\": 1}", 14)).find("expected JSON"), std::string::npos);

  // Too many entries are rejected by their number, before any is parsed.
  std::string many =
      "{\"format\": \"billow body\", \"version\": 1, \"character\": \"\", \"joints\": [{\"name\": "
      "\"j\", \"position\": [0, 0, 0], \"rotation\": [0, 0, 0, 1]}], \"colliders\": [0";
  for (int k = 0; k < 500000; ++k) many += ",0";
  EXPECT_NE(message_of(many + "]}").find("colliders: expected at most 128 colliders"), std::string::npos);
}

TEST(BodyFile, EndsWithAMessageWhereverItIsCutOrChanged) {
  const std::string good = body_to_text(person_file());
  std::mt19937 engine(7);
  for (int k = 0; k < 300; ++k) {
    std::string text = good.substr(0, engine() % good.size());
    EXPECT_NE(message_of(text), "(nothing was thrown)");
    text = good;
    for (int changes = 0; changes < 3; ++changes)
      text[engine() % text.size()] = "0123456789[]{},:\"-e.\\ x"[engine() % 23];
    message_of(text);  // must not crash
  }
}

class BodyFileOnDisk : public ::testing::Test {
 protected:
  BodyFileOnDisk() : folder_(fs::temp_directory_path() / ("billow_body_file_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~BodyFileOnDisk() override { fs::remove_all(folder_); }
  size_t entries() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_;
};

TEST_F(BodyFileOnDisk, IsWrittenWholeOrNotAtAll) {
  const BodyFile file = person_file();
  write_body_file(file, folder_ / "body.json");
  EXPECT_EQ(body_to_text(read_body_file(folder_ / "body.json")), body_to_text(file));
  EXPECT_EQ(entries(), 1u);
  // A folder has that name; no temporary file remains.
  fs::create_directories(folder_ / "folder.json/full");
  EXPECT_THROW(write_body_file(file, folder_ / "folder.json"), std::runtime_error);
  EXPECT_THROW(write_body_file(file, folder_ / "missing/body.json"), std::runtime_error);
  EXPECT_EQ(entries(), 2u);
}

TEST_F(BodyFileOnDisk, MessagesNameTheFile) {
  std::ofstream(folder_ / "bad.json") << "{}";
  for (const char* name : {"bad.json", "missing.json"}) {
    try {
      read_body_file(folder_ / name);
      ADD_FAILURE() << name;
    } catch (const std::runtime_error& e) {
      EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
    }
  }
  EXPECT_THROW(read_body_file(folder_), std::runtime_error) << "a folder";
}

}  // namespace
}  // namespace billow::fit
