#include "bench_frames.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <stdexcept>
#include <thread>

#include "asset/garment_view.h"
#include "core/simd.h"
#include "evaluate/product.h"
#include "evaluate/strain.h"
#include "files/whole_file.h"
#include "pack/sections.h"
#include "playback.h"

#if defined(BILLOW_SIMD_SSE) && defined(__x86_64__)
#include <immintrin.h>
#endif

namespace billow::tool {
namespace {

// For steps on several threads, where the CPU time of one thread says nothing.
double wall_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double percentile_of(std::vector<double> values, double fraction) {
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1,
                         static_cast<size_t>(fraction * static_cast<double>(values.size())))];
}

void expect(billow_status status) {
  if (status != BILLOW_OK) throw std::runtime_error(billow_last_error());
}

struct DestroyInstance {
  void operator()(billow_instance* i) const { billow_instance_destroy(i); }
};
using Instance = std::unique_ptr<billow_instance, DestroyInstance>;

Instance make_instance(const BenchGarment& garment, bool profile,
                       billow_lengths lengths = BILLOW_LENGTHS_HIGH) {
  billow_instance* made = nullptr;
  expect(billow_instance_create(garment.get(), nullptr, &made));
  Instance instance(made);
  billow_instance_options options = billow_instance_options_default();
  options.profile = profile;
  options.lengths = lengths;
  expect(billow_instance_set_options(made, &options));
  return instance;
}

using Joints = std::vector<billow_transform>;
std::vector<Joints> all_joints(const BenchGarment& garment, const body::Person& person,
                               const motion::Clip& clip) {
  std::vector<Joints> out;
  for (const body::Pose& pose : clip.frames) out.push_back(garment.joints(person, pose));
  return out;
}

billow_frame frame_of(const Joints& joints) {
  billow_frame frame{};
  frame.dt = 1.0f / 60;
  frame.joints = joints.data();
  frame.joint_count = static_cast<uint32_t>(joints.size());
  return frame;
}

// Reads `data` once as kStreams interleaved streams.
template <size_t kStreams> float read_once(const std::vector<float>& data) {
  const size_t part = data.size() / kStreams / 16 * 16;
  const float* from[kStreams];
  for (size_t s = 0; s < kStreams; ++s) from[s] = data.data() + s * part;
  F4 a = zero(), b = zero(), c = zero(), d = zero();
  for (size_t i = 0; i < part; i += 16) {
#pragma GCC unroll 8
    for (size_t s = 0; s < kStreams; ++s) {
      const float* p = from[s] + i;
      a += load(p), b += load(p + 4), c += load(p + 8), d += load(p + 12);
    }
  }
  return horizontal_max((a + b) + (c + d));
}

// Job callback for billow_crowd_step: threads take jobs from a shared counter.
struct Pool {
  int threads;

  static void run(void* user, billow_job job, void* data, uint32_t jobs) {
    std::atomic<uint32_t> next{0};
    const auto work = [&] {
      for (uint32_t k = next++; k < jobs; k = next++) job(data, k);
    };
    std::vector<std::thread> helpers;
    for (int t = 1; t < static_cast<Pool*>(user)->threads; ++t) helpers.emplace_back(work);
    work();
    for (std::thread& h : helpers) h.join();
  }
};

// Allocator that sums the requested bytes.
struct CountingAllocator {
  size_t bytes = 0;

  billow_allocator allocator() {
    return {[](void* user, size_t size, size_t alignment) -> void* {
              static_cast<CountingAllocator*>(user)->bytes += size;
              return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
            },
            [](void*, void* memory) { std::free(memory); }, this};
  }
};

}  // namespace

double own_ms() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

BenchGarment::BenchGarment(const std::string& file, const body::Person& person)
    : bytes_(files::read_whole_file(file, size_t{1} << 32)) {
  edges_ = evaluate::edges_of(pack::read_garment_asset(file).garment);
  open(file, person);
}

BenchGarment::BenchGarment(const pack::SampleOptions& sample, const body::Person& person) {
  const pack::GarmentData made = pack::sample_garment(person, sample);
  bytes_ = pack::pack_garment(made);
  edges_ = evaluate::edges_of(made.garment);
  open("synthetic", person);
}

void BenchGarment::open(const std::string& name, const body::Person& person) {
  const billow_garment_desc desc{bytes_.data(), bytes_.size(), 0, nullptr};
  billow_garment* made = nullptr;
  if (billow_garment_create(&desc, &made)) throw std::runtime_error(name + ": " + billow_last_error());
  garment_.reset(made);
  joints_ = evaluate::joints_needed(made, person.skeleton, name, "the built-in person");
  const pack::AlignedBytes aligned(bytes_);
  asset::GarmentView view;
  asset::Problem problem;
  if (!asset::read_garment(aligned.data(), aligned.size(), view, problem))
    throw std::runtime_error(name + ": " + problem.text);
  bones_ = view.bones.size();
  if (view.patches.record)
    expansion_ =
        3.0 * static_cast<double>(pack::shared_vertices(view.patches)) * view.patches.record->basis_columns();
  else
    expansion_ = 3.0 * view.record->vertices * view.basis.columns;
}

std::vector<billow_transform> BenchGarment::joints(const body::Person& person, const body::Pose& pose) const {
  const std::vector<Transform> all = body::joint_transforms(person.skeleton, pose);
  std::vector<Transform> wanted;
  for (const size_t j : joints_) wanted.push_back(all[j]);
  return body::to_api(wanted);
}

FrameFigures time_frames(const BenchGarment& garment, const body::Person& person, const motion::Clip& clip,
                         billow_lengths lengths) {
  const std::vector<Joints> joints = all_joints(garment, person, clip);
  std::vector<double> frames, stages[BILLOW_FRAME_STAGE_COUNT];
  FrameFigures f;
  // Play the clip twice: without profiling for frame times, then with profiling for stage times.
  for (const bool profile : {false, true}) {
    const Instance instance = make_instance(garment, profile, lengths);
    for (const Joints& j : joints) {
      const billow_frame frame = frame_of(j);
      const double start = own_ms();
      expect(billow_instance_step(instance.get(), &frame));
      if (!profile) frames.push_back(own_ms() - start);
      billow_instance_report report;
      expect(billow_instance_get_report(instance.get(), &report));
      for (int k = 0; k < BILLOW_FRAME_STAGE_COUNT && profile; ++k)
        stages[k].push_back(1e3 * report.stage_seconds[k]);
      if (profile) f.pushed += report.pushed / static_cast<double>(joints.size());
    }
  }
  // Play it once more for strain: the same calls give the same bits, and nothing between the timed steps uses the cache.
  evaluate::StrainSum strain;
  const Instance instance = make_instance(garment, false, lengths);
  for (const Joints& j : joints) {
    const billow_frame frame = frame_of(j);
    expect(billow_instance_step(instance.get(), &frame));
    strain.add(garment.edges(), {billow_instance_position_data(instance.get()), 3 * garment.vertices()});
  }
  f.strain_mean = strain.mean(), f.strain_p99 = strain.p99();
  f.p50 = percentile_of(frames, 0.5), f.p99 = percentile_of(frames, 0.99);
  for (int k = 0; k < BILLOW_FRAME_STAGE_COUNT; ++k) f.stages[k] = percentile_of(stages[k], 0.5);
  return f;
}

CrowdFigures time_crowd(const BenchGarment& garment, const body::Person& person, const motion::Clip& clip,
                        uint32_t characters, int threads) {
  const std::vector<Joints> joints = all_joints(garment, person, clip);
  std::vector<Instance> crowd;
  std::vector<billow_instance*> handles;
  for (uint32_t c = 0; c < characters; ++c) {
    crowd.push_back(make_instance(garment, true));
    handles.push_back(crowd.back().get());
  }
  constexpr size_t kWarmUp = 20, kFrames = 12;  // the chains settle during warm-up
  std::vector<double> all, expand;
  Pool pool{threads};
  const billow_jobs jobs{Pool::run, &pool};
  for (size_t k = 0; k < kWarmUp + kFrames; ++k) {
    std::vector<billow_frame> frames;
    for (uint32_t c = 0; c < characters; ++c) frames.push_back(frame_of(joints[(k + 7 * c) % joints.size()]));
    const auto now = threads > 1 ? wall_ms : own_ms;
    const double start = now();
    expect(billow_crowd_step(handles.data(), frames.data(), characters, threads > 1 ? &jobs : nullptr));
    if (k < kWarmUp) continue;
    all.push_back(now() - start);
    double sum = 0;
    for (const billow_instance* i : handles) {
      billow_instance_report report;
      expect(billow_instance_get_report(i, &report));
      sum += 1e3 * report.stage_seconds[BILLOW_FRAME_STAGE_EXPAND];
    }
    expand.push_back(sum);
  }
  // Stage times are wall time: take the minimum, the frame least disturbed by other load.
  return {characters, threads, percentile_of(all, 0.5) / characters, percentile_of(expand, 0) / characters};
}

LevelFigures time_levels(const BenchGarment& garment, const body::Person& person, const motion::Clip& clip,
                         uint32_t characters, bool all_in_view) {
  const std::vector<Joints> joints = all_joints(garment, person, clip);
  const uint32_t near = characters / 10;
  std::vector<Instance> crowd;
  std::vector<billow_instance*> handles;
  std::vector<billow_view> views;
  const float nearest = billow_levels_default().near_distance;
  for (uint32_t c = 0; c < characters; ++c) {
    crowd.push_back(make_instance(garment, false));
    handles.push_back(crowd.back().get());
    // As many on each square metre up to six times the distance.
    const float share = static_cast<float>(c - near) / static_cast<float>(characters - near);
    views.push_back({c < near ? 0.5f * nearest : nearest * std::sqrt(1.01f + 35 * share),
                     all_in_view || c < near || c % 6 == 0});
  }
  constexpr size_t kWarmUp = 48, kFrames = 32;  // whole intervals
  LevelFigures out{characters, near, 0, 0, 0};
  std::vector<double> alone;
  for (size_t k = 0; k < kWarmUp + kFrames; ++k) {
    std::vector<billow_frame> frames;
    for (uint32_t c = 0; c < characters; ++c) frames.push_back(frame_of(joints[(k + 7 * c) % joints.size()]));
    expect(billow_crowd_choose_levels(handles.data(), frames.data(), views.data(), characters, nullptr));
    const double start = own_ms();
    expect(billow_crowd_step(handles.data(), frames.data(), near, nullptr));
    const double between = own_ms();
    expect(billow_crowd_step(handles.data() + near, frames.data() + near, characters - near, nullptr));
    if (k < kWarmUp) continue;
    out.near_ms += (between - start) / kFrames, out.far_ms += (own_ms() - between) / kFrames;
  }
  out.full_ms = out.near_ms / near;
  return out;
}

double time_sleepers(const BenchGarment& garment, const body::Person& person, uint32_t characters) {
  const Joints joints = garment.joints(person, body::rest_pose(person.skeleton));
  std::vector<Instance> crowd;
  std::vector<billow_instance*> handles;
  for (uint32_t c = 0; c < characters; ++c) {
    crowd.push_back(make_instance(garment, false));
    handles.push_back(crowd.back().get());
  }
  billow_frame frame = frame_of(joints);
  frame.skip_mesh = 1;
  billow_instance_report report{};
  for (int k = 0; k < 60 * 60 && !report.asleep; ++k) {
    expect(billow_instance_step(handles[0], &frame));
    expect(billow_instance_get_report(handles[0], &report));
  }
  if (!report.asleep) throw std::runtime_error("a character that stands still for a minute does not sleep");
  std::vector<std::byte> state(billow_instance_state_size(handles[0]));
  expect(billow_instance_save(handles[0], state.data(), state.size()));
  for (billow_instance* i : handles) expect(billow_instance_restore(i, state.data(), state.size()));
  const std::vector<billow_frame> frames(characters, frame_of(joints));
  const auto step = [&] { expect(billow_crowd_step(handles.data(), frames.data(), characters, nullptr)); };
  step();  // shows the mesh
  std::vector<double> all;
  for (int k = 0; k < 20; ++k) {
    const double start = own_ms();
    step();
    all.push_back((own_ms() - start) / characters);
  }
  return percentile_of(all, 0.5);
}

LayerFigures time_layers(const BenchGarment& outer, const BenchGarment& inner, const body::Person& person,
                         const motion::Clip& clip) {
  const std::vector<Joints> inner_joints = all_joints(inner, person, clip),
                            outer_joints = all_joints(outer, person, clip);
  const Instance under = make_instance(inner, false), alone = make_instance(outer, false),
                 over = make_instance(outer, false);
  LayerFigures f;
  CountingAllocator counter;
  const billow_allocator allocator = counter.allocator();
  billow_body* layer = nullptr;
  expect(billow_body_create_layer(under.get(), &allocator, &layer));
  const std::unique_ptr<billow_body, void (*)(billow_body*)> held(layer, billow_body_destroy);
  f.bytes = counter.bytes;
  std::vector<double> times[4];
  const auto time = [&](std::vector<double>& to, auto call) {
    const double start = own_ms();
    expect(call());
    to.push_back(own_ms() - start);
  };
  for (size_t k = 0; k < inner_joints.size(); ++k) {
    const billow_frame of_inner = frame_of(inner_joints[k]), of_outer = frame_of(outer_joints[k]);
    billow_frame of_over = of_outer;
    of_over.others = &layer, of_over.other_count = 1;
    time(times[0], [&] { return billow_instance_step(under.get(), &of_inner); });
    time(times[1], [&] { return billow_instance_step(alone.get(), &of_outer); });
    time(times[2], [&] { return billow_body_pose_layer(layer, under.get()); });
    time(times[3], [&] { return billow_instance_step(over.get(), &of_over); });
  }
  f.inner_ms = percentile_of(times[0], 0.5), f.outer_ms = percentile_of(times[1], 0.5);
  f.layer_ms = percentile_of(times[2], 0.5), f.over_ms = percentile_of(times[3], 0.5);
  return f;
}

MemoryFigures count_memory(const BenchGarment& garment) {
  MemoryFigures out;
  CountingAllocator counter;
  const billow_allocator allocator = counter.allocator();
  const billow_garment_desc desc{garment.bytes().data(), garment.bytes().size(), 0, &allocator};
  billow_garment* loaded = nullptr;
  expect(billow_garment_create(&desc, &loaded));
  billow_garment_destroy(loaded);
  out.garment = counter.bytes;
  billow_instance* instance = nullptr;
  expect(billow_instance_create(garment.get(), &allocator, &instance));
  billow_instance_destroy(instance);
  out.instance = counter.bytes - out.garment;
  return out;
}

double time_stream(size_t vertices) {
  constexpr size_t kComponents = 200;
  const std::vector<float> data(3 * vertices * kComponents, 1.0f);
  double best = 1e9;
  volatile float kept = 0;
  const auto time = [&](auto read) {
    for (int k = 0; k < 15; ++k) {
      const double start = own_ms();
      kept = read(data);
      best = std::min(best, own_ms() - start);
    }
  };
  time(read_once<1>), time(read_once<2>), time(read_once<3>), time(read_once<4>);
  time(read_once<5>), time(read_once<6>), time(read_once<7>), time(read_once<8>);
  (void)kept;
  return best;
}

#if defined(BILLOW_SIMD_SSE) && defined(__x86_64__)
namespace {

// Minimum time in seconds, over 20 runs, of kFmaIterations * kFmaAccumulators vector FMAs of eight or sixteen
// lanes.
constexpr int kFmaIterations = 200000, kFmaAccumulators = 12;
void keep(float value) {
  volatile float kept = value;
  (void)kept;
}
__attribute__((target("avx2,fma"))) double time_avx2_fma() {
  double best = 1e9;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const __m256 a = _mm256_set1_ps(0.5f + static_cast<float>(repeat)), b = _mm256_set1_ps(0.25f);
    __m256 sums[kFmaAccumulators];
    for (__m256& s : sums) s = a;
    const double start = own_ms();
    for (int t = 0; t < kFmaIterations; ++t)
#pragma GCC unroll 12
      for (int k = 0; k < kFmaAccumulators; ++k) sums[k] = _mm256_fmadd_ps(a, b, sums[k]);
    best = std::min(best, 1e-3 * (own_ms() - start));
    for (const __m256& s : sums) keep(_mm256_cvtss_f32(s));
  }
  return best;
}
__attribute__((target("avx512f"))) double time_avx512_fma() {
  double best = 1e9;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const __m512 a = _mm512_set1_ps(0.5f + static_cast<float>(repeat)), b = _mm512_set1_ps(0.25f);
    __m512 sums[kFmaAccumulators];
    for (__m512& s : sums) s = a;
    const double start = own_ms();
    for (int t = 0; t < kFmaIterations; ++t)
#pragma GCC unroll 12
      for (int k = 0; k < kFmaAccumulators; ++k) sums[k] = _mm512_fmadd_ps(a, b, sums[k]);
    best = std::min(best, 1e-3 * (own_ms() - start));
    for (const __m512& s : sums) keep(_mm512_cvtss_f32(s));
  }
  return best;
}

}  // namespace
#endif

double fma_peak() {
#if defined(BILLOW_SIMD_NEON)
  // Use sixteen named accumulators: the compiler keeps an array in memory.
  constexpr int kFmaIterations = 200000;
  double best = 1e9;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const float seed = static_cast<float>(repeat);
    const float32x4_t a0 = vdupq_n_f32(seed + 0.1f), a1 = vdupq_n_f32(seed + 0.2f),
                      a2 = vdupq_n_f32(seed + 0.3f), a3 = vdupq_n_f32(seed + 0.4f),
                      b0 = vdupq_n_f32(0.5f + seed), b1 = vdupq_n_f32(0.6f + seed),
                      b2 = vdupq_n_f32(0.7f + seed), b3 = vdupq_n_f32(0.8f + seed);
    float32x4_t s0 = a0, s1 = a1, s2 = a2, s3 = a3, s4 = b0, s5 = b1, s6 = b2, s7 = b3, s8 = a0, s9 = a1,
                s10 = a2, s11 = a3, s12 = b0, s13 = b1, s14 = b2, s15 = b3;
    const double start = own_ms();
    for (int t = 0; t < kFmaIterations; ++t) {
      s0 = vfmaq_f32(s0, a0, b0), s1 = vfmaq_f32(s1, a1, b1), s2 = vfmaq_f32(s2, a2, b2),
      s3 = vfmaq_f32(s3, a3, b3);
      s4 = vfmaq_f32(s4, a0, b1), s5 = vfmaq_f32(s5, a1, b2), s6 = vfmaq_f32(s6, a2, b3),
      s7 = vfmaq_f32(s7, a3, b0);
      s8 = vfmaq_f32(s8, a0, b2), s9 = vfmaq_f32(s9, a1, b3), s10 = vfmaq_f32(s10, a2, b0);
      s11 = vfmaq_f32(s11, a3, b1), s12 = vfmaq_f32(s12, a0, b3), s13 = vfmaq_f32(s13, a1, b0);
      s14 = vfmaq_f32(s14, a2, b1), s15 = vfmaq_f32(s15, a3, b2);
    }
    best = std::min(best, 1e-3 * (own_ms() - start));
    volatile float kept = vaddvq_f32(s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7) +
                          vaddvq_f32(s8 + s9 + s10 + s11 + s12 + s13 + s14 + s15);
    (void)kept;
  }
  return 16.0 * 4 * kFmaIterations / best;
#elif defined(BILLOW_SIMD_SSE) && defined(__x86_64__)
  const auto peak = [](int lanes, double seconds) {
    return double{kFmaAccumulators} * lanes * kFmaIterations / seconds;
  };
  if (__builtin_cpu_supports("avx512f")) return peak(16, time_avx512_fma());
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return peak(8, time_avx2_fma());
  return 0;
#else
  return 0;
#endif
}

}  // namespace billow::tool
