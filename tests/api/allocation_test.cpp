// Real time: steps, poses, queries and readers allocate nothing; creation asks for one block.
//
// Every call of the malloc family in this program, the library's included, is redirected to the counting
// functions here by the linker (--wrap, tests/CMakeLists.txt). operator new is replaced so that it goes
// through them too.
#include <billow/billow.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <new>
#include <vector>

#include "support/colliders.h"
#include "support/tiny_garment.h"

namespace {
// Only what this thread allocates while it looks counts. Volatile, since compilers know that malloc changes
// no variables.
thread_local volatile bool t_counting = false;
thread_local volatile int t_allocations = 0;
void count() { t_allocations = t_allocations + t_counting; }
}  // namespace

extern "C" {
void* __real_malloc(size_t bytes);
void* __real_calloc(size_t count, size_t bytes);
void* __real_realloc(void* old, size_t bytes);
void* __real_aligned_alloc(size_t alignment, size_t bytes);
int __real_posix_memalign(void** out, size_t alignment, size_t bytes);

void* __wrap_malloc(size_t bytes) {
  count();
  return __real_malloc(bytes);
}
void* __wrap_calloc(size_t items, size_t bytes) {
  count();
  return __real_calloc(items, bytes);
}
void* __wrap_realloc(void* old, size_t bytes) {
  count();
  return __real_realloc(old, bytes);
}
void* __wrap_aligned_alloc(size_t alignment, size_t bytes) {
  count();
  return __real_aligned_alloc(alignment, bytes);
}
int __wrap_posix_memalign(void** out, size_t alignment, size_t bytes) {
  count();
  return __real_posix_memalign(out, alignment, bytes);
}
}

// The array and sized forms of the standard library end up in these. Not inlined, or GCC takes the
// free behind a new for a mistake.
[[gnu::noinline]] void* operator new(size_t bytes) {
  for (;;) {
    if (void* p = std::malloc(bytes > 0 ? bytes : 1)) return p;
    const std::new_handler handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    handler();
  }
}
// The sanitizer has one of its own, which does not.
[[gnu::noinline]] void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return std::malloc(bytes > 0 ? bytes : 1);
}
[[gnu::noinline]] void* operator new(size_t bytes, std::align_val_t alignment) {
  const size_t a = static_cast<size_t>(alignment);
  if (void* p = std::aligned_alloc(a, (bytes + a - 1) / a * a)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, size_t, std::align_val_t) noexcept { std::free(p); }

namespace billow {
namespace {

template <class F> int allocations_of(F f) {
  t_allocations = 0;
  t_counting = true;
  f();
  t_counting = false;
  return t_allocations;
}

// An allocator that keeps account, and can be out of memory.
struct Account {
  std::map<void*, size_t> blocks;
  int allocated = 0, released = 0;
  bool exhausted = false;
  size_t alignment = 0;

  static void* allocate(void* user, size_t bytes, size_t alignment) {
    auto* self = static_cast<Account*>(user);
    ++self->allocated;
    self->alignment = alignment;
    if (self->exhausted) return nullptr;
    void* p = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    self->blocks[p] = bytes;
    return p;
  }
  static void release(void* user, void* memory) {
    auto* self = static_cast<Account*>(user);
    ++self->released;
    EXPECT_EQ(self->blocks.erase(memory), 1u) << "released what was not allocated here";
    std::free(memory);
  }
  billow_allocator allocator() { return {allocate, release, this}; }
};

constexpr uint32_t kChains = 6, kRopes = 5, kBoneCount = kChains * (kRopes + 1);

struct Objects {
  std::vector<float> rest;
  std::vector<uint32_t> bones = std::vector<uint32_t>(kChains, kRopes + 1);
  std::vector<billow_transform> roots;
  std::vector<billow_collider> colliders;
  billow_chains_desc chains_desc{};
  billow_body_desc body_desc{};

  Objects() {
    for (uint32_t c = 0; c < kChains; ++c) {
      const double angle = 6.283185307179586 * c / kChains;
      for (uint32_t i = 0; i <= kRopes; ++i)
        for (double x : {0.3 * std::sin(angle), -0.1 * i, 0.3 * std::cos(angle)})
          rest.push_back(static_cast<float>(x));
      roots.push_back(testing::at(testing::vector_at(rest.data(), c * (kRopes + 1))));
    }
    colliders = {testing::capsule({{0, 0, 0}}, {{0, -0.6, 0}}, 0.25), testing::sphere({{0.2, -0.4, 0}}, 0.1),
                 testing::ellipsoid({{0, -0.5, 0.2}}, {{0.2, 0.1, 0.1}}),
                 testing::box({{0, -0.3, -0.2}}, {{0.1, 0.1, 0.1}})};
    colliders[1].blend_with = 0;
    colliders[1].blend_radius = 0.05f;
    chains_desc.chain_count = kChains;
    chains_desc.bone_counts = bones.data();
    chains_desc.rest_positions = rest.data();
    chains_desc.neighbours = chains_desc.closed = 1;
    body_desc.colliders = colliders.data();
    body_desc.collider_count = static_cast<uint32_t>(colliders.size());
    body_desc.joint_count = 1;
  }
};

TEST(Allocation, IsSeenByTheCounter) {
  void* volatile p = nullptr;
  EXPECT_EQ(allocations_of([&] { p = std::malloc(10); }), 1);
  std::free(p);
  EXPECT_EQ(allocations_of([&] { p = new int(3); }), 1);
  delete static_cast<int*>(p);
  EXPECT_EQ(allocations_of([&] { std::vector<float> v(100); }), 1);
  // And in the library: its creation is an allocation.
  const Objects o;
  billow_body* body = nullptr;
  EXPECT_EQ(allocations_of([&] { billow_body_create(&o.body_desc, &body); }), 1);
  billow_body_destroy(body);
}

TEST(Allocation, CreationAsksForOneBlockAndGivesItBack) {
  Account account;
  const billow_allocator allocator = account.allocator();
  Objects o;
  o.chains_desc.allocator = o.body_desc.allocator = &allocator;
  billow_chains* chains = nullptr;
  billow_body* body = nullptr;
  ASSERT_EQ(billow_chains_create(&o.chains_desc, &chains), BILLOW_OK);
  EXPECT_EQ(account.allocated, 1);
  EXPECT_GT(account.alignment, 0u);
  ASSERT_EQ(billow_body_create(&o.body_desc, &body), BILLOW_OK);
  EXPECT_EQ(account.allocated, 2);
  EXPECT_EQ(account.blocks.size(), 2u);

  // They work in that memory.
  const billow_transform joint = testing::at({});
  const billow_step step{1.0f / 60, o.roots.data(), kChains, nullptr, body, nullptr, 0};
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(billow_body_pose(body, &joint, 1, 1), BILLOW_OK);
    ASSERT_EQ(billow_chains_step(chains, &step), BILLOW_OK);
  }
  EXPECT_EQ(account.allocated, 2);
  billow_chains_destroy(chains);
  billow_body_destroy(body);
  EXPECT_EQ(account.released, 2);
  EXPECT_TRUE(account.blocks.empty());
}

TEST(Allocation, RefusedCreationLeavesNoBlockBehind) {
  Account account;
  const billow_allocator allocator = account.allocator();
  Objects o;
  o.chains_desc.allocator = o.body_desc.allocator = &allocator;
  std::vector<billow_transform> bad_roots(kChains, testing::at({}));
  bad_roots.back().position[0] = std::nanf("");
  o.chains_desc.root_rest = bad_roots.data();
  o.body_desc.joint_rest = &bad_roots.back();
  billow_chains* chains = nullptr;
  billow_body* body = nullptr;
  EXPECT_EQ(billow_chains_create(&o.chains_desc, &chains), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_body_create(&o.body_desc, &body), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(account.allocated, account.released);
  EXPECT_TRUE(account.blocks.empty());
}

TEST(Allocation, OutOfMemoryIsAStatus) {
  Account account;
  account.exhausted = true;
  const billow_allocator allocator = account.allocator();
  Objects o;
  o.chains_desc.allocator = o.body_desc.allocator = &allocator;
  billow_chains* chains = nullptr;
  billow_body* body = nullptr;
  EXPECT_EQ(billow_chains_create(&o.chains_desc, &chains), BILLOW_ERROR_OUT_OF_MEMORY);
  EXPECT_STRNE(billow_last_error(), "");
  EXPECT_EQ(billow_body_create(&o.body_desc, &body), BILLOW_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(chains, nullptr);
  EXPECT_EQ(body, nullptr);
  EXPECT_EQ(account.released, 0);
}

void swirl(void*, double time, const float* points, uint32_t points_count, float* velocities) {
  for (uint32_t i = 0; i < 3 * points_count; ++i) velocities[i] = points[i] + static_cast<float>(time);
}

TEST(Allocation, NothingInAFrameAllocates) {
  const Objects o;
  billow_chains* chains = nullptr;
  billow_body* body = nullptr;
  ASSERT_EQ(billow_chains_create(&o.chains_desc, &chains), BILLOW_OK);
  ASSERT_EQ(billow_body_create(&o.body_desc, &body), BILLOW_OK);
  // Everything on that can be.
  billow_settings settings = billow_settings_skirt();
  settings.drag.value = settings.rest_angle.value = settings.shrink.value = settings.panel_lift = 0.01f;
  settings.solver.impulses = 15;
  settings.solver.impulse.method = BILLOW_SOLVER_TOLERANCE;
  settings.solver.alternations = 3;
  settings.translation_inertia = settings.rotation_inertia = 0.5f;
  settings.profile = 1;
  const billow_wind wind{{2, 0, 1}, 0.5f, 1, 3, swirl, nullptr};

  std::vector<float> values(3 * kBoneCount), distances(kBoneCount), gradients(3 * kBoneCount);
  std::vector<int32_t> names(kBoneCount);
  std::vector<billow_contact> contacts(kBoneCount);
  std::vector<unsigned char> state(billow_chains_state_size(chains));
  billow_chains_report report{};
  billow_collider collider{};
  const float nowhere[3] = {};
  int lines = 0;
  billow_debug_draw draw{};
  draw.line = [](void* user, const float*, const float*, uint32_t) { ++*static_cast<int*>(user); };
  draw.user = &lines;
  uint32_t contact_count = 0, touched = 0;
  int failed = 0;
  const int allocations = allocations_of([&] {
    failed += billow_chains_set_settings(chains, &settings) != BILLOW_OK;
    failed += billow_chains_set_wind(chains, &wind) != BILLOW_OK;
    for (int frame = 0; frame < 60; ++frame) {
      const billow_transform joint = testing::at({{0.05 * std::sin(0.3 * frame), 0, 0}});
      const billow_step step{1.0f / 60, o.roots.data(), kChains, &joint, body, nullptr, 0};
      failed += billow_body_pose(body, &joint, 1, 1) != BILLOW_OK;
      failed += billow_chains_step(chains, &step) != BILLOW_OK;
      failed += billow_chains_get_positions(chains, values.data(), kBoneCount) != BILLOW_OK;
      failed += billow_body_query(body, BILLOW_ALL_GROUPS, values.data(), kBoneCount, BILLOW_NO_LIMIT,
                                  distances.data(), gradients.data(), names.data()) != BILLOW_OK;
      failed += billow_chains_get_velocities(chains, values.data(), kBoneCount) != BILLOW_OK;
      failed += billow_chains_get_tensions(chains, values.data(), kBoneCount) != BILLOW_OK;
      failed += billow_chains_get_contacts(chains, contacts.data(), kBoneCount, &contact_count) != BILLOW_OK;
      failed += billow_chains_get_report(chains, &report) != BILLOW_OK;
      failed += billow_chains_get_settings(chains, &settings) != BILLOW_OK;
      failed += billow_chains_save(chains, state.data(), state.size()) != BILLOW_OK;
      failed += billow_chains_restore(chains, state.data(), state.size()) != BILLOW_OK;
      failed += billow_chains_hash(chains) == 0;
      failed += billow_chains_set_paused(chains, frame % 7 == 0) != BILLOW_OK;
      failed += billow_chains_shift_origin(chains, nowhere) != BILLOW_OK;
      failed += billow_body_shift_origin(body, nowhere) != BILLOW_OK;
      failed += billow_body_get_posed_collider(body, 1, &collider) != BILLOW_OK;
      failed += billow_chains_debug_draw(chains, BILLOW_DEBUG_ALL, &draw) != BILLOW_OK;
      failed += billow_body_debug_draw(body, BILLOW_DEBUG_ALL, &draw) != BILLOW_OK;
      touched += contact_count;
    }
    const billow_step step{1.0f / 60, o.roots.data(), kChains, nullptr, body, nullptr, 0};
    const billow_transform joint = testing::at({});
    failed += billow_body_teleport(body, &joint, 1, 1) != BILLOW_OK;
    failed += billow_chains_teleport(chains, BILLOW_TELEPORT_KEEP, o.roots.data(), kChains) != BILLOW_OK;
    failed += billow_chains_settle(chains, &step, 0.5f) != BILLOW_OK;
    failed += billow_chains_step(chains, nullptr) == BILLOW_OK;  // a refusal does not allocate either
  });
  EXPECT_EQ(failed, 0) << billow_last_error();
  EXPECT_GT(touched, 0u) << "the scene is meant to collide";
  EXPECT_EQ(allocations, 0);
  billow_chains_destroy(chains);
  billow_body_destroy(body);
}

TEST(Allocation, FramesOfAGarmentAllocateNothing) {
  for (const auto form : {testing::Form::kWhole, testing::Form::kPatches}) {
    billow_garment* garment = testing::make_tiny_garment(1, form);
    billow_instance* instance = nullptr;
    ASSERT_EQ(billow_instance_create(garment, nullptr, &instance), BILLOW_OK);
    std::vector<float> out(3 * 99);
    const auto joints = testing::tiny_joints(3);
    billow_frame frame{};
    frame.dt = 1.0f / 60;
    frame.joints = joints.data();
    frame.joint_count = testing::kTinyJoints;
    // A ground that comes and goes, and something far away.
    const testing::BodyHandle near = testing::make_body({testing::half_space({{0, 0.3, 0}})}),
                              far = testing::make_body({testing::sphere({{90, 0, 0}}, 1)});
    const billow_body* others[] = {near.get(), far.get()};
    frame.others = others;
    billow_instance_options options = billow_instance_options_default();
    billow_bounds bounds{};
    const billow_debug_draw draw{};
    const float nowhere[3] = {};
    const int allocations = allocations_of([&] {
      for (int k = 0; k < 30; ++k) {
        options.linear_blend = k % 4 == 3;
        billow_instance_set_options(instance, &options);
        frame.teleport = k == 7 ? BILLOW_TELEPORT_RESET : BILLOW_TELEPORT_NONE;
        frame.scale = k < 20 ? 1.0f : 1.25f;
        frame.other_count = k % 3;
        billow_instance_step(instance, &frame);
        billow_instance_get_positions(instance, out.data(), 0, 99);
        billow_instance_get_normals(instance, out.data(), 0, 99);
        billow_instance_get_bones(instance, out.data(), 13);
        billow_instance_get_bounds(instance, &bounds);
        billow_instance_shift_origin(instance, nowhere);
        billow_instance_debug_draw(instance, BILLOW_DEBUG_ALL, &draw);
      }
      billow_instance_settle(instance, &frame, 1);
    });
    EXPECT_EQ(allocations, 0);
    billow_instance_destroy(instance);
    billow_garment_destroy(garment);
  }
}

}  // namespace
}  // namespace billow
