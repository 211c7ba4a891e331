// A simulated data set to train on: a cape of 400 vertices.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "dataset/simulate.h"
#include "learn/frames.h"

namespace billow::testing {

// The set of a whole program: simulating it takes longer than most trainings.
struct SimulatedFrames {
  SimulatedFrames()
      : folder(std::filesystem::temp_directory_path() / ("billow_train_data_" + std::to_string(getpid()))) {
    const body::Person person = body::make_person();
    const body::Skin skin = body::make_skin(person.skeleton, person.colliders, {.vertices = 4000});
    dataset::Job job;
    job.request.frames = 300, job.request.unseen = 20, job.request.vertices = 400;
    job.folder = folder, job.threads = 2, job.skin = &skin;
    dataset::simulate(job);
    frames = std::make_unique<learn::Frames>(folder);
  }
  ~SimulatedFrames() {
    frames.reset();
    std::filesystem::remove_all(folder);
  }
  std::filesystem::path folder;
  std::unique_ptr<learn::Frames> frames;
};

class SimulatedSet : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const SimulatedFrames set;
    folder_ = set.folder, frames_ = set.frames.get();
  }
  static inline std::filesystem::path folder_;
  static inline const learn::Frames* frames_ = nullptr;
};

}  // namespace billow::testing
