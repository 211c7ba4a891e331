// Crowds: many characters in one garment, stepped together on threads.
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "objects.h"

namespace billow::python {
namespace {

// Runs the jobs of a step on threads that live as long as the step, so that there are none between steps: nothing to end with the
// interpreter, or to miss after a fork. The first exception of Python code that jobs call is kept for the calling thread.
struct Threads {
  uint32_t count;

  static void run(void* user, billow_job job, void* data, uint32_t jobs) {
    std::atomic<uint32_t> next{0};
    std::mutex mutex;
    std::exception_ptr failure;
    const auto work = [&] {
      for (uint32_t k = next++; k < jobs; k = next++) job(data, k);
      if (std::exception_ptr found = take_failure()) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::move(found);
      }
    };
    std::vector<std::thread> others;
    try {
      for (uint32_t t = 1; t < std::min(static_cast<Threads*>(user)->count, jobs); ++t)
        others.emplace_back(work);
    } catch (const std::system_error&) {
      // The system has no more threads: those there are do all the work.
    }
    work();
    for (std::thread& thread : others) thread.join();
    if (!failure) return;
    try {
      std::rethrow_exception(failure);
    } catch (...) {
      keep_failure();
    }
  }
};

// Characters are (instance, joints, space or None, body or None) each. `views`: (distances, visible) or None; `levels`: bytes, with views.
void step(const py::list& characters, float dt, const py::array& scales, const py::array& teleports,
          const py::array& skip_mesh, const py::list& bodies, const py::object& views,
          const py::object& levels, uint32_t threads) {
  const auto count = static_cast<uint32_t>(characters.size());
  Access access;
  std::vector<billow_instance*> instances(count);
  std::vector<billow_frame> frames(count, billow_frame_default());
  const float* scale = read_rows_or_none<float>(scales, 0, count);
  const int32_t* teleport = read_rows_or_none<int32_t>(teleports, 0, count);
  const int32_t* skip = read_rows_or_none<int32_t>(skip_mesh, 0, count);
  // What is written first: a character's body may then be among the others.
  for (uint32_t k = 0; k < count; ++k) access.write(py::tuple(characters[k])[0].cast<const Instance&>());
  const std::vector<const billow_body*> others = read_bodies(bodies, access);
  for (uint32_t k = 0; k < count; ++k) {
    const py::tuple character = characters[k];
    billow_frame& frame = frames[k];
    instances[k] = character[0].cast<const Instance&>().handle;
    frame.dt = dt;
    frame.joints = read_transforms(character[1], &frame.joint_count);
    frame.space = read_transform(character[2]);
    frame.body = read_body(character[3], access);
    frame.scale = scale[k], frame.teleport = static_cast<billow_teleport>(teleport[k]),
    frame.skip_mesh = skip[k];
    frame.others = others.data(), frame.other_count = static_cast<uint32_t>(others.size());
  }
  if (!views.is_none()) {
    const py::tuple seen = views;
    const float* distances = read_rows_or_none<float>(seen[0], 0, count);
    const int32_t* visible = read_rows_or_none<int32_t>(seen[1], 0, count);
    const billow_levels chosen = from_bytes<billow_levels>(levels);
    std::vector<billow_view> by(count);
    for (uint32_t k = 0; k < count; ++k) by[k] = {distances[k], visible[k]};
    check(billow_crowd_choose_levels(instances.data(), frames.data(), by.data(), count, &chosen));
  }
  Threads pool{threads};
  const billow_jobs jobs{Threads::run, &pool};
  run_released([&] {
    return billow_crowd_step(instances.data(), frames.data(), count, threads > 1 ? &jobs : nullptr);
  });
}

}  // namespace

void add_crowds(py::module_& module) { module.def("crowd_step", &step); }

}  // namespace billow::python
