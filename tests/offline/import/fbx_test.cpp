// FBX files through Assimp: units, skins, animations, and files that crash its reader.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <random>
#include <stdexcept>

#include "files.h"
#include "import/character.h"
#include "import/sandbox.h"

namespace billow::importer::fbx_test {
namespace {

// A strip 200 cm tall, skinned to two bones; the upper one rotates about z by 90 degrees in a second.
const char* const kStrip = R"(; FBX 7.4.0 project file
FBXHeaderExtension:  {
	FBXHeaderVersion: 1003
	FBXVersion: 7400
}
GlobalSettings:  {
	Version: 1000
	Properties70:  {
		P: "UpAxis", "int", "Integer", "",1
		P: "UpAxisSign", "int", "Integer", "",1
		P: "FrontAxis", "int", "Integer", "",2
		P: "FrontAxisSign", "int", "Integer", "",1
		P: "CoordAxis", "int", "Integer", "",0
		P: "CoordAxisSign", "int", "Integer", "",1
		P: "UnitScaleFactor", "double", "Number", "",1
	}
}
Objects:  {
	Geometry: 1, "Geometry::strip", "Mesh" {
		Vertices: *18 {
			a: -10,0,0,10,0,0,-10,100,0,10,100,0,-10,200,0,10,200,0
		}
		PolygonVertexIndex: *8 {
			a: 0,1,3,-3,2,3,5,-5
		}
		GeometryVersion: 124
	}
	Model: 2, "Model::strip", "Mesh" {
		Version: 232
	}
	NodeAttribute: 11, "NodeAttribute::lower", "LimbNode" {
		TypeFlags: "Skeleton"
	}
	Model: 12, "Model::lower", "LimbNode" {
		Version: 232
	}
	NodeAttribute: 13, "NodeAttribute::upper", "LimbNode" {
		TypeFlags: "Skeleton"
	}
	Model: 14, "Model::upper", "LimbNode" {
		Version: 232
		Properties70:  {
			P: "Lcl Translation", "Lcl Translation", "", "A",0,100,0
		}
	}
	Deformer: 20, "Deformer::", "Skin" {
		Version: 101
		Link_DeformAcuracy: 50
	}
	Deformer: 21, "SubDeformer::", "Cluster" {
		Version: 100
		UserData: "", ""
		Indexes: *4 {
			a: 0,1,2,3
		}
		Weights: *4 {
			a: 1,1,0.5,0.5
		}
		Transform: *16 {
			a: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1
		}
		TransformLink: *16 {
			a: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1
		}
	}
	Deformer: 22, "SubDeformer::", "Cluster" {
		Version: 100
		UserData: "", ""
		Indexes: *4 {
			a: 2,3,4,5
		}
		Weights: *4 {
			a: 0.5,0.5,1,1
		}
		Transform: *16 {
			a: 1,0,0,0,0,1,0,0,0,0,1,0,0,-100,0,1
		}
		TransformLink: *16 {
			a: 1,0,0,0,0,1,0,0,0,0,1,0,0,100,0,1
		}
	}
	AnimationStack: 30, "AnimStack::bend", "" {
		Properties70:  {
			P: "LocalStop", "KTime", "Time", "",46186158000
		}
	}
	AnimationLayer: 31, "AnimLayer::base", "" {
	}
	AnimationCurveNode: 32, "AnimCurveNode::R", "" {
		Properties70:  {
			P: "d|X", "Number", "", "A",0
			P: "d|Y", "Number", "", "A",0
			P: "d|Z", "Number", "", "A",0
		}
	}
	AnimationCurve: 33, "AnimCurve::", "" {
		Default: 0
		KeyVer: 4008
		KeyTime: *2 {
			a: 0,46186158000
		}
		KeyValueFloat: *2 {
			a: 0,90
		}
		KeyAttrFlags: *1 {
			a: 4
		}
		KeyAttrDataFloat: *4 {
			a: 0,0,0,0
		}
		KeyAttrRefCount: *1 {
			a: 2
		}
	}
}
Connections:  {
	C: "OO",2,0
	C: "OO",12,0
	C: "OO",14,12
	C: "OO",11,12
	C: "OO",13,14
	C: "OO",1,2
	C: "OO",20,1
	C: "OO",21,20
	C: "OO",22,20
	C: "OO",12,21
	C: "OO",14,22
	C: "OO",31,30
	C: "OO",32,31
	C: "OP",32,14, "Lcl Rotation"
	C: "OP",33,32, "d|Z"
}
)";

std::vector<V3> skinned(const Character& c, const body::Pose& pose) {
  std::vector<V3> out(c.skin.mesh.positions.size());
  body::skin_vertices(c.skin, body::joint_transforms(c.skeleton, pose), out);
  return out;
}

float nearest(const std::vector<V3>& all, V3 to) {
  float distance = 1e9f;
  for (const V3 p : all) distance = std::min(distance, length(p - to));
  return distance;
}

TEST(Fbx, BendsAStripOfCentimetres) {
  const TemporaryFile file("strip.fbx", kStrip);
  const Character c = read_character(file.path());
  ASSERT_EQ(c.skeleton.size(), 2u);
  EXPECT_EQ(c.skeleton.joints[1].name, "upper");
  EXPECT_NEAR(c.skeleton.joints[1].rest.position.y, 1, 1e-5f) << "centimetres became metres";
  ASSERT_EQ(c.skin.mesh.positions.size(), 6u);
  EXPECT_EQ(c.skin.mesh.triangles.size(), 4u);
  EXPECT_LT(nearest(c.skin.mesh.positions, {0.1f, 2, 0}), 1e-5f);
  const motion::Clip& bend = clip_named(c, "bend");
  EXPECT_NEAR(bend.duration(), 1, 0.05f);
  const std::vector<V3> end = skinned(c, bend.frames.back());
  EXPECT_LT(nearest(end, {-1, 1.1f, 0}), 1e-3f);
  EXPECT_LT(nearest(end, {0.05f, 1.05f, 0}), 1e-3f);
  EXPECT_NEAR(read_character(file.path(), {.scale = 0.02f}).skeleton.joints[1].rest.position.y, 2, 1e-5f);
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(Fbx, RefusesWhatIsBroken) {
  const std::string good = kStrip;
  size_t count = 0;
  for (const std::string& bad :
       {std::string(), good.substr(0, 700), std::string("Kaydara FBX Binary  \0\x1a\0\xe8\x1c\0\0", 27),
        with(good, "FBXVersion: 7400", "FBXVersion: 74"), with(good, "a: -10,0,0", "a: nan,0,0"),  // a vertex
        with(good, "a: 0,90", "a: 0,1e38"),                                                        // a key
        with(good, "a: 0,1,3,-3", "a: 0,1,99,-3"),        // a vertex index out of range
        with(good, "C: \"OO\",12,0", "C: \"OO\",12,14"),  // a cycle of bones
        with(good, "\"UnitScaleFactor\", \"double\", \"Number\", \"\",1",
             "\"UnitScaleFactor\", \"double\", \"Number\", \"\",1e5")}) {
    const TemporaryFile file("bad.fbx", bad);
    EXPECT_THROW(read_character(file.path()), std::runtime_error) << "case " << count;
    EXPECT_NE(message_of([&] { read_character(file.path()); }).find("bad.fbx: "), std::string::npos);
    ++count;
  }
}

TEST(Fbx, SurvivesRandomChanges) {
  const std::string good = kStrip;
  size_t read_anyway = 0;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    std::string bytes = good;
    for (size_t k = 0, n = 1 + random() % 3; k < n; ++k) {
      const size_t at = bytes.find_first_of("0123456789", random() % bytes.size());
      if (at != std::string::npos) bytes[at] = "0123456789-.e"[random() % 13];
    }
    const TemporaryFile file("changed.fbx", bytes);
    try {
      read_character(file.path());
      ++read_anyway;
    } catch (const std::runtime_error&) {
    }
  }
  EXPECT_GT(read_anyway, 5u);
}

TEST(Sandbox, DistinguishesReturnCrashTimeoutAndMemoryLimit) {
  constexpr size_t kMemory = size_t{4} << 30;
  EXPECT_EQ(probe_in_child([] {}, 10, kMemory), "");
  EXPECT_EQ(probe_in_child([] { throw std::runtime_error("no"); }, 10, kMemory), "")
      << "an exception is not a crash";
  EXPECT_NE(probe_in_child([] { std::abort(); }, 10, kMemory).find("signal 6"), std::string::npos);
  EXPECT_NE(probe_in_child([] { _exit(3); }, 10, kMemory).find("status 3"), std::string::npos);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const std::string greedy = probe_in_child(
      [] {
        for (std::vector<std::unique_ptr<std::string>> all;;)
          all.push_back(std::make_unique<std::string>(size_t{1} << 20, 'x'));
      },
      10, size_t{64} << 20);
  EXPECT_NE(greedy.find("more than 64 MB"), std::string::npos) << greedy;
#endif
  const std::string endless = probe_in_child(
      [] {
        for (volatile bool on = true; on;) {
        }
      },
      1, kMemory);
  EXPECT_NE(endless.find("more than 1 s"), std::string::npos) << endless;
}

}  // namespace
}  // namespace billow::importer::fbx_test
