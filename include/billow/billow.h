/* Billow: loose clothing in real time. The C API; this header is its manual.
 *
 *     billow_body      a character's colliders: shapes on joints, posed once per frame
 *     billow_chains    rope chains hanging from roots, simulated against a body
 *     billow_garment   a garment file, immutable, shared by all instances
 *     billow_instance  one character in a garment: chains, networks, a mesh
 *
 * A frame of a garment is one call, and its mesh another:
 *
 *     check(billow_instance_step(instance, &frame));
 *     check(billow_instance_get_positions(instance, out, stride, count));
 *
 * A frame of chains alone is two calls:
 *
 *     check(billow_body_pose(body, joints, joint_count, scale));
 *     check(billow_chains_step(chains, &step));
 *
 * Then read positions, velocities, tensions, contacts or the report.
 *
 * Conventions
 *   Units       SI: metres, kilograms, seconds, newtons, radians.
 *   Axes        right-handed; gravity's default points along -y.
 *   Vectors     3 floats x y z; arrays of them are tightly packed. Quaternions x y z w.
 *   Names       functions that return a value are nouns (billow_garment_vertex_count); functions
 *               that fill the caller's memory are billow_*_get_*. Values of an enum begin with its
 *               name, but for BILLOW_OK and BILLOW_ERROR_*. billow_get_api is what hosts look up.
 *   Structs     a struct that the caller fills starts from its billow_*_default(); later versions
 *               may add fields.
 *   Buffers     the caller owns every buffer. Inputs are read during the call only. An output
 *               function needs room for the number of elements its comment states; a smaller
 *               `capacity` is BILLOW_ERROR_BUFFER_TOO_SMALL, the message says how many are needed,
 *               and nothing is written.
 *   NULL        not allowed unless the comment says so.
 *   Errors      functions return a billow_status. On anything but BILLOW_OK nothing has changed
 *               and billow_last_error() says what was expected and what was found.
 *   Real time   billow_instance_step, billow_chains_step, billow_body_pose and all readers allocate
 *               nothing, take no lock and do no input or output.
 *   Threads     different objects may be used from different threads at the same time. One
 *               object is used by one thread at a time; a body may be read (by steps and queries)
 *               from many threads while nobody poses it, a garment always. There are no hidden threads and no
 *               global state but the per-thread error message and who listens to it (billow_set_log).
 *   Precision   positions are single floats in the space of the transforms you pass. Far from
 *               the origin (over about 250 m) their rounding shakes cloth: pass transforms relative
 *               to the character, or move the origin (billow_instance_shift_origin).
 *   Determinism the same calls give the same bits on every platform, compiler and optimisation
 *               level (docs/determinism.md).
 */
#ifndef BILLOW_BILLOW_H
#define BILLOW_BILLOW_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(BILLOW_SHARED)
#if defined(BILLOW_BUILDING)
#define BILLOW_API __declspec(dllexport)
#else
#define BILLOW_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define BILLOW_API __attribute__((visibility("default")))
#else
#define BILLOW_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define BILLOW_VERSION_MAJOR 0
#define BILLOW_VERSION_MINOR 1
#define BILLOW_VERSION_PATCH 0

/* "0.1.0": the version of the library that is linked. Never NULL. */
BILLOW_API const char* billow_version(void);

/* ---------------------------------------------------------------------------------------------
 * Status
 */

typedef enum billow_status {
  BILLOW_OK = 0,
  BILLOW_ERROR_INVALID_ARGUMENT = 1, /* a NULL, a wrong handle, a value out of range, a non-finite input */
  BILLOW_ERROR_OUT_OF_MEMORY = 2,    /* only from *_create */
  BILLOW_ERROR_BUFFER_TOO_SMALL = 3, /* the message says how many elements are needed */
  BILLOW_ERROR_BAD_DATA = 4,         /* bytes that are damaged, of another version or of another object */
  BILLOW_ERROR_CANNOT_READ = 5       /* a file that is not there or cannot be read */
} billow_status;

/* What the last failing call on this thread found wrong; "" before any. Valid until the next
 * failing call on this thread. Never NULL. */
BILLOW_API const char* billow_last_error(void);

/* Hears what every failing call finds wrong, as billow_last_error has it, on the thread of the call: for an engine's log.
 * Must be thread-safe, and must not call the library. For the whole process; may be called at any time. `log` has to stay
 * valid until another one is set and the calls of other threads at that moment have returned. NULL: nobody listens, as at
 * first. */
typedef struct billow_log {
  void (*write)(void* user, billow_status status, const char* message);
  void* user;
} billow_log;
BILLOW_API billow_status billow_set_log(const billow_log* log);

/* ---------------------------------------------------------------------------------------------
 * Small types
 */

/* Rotate, then translate. The rotation is normalised on input; all zero counts as identity. */
typedef struct billow_transform {
  float position[3];
  float rotation[4]; /* x y z w */
} billow_transform;

#define BILLOW_CURVE_POINTS 8

/* A parameter along a chain: `value` times a curve over depth, 0 at the root and 1 at the tip.
 * The curve is piecewise linear through `point_count` equally spaced points (0: constant 1). */
typedef struct billow_curve {
  float value;
  uint32_t point_count;
  float points[BILLOW_CURVE_POINTS];
} billow_curve;

/* Memory for one object, asked for once at creation. Both functions or neither. */
typedef struct billow_allocator {
  void* (*allocate)(void* user, size_t bytes, size_t alignment); /* NULL result: out of memory */
  void (*release)(void* user, void* memory);
  void* user;
} billow_allocator;

/* ---------------------------------------------------------------------------------------------
 * Body: colliders as signed distance functions, each following a joint or a blend of joints
 */

typedef struct billow_body billow_body;

typedef enum billow_shape {
  BILLOW_SHAPE_SPHERE = 0,          /* position, radius */
  BILLOW_SHAPE_CAPSULE = 1,         /* position to end, radius */
  BILLOW_SHAPE_TAPERED_CAPSULE = 2, /* position to end, radius to radius_end */
  BILLOW_SHAPE_ELLIPSOID = 3,       /* position, rotation, half_extents */
  BILLOW_SHAPE_BOX = 4, /* position, rotation, half_extents; edges rounded by radius (within the extents) */
  BILLOW_SHAPE_HALF_SPACE = 5, /* solid below `position`, its outward normal the rotated +y axis */
  BILLOW_SHAPE_CUSTOM =
      6, /* position, rotation, sdf, user, and radius as the bound described at billow_sdf_function */
  BILLOW_SHAPE_GRID = 7,  /* position, rotation, grid */
  BILLOW_SHAPE_NEURAL = 8 /* position, rotation, neural */
} billow_shape;

/* A signed distance function of the caller's: for `count` points (3 floats each, in the collider's
 * own frame) write the distance (negative inside) and its gradient (3 floats each, unit length).
 * It must never overestimate the distance. Points farther than the collider's `radius` from its
 * position are not passed: beyond it the surface counts as far away. Must be thread-safe if
 * the body is used by several threads. */
typedef void (*billow_sdf_function)(void* user, const float* points, uint32_t count, float* distances,
                                    float* gradients);

/* Signed distances at the points of a regular grid, interpolated between them. The grid is centred
 * on the collider's position and aligned with its axes. The surface has to lie inside: values at
 * the outermost points are positive, some value is negative. No value may overestimate the
 * distance. The values are not copied: they must stay valid and unchanged while any body uses
 * them. `billow body sdf` makes such grids from a mesh. */
typedef struct billow_sdf_grid {
  const int16_t* values; /* in multiples of `unit`; x varies fastest, then y, then z */
  uint32_t size[3];      /* points along x, y and z: 2 to 1024 */
  float spacing;         /* m between points */
  float unit;            /* m per value */
} billow_sdf_grid;

/* A signed distance as a neural network over a point p in the collider's own frame, in metres:
 *     phi(p) = c . s(B s(A p + a) + b) + d
 *     s(z) = 0 below -1, z above 1, (z + 1)^2 / 4 between
 * with two hidden layers of `width` units. As for grids, the weights are not copied. `billow body
 * sdf` trains such networks. */
typedef struct billow_neural_sdf {
  /* For each unit of the first layer its row of A and its entry of a; then for each unit of the
   * second its entry of b, its row of B and its entry of c; then d. */
  const float* weights;
  uint32_t width;        /* a multiple of 4 up to 64 */
  float half_extents[3]; /* m, the box round the collider's position in which the network is valid */
  float margin;          /* m, the least distance of the surface to the faces of that box */
} billow_neural_sdf;

/* Number of weights. */
#define BILLOW_NEURAL_SDF_WEIGHTS(width) ((width) * (width) + 6 * (width) + 1)

/* Colliders belong to groups, from which a garment chooses what it meets and how (billow_settings:
 * collider_groups, softness). These are the groups of the built-in person and of fitted characters;
 * the others up to BILLOW_COLLIDER_GROUPS are free. */
#define BILLOW_COLLIDER_GROUPS 8
#define BILLOW_ALL_GROUPS 0xffu /* one bit each */
typedef enum billow_collider_group {
  BILLOW_COLLIDER_GROUP_TRUNK = 0,
  BILLOW_COLLIDER_GROUP_HEAD = 1,
  BILLOW_COLLIDER_GROUP_UPPER_ARM = 2, /* shoulder to elbow */
  BILLOW_COLLIDER_GROUP_FOREARM = 3,   /* and hand */
  BILLOW_COLLIDER_GROUP_LEG = 4,
  BILLOW_COLLIDER_GROUP_WORLD = 5, /* grounds, walls, furniture: what is no part of a character */
  BILLOW_COLLIDER_GROUP_CLOTH = 6  /* garments under this one: billow_body_create_layer */
} billow_collider_group;

#define BILLOW_JOINTS_PER_COLLIDER 4
#define BILLOW_NO_BLEND (-1)

/* One collider, placed in model space with the joints at rest. Start from billow_collider_default. */
typedef struct billow_collider {
  billow_shape shape;
  float position[3];
  float rotation[4];
  float end[3];
  float radius;
  float radius_end;
  float half_extents[3];
  /* The joints it follows. Unused entries have weight 0; weights are normalised. */
  uint32_t joint[BILLOW_JOINTS_PER_COLLIDER];
  float weight[BILLOW_JOINTS_PER_COLLIDER];
  /* Smooth union with an earlier collider of the list (metaball-like): their surfaces and motions
   * merge where they come within blend_radius of each other. BILLOW_NO_BLEND: none. */
  int32_t blend_with;
  float blend_radius;
  uint32_t group; /* billow_collider_group, or a number of your own below BILLOW_COLLIDER_GROUPS */
  billow_sdf_function sdf;
  void* user;
  const billow_sdf_grid* grid;     /* read at creation */
  const billow_neural_sdf* neural; /* read at creation */
} billow_collider;

/* A sphere of 0.1 m at the origin on joint 0. */
BILLOW_API billow_collider billow_collider_default(void);

typedef struct billow_body_desc {
  const billow_collider* colliders;
  uint32_t collider_count; /* may be 0 */
  /* Joints at rest, in model space. NULL: all identity, so that a collider's placement is simply in
   * its joint's frame. */
  const billow_transform* joint_rest;
  uint32_t joint_count;              /* at least 1 */
  const billow_allocator* allocator; /* may be NULL: malloc */
} billow_body_desc;
BILLOW_API billow_body_desc billow_body_desc_default(void);

BILLOW_API billow_status billow_body_create(const billow_body_desc* desc, billow_body** out);
/* A body of one collider, the ground: all below `height`, of BILLOW_COLLIDER_GROUP_WORLD, standing still without being posed.
 * `allocator` may be NULL. */
BILLOW_API billow_status billow_body_create_ground(float height, const billow_allocator* allocator,
                                                   billow_body** out);
BILLOW_API void billow_body_destroy(billow_body* body); /* NULL is fine */

/* Moves the body to the joints' present transforms in world space. Between the last pose and this
 * one the colliders' positions and rotations are interpolated. The first pose after creation has
 * no motion; until then the body stands at rest, which is all that a wall needs. `scale` is the character's uniform scale, normally 1. */
BILLOW_API billow_status billow_body_pose(billow_body* body, const billow_transform* joints,
                                          uint32_t joint_count, float scale);
/* The same without motion from the last pose: after a teleport or a cut. */
BILLOW_API billow_status billow_body_teleport(billow_body* body, const billow_transform* joints,
                                              uint32_t joint_count, float scale);

/* Signed distance of points to the body at its present pose: to the colliders of these groups, one
 * bit each, or BILLOW_ALL_GROUPS. `points`: 3 * count floats.
 * `distances`: count floats. `gradients`: 3 * count floats or NULL. `colliders`: the nearest
 * collider of each point, or NULL.
 * Points farther than `limit` get `limit` as distance, 0 1 0 as gradient and -1 as collider:
 * a low limit is fast. BILLOW_NO_LIMIT computes all distances. Queries are fastest when points that
 * are close in the array are close in space. */
#define BILLOW_NO_LIMIT 1e30f
BILLOW_API billow_status billow_body_query(const billow_body* body, uint32_t groups, const float* points,
                                           uint32_t count, float limit, float* distances, float* gradients,
                                           int32_t* colliders);

BILLOW_API uint32_t billow_body_collider_count(const billow_body* body); /* 0 for NULL */
BILLOW_API float billow_body_scale(const billow_body* body); /* that of the last pose; 0 for NULL */

/* Collider `index` as it was described. `grid` and `neural` point to copies that live as long as the body. */
BILLOW_API billow_status billow_body_get_collider(const billow_body* body, uint32_t index,
                                                  billow_collider* out);
/* The same where the last pose has put it: position, rotation, end and all lengths in world space. Its rotation is that of
 * the shape's own frame, in which a capsule lies along y. A capsule with one end inside the other is a sphere. `grid` and
 * `neural` are still at scale 1. */
BILLOW_API billow_status billow_body_get_posed_collider(const billow_body* body, uint32_t index,
                                                        billow_collider* out);

/* Moves the body's present and last pose by `offset` (3 floats, in metres), when the engine moves the origin of its world: what
 * was at x is at x + offset. Go on with joints in the moved world; colliders gain no velocity from it. */
BILLOW_API billow_status billow_body_shift_origin(billow_body* body, const float* offset);

/* ---------------------------------------------------------------------------------------------
 * Chains
 */

typedef struct billow_chains billow_chains;

/* Limits. Exceeding one is an error at creation, never undefined behaviour. */
#define BILLOW_MAX_CHAINS 4096
#define BILLOW_MAX_BONES_PER_CHAIN 256
#define BILLOW_MAX_SUBSTEPS 32
#define BILLOW_MAX_COLLIDERS 128

typedef struct billow_chains_desc {
  uint32_t chain_count;
  /* Virtual bones of each chain, root included: at least 2. */
  const uint32_t* bone_counts;
  /* Rest positions, chain after chain from root to tip, in model space (3 floats per bone). */
  const float* rest_positions;
  /* The longest each rope may get, one float per bone (a root's entry is ignored). NULL: the rest
   * distance to the parent bone. */
  const float* max_lengths;
  /* Multipliers of the mass setting, one per bone. NULL: all 1. */
  const float* mass_factors;
  /* Distance of a bone to its neighbour on the next chain beyond which lateral_stretch pulls, one float per
   * bone (ignored for bones without that neighbour). Cloth that hangs in folds is longer between two chains
   * than their rest distance. The rest distance is the minimum, and the value for NULL. */
  const float* lateral_lengths;
  /* m2 of cloth that each bone represents. The part outside the panels between chains (along the edges of an
   * open garment) meets the air too, scaled by panel_folds. NULL: none. */
  const float* areas;
  /* Root transforms at rest, one per chain. NULL: at the root bone, not rotated. */
  const billow_transform* root_rest;
  /* Neighbouring chains of the list are neighbours on the garment: lateral springs, panels and lateral
   * collision join them. 0: independent chains (hair, straps). */
  int32_t neighbours;
  int32_t closed; /* the last chain is the first one's neighbour too (a skirt); at least 3 chains */
  /* Capacity: colliders that these chains will meet in one step, of the body and of others. 0: 32. */
  uint32_t max_colliders;
  const billow_allocator* allocator; /* may be NULL: malloc */
} billow_chains_desc;
BILLOW_API billow_chains_desc billow_chains_desc_default(void);

/* How the tri-diagonal systems for tensions and impulses are solved (paper: Velocity Update). */
typedef enum billow_solver {
  BILLOW_SOLVER_DIRECT = 0,   /* active set, exact: the default */
  BILLOW_SOLVER_SWEEPS = 1,   /* Gauss-Seidel, `sweeps` of them */
  BILLOW_SOLVER_TOLERANCE = 2 /* Gauss-Seidel until the relative change is under `tolerance` */
} billow_solver;

typedef struct billow_linear_solver {
  billow_solver method;
  uint32_t sweeps;    /* 1 to 10000; with BILLOW_SOLVER_TOLERANCE the maximum */
  float tolerance;    /* relative */
  int32_t warm_start; /* begin from the last step's solution instead of zero */
} billow_linear_solver;

/* Where in a sub-step impulses are applied; a bit mask. */
typedef enum billow_impulse {
  BILLOW_IMPULSE_AFTER_FIRST_VELOCITY = 1,
  BILLOW_IMPULSE_AFTER_MOVE = 2,
  BILLOW_IMPULSE_AFTER_COLLISION = 4,
  BILLOW_IMPULSE_AFTER_SECOND_VELOCITY = 8
} billow_impulse;

/* Direction of push-out and of the velocity's normal (paper: Collisions). */
typedef enum billow_contact_direction {
  BILLOW_CONTACT_DIRECTION_GRADIENT = 0, /* along the gradient of the signed distance */
  BILLOW_CONTACT_DIRECTION_HISTORY = 1   /* back along the bone's path, in the moving frame of the collider */
} billow_contact_direction;

/* How far to push. */
typedef enum billow_push_method {
  BILLOW_PUSH_METHOD_DEPTH = 0,      /* by the signed distance, `push_iterations` times */
  BILLOW_PUSH_METHOD_LINE_SEARCH = 1 /* to the surface along the direction, by bisection */
} billow_push_method;

typedef enum billow_teleport {
  BILLOW_TELEPORT_NONE = 0,
  BILLOW_TELEPORT_RESET = 1, /* back to the rest shape, at rest */
  BILLOW_TELEPORT_KEEP = 2   /* carried rigidly: shape and (rotated) velocity are kept */
} billow_teleport;

/* What solvers need. The defaults are right for cloth; what the paper does instead is named. */
typedef struct billow_solver_settings {
  /* Sub-steps and ropes */
  uint32_t min_substeps;        /* 1 */
  uint32_t max_substeps;        /* 8; BILLOW_MAX_SUBSTEPS at most */
  float substep_angle;          /* sub-steps keep a rope's rotation under this, in radians: 0.1 */
  billow_linear_solver tension; /* direct */
  billow_linear_solver impulse; /* direct */
  uint32_t impulses;            /* where impulses are applied: BILLOW_IMPULSE_AFTER_SECOND_VELOCITY */
  float tautness;               /* a rope is taut over (1 - tautness) times its maximum: 0.01 */
  float gap_return;         /* fraction of a taut rope's gap to its maximum that a sub-step may close: 0.2;
                                  paper: 0 */
  int32_t move_with_parent; /* 1: position update in the frame of the moving parent; paper: 0 */
  int32_t energy_guard;     /* 1: kinetic energy never exceeds what forces supplied */

  /* Collisions */
  billow_contact_direction push_direction;     /* history */
  billow_contact_direction velocity_direction; /* history */
  billow_push_method push_method;              /* depth */
  uint32_t push_iterations;                    /* 2 */
  float push_extra;                            /* m, pushed beyond the radius (paper: epsilon): 0 */
  uint32_t alternations;    /* of length constraint and collision, per bone: 1 as in the paper */
  uint32_t rope_samples;    /* points tested between a bone and its parent: 1; 0: bones only */
  uint32_t lateral_samples; /* points tested between neighbouring chains: 3; 0: none */
  int32_t swept;            /* 1: continuous collision detection against thin colliders */
} billow_solver_settings;

/* Everything that can be changed while running. Start from billow_settings_default. */
typedef struct billow_settings {
  /* Material */
  billow_curve mass;                /* kg per bone: 0.02 */
  billow_curve damping;             /* 1/s, relative to the parent bone, implicit: 0 */
  float global_damping;             /* 1/s, relative to still air, implicit: 0 */
  billow_curve lateral_stretch;     /* N/m, neighbours farther apart than at rest: 0 */
  billow_curve lateral_compression; /* N/m, neighbours closer than at rest: 0 */
  billow_curve lateral_shear;       /* N/m, diagonals between neighbours longer than those of the cloth: 0 */
  billow_curve rest_angle;          /* N, towards the rest angle with the parent rope: 0 */
  billow_curve shrink;              /* N/m, ropes shorter than their maximum: 0 */

  /* Gravity and air */
  float gravity[3];  /* 0 -9.81 0 */
  billow_curve drag; /* N s/m against the wind, per bone: 0 */
  float panel_drag;  /* drag coefficient of the panels between neighbours: 0 (1.2 is cloth-like) */
  float panel_lift;  /* their lift coefficient: 0 */
  float panel_folds; /* fraction of a panel's folded cloth that meets the air: 0 to 1 */
  float air_density; /* kg/m3: 1.2 */

  /* Contact */
  billow_curve radius;      /* m, of a bone: 0.005. Bones are kept this far from colliders */
  float friction;           /* 0.3 */
  uint32_t collider_groups; /* groups that chains and mesh meet, bit 1 << group each: BILLOW_ALL_GROUPS */
  /* Of each group, 0 to 1. 0: rigid. Above 0 its colliders push chains without friction and with at
   * most (1 - softness) times their weight: they sweep cloth aside, cannot carry or pinch it, and what
   * hangs over them sinks through. The mesh leaves them where it is less than 3 cm inside. */
  float softness[BILLOW_COLLIDER_GROUPS];
  /* Groups that yield, bit 1 << group each: 0. They are rigid without friction, but for what is within 35 mm of rigid colliders
   * that they face: a hand lifts cloth, and does not hold it against the hip. Their softness is not used. */
  uint32_t yielding_groups;

  /* Root motion */
  float translation_inertia; /* fraction of the space's translation that is felt: 1 */
  float rotation_inertia;    /* the same for its rotation: 1 */
  billow_teleport teleport;  /* what a jump over the thresholds does: keep */
  float teleport_distance;   /* m of a root in one step: 1e30, never */
  float teleport_angle;      /* radians of a root in one step: 1e30, never */

  /* N/m, between folds that meet, so that bones stay on their side of the panels of other chains: 0, they pass through */
  float self_contact;

  float learnt_force; /* share of the force that a garment's chains have learnt: 1; 0: off */
  float rest_speed;   /* m/s: chains slower than this everywhere come to rest: 0.01; 0: never */
  /* s. Chains whose bones have stayed within 8 mm for so long, on roots and colliders that stand still and without wind, fall asleep: they are not
   * stepped until roots, colliders, settings or wind change (BILLOW_FLAG_ASLEEP, billow_chains_wake): 1; 0: never */
  float sleep_after;
  float scale;     /* of the character: lengths and radii are multiplied by it: 1 */
  int32_t profile; /* 1: time the stages (one clock call each) */

  billow_solver_settings solver;
} billow_settings;

BILLOW_API billow_settings billow_settings_default(void);
/* Starting points for the two classic garments. */
BILLOW_API billow_settings billow_settings_cape(void);
BILLOW_API billow_settings billow_settings_skirt(void);

/* Velocity of the air at `count` points (3 floats each): write 3 floats each. `time` is the
 * chains' own clock in seconds. Called from within billow_chains_step. */
typedef void (*billow_wind_field)(void* user, double time, const float* points, uint32_t count,
                                  float* velocities);

typedef struct billow_wind {
  float velocity[3];       /* m/s */
  float gust;              /* 0 to 1: relative amplitude of gusts, in strength and direction */
  float gust_frequency;    /* Hz, of the lowest harmonic */
  uint32_t seed;           /* gusts are the same for the same seed and time */
  billow_wind_field field; /* added to the above; may be NULL */
  void* user;
} billow_wind;
BILLOW_API billow_wind billow_wind_default(void);

BILLOW_API billow_status billow_chains_create(const billow_chains_desc* desc, billow_chains** out);
BILLOW_API void billow_chains_destroy(billow_chains* chains); /* NULL is fine */

BILLOW_API billow_status billow_chains_set_settings(billow_chains* chains, const billow_settings* settings);
BILLOW_API billow_status billow_chains_get_settings(const billow_chains* chains, billow_settings* out);
BILLOW_API billow_status billow_chains_set_wind(billow_chains* chains, const billow_wind* wind);

BILLOW_API uint32_t billow_chains_chain_count(const billow_chains* chains); /* 0 for NULL */
BILLOW_API uint32_t billow_chains_bone_count(const billow_chains* chains);  /* all chains, roots included */

/* One frame. */
typedef struct billow_step {
  float dt; /* s. 0: chains are carried along by their roots. Over 0.25 it counts as 0.25 */
  const billow_transform* roots; /* one per chain, in world space, at the end of the step */
  uint32_t root_count;
  /* The space whose motion translation_inertia and rotation_inertia scale: the character's root, a vehicle, a
   * lift. NULL: world space, all motion is felt. */
  const billow_transform* space;
  const billow_body* body; /* what to collide with; may be NULL */
  /* What to collide with besides: ground, walls, other characters. `body` itself is passed over. */
  const billow_body* const* others;
  uint32_t other_count; /* 0: none */
} billow_step;
BILLOW_API billow_step billow_step_default(void);

/* Advances by step->dt. The first step after creation places the chains in their rest shape on the
 * roots. */
BILLOW_API billow_status billow_chains_step(billow_chains* chains, const billow_step* step);

/* Moves the chains to new roots without any motion in between. */
BILLOW_API billow_status billow_chains_teleport(billow_chains* chains, billow_teleport mode,
                                                const billow_transform* roots, uint32_t root_count);
/* Settles the chains on standing roots and body, for spawning: up to `seconds` of simulated time with strong
 * damping, until the fastest bone is slower than 1 mm/s. */
BILLOW_API billow_status billow_chains_settle(billow_chains* chains, const billow_step* step, float seconds);
/* Paused chains follow their roots rigidly in each step; on resuming they go on as they were. */
BILLOW_API billow_status billow_chains_set_paused(billow_chains* chains, int32_t paused);
/* Wakes chains that sleep, for a change that they cannot see: a caller's SDF that changes shape, another body in the place of one
 * that stood still. */
BILLOW_API billow_status billow_chains_wake(billow_chains* chains);
/* Moves the chains, and where gusts are, by `offset` (3 floats, in metres), when the engine moves the origin of its world:
 * what was at x is at x + offset. Go on with roots, space and body in the moved world. Velocities stay. */
BILLOW_API billow_status billow_chains_shift_origin(billow_chains* chains, const float* offset);

/* Results, chain after chain from root to tip. `capacity` counts bones: at least
 * billow_chains_bone_count(). */
BILLOW_API billow_status billow_chains_get_positions(const billow_chains* chains, float* out,
                                                     uint32_t capacity);
BILLOW_API billow_status billow_chains_get_velocities(const billow_chains* chains, float* out,
                                                      uint32_t capacity);
/* Newtons in the rope above each bone, of the last half step; 0 for roots and slack ropes. */
BILLOW_API billow_status billow_chains_get_tensions(const billow_chains* chains, float* out,
                                                    uint32_t capacity);

/* Sets positions and velocities of all bones, in the order of the getters: for an explosion, a hand-over from a
 * ragdoll, a cut. Either may be NULL and is then left unchanged. Roots stay with their transforms; the next step
 * shortens ropes that are too long. Only after the first step. */
BILLOW_API billow_status billow_chains_set_bones(billow_chains* chains, const float* positions,
                                                 const float* velocities, uint32_t count);

typedef struct billow_contact {
  uint32_t chain;
  uint32_t bone;    /* 0 is the root */
  int32_t collider; /* index in the body's list; the others' colliders follow in order */
  float normal[3];
} billow_contact;

/* Bones that touched a collider in the last step; sets *count to how many there are, in any case. `out` may be NULL if
 * `capacity` is 0. */
BILLOW_API billow_status billow_chains_get_contacts(const billow_chains* chains, billow_contact* out,
                                                    uint32_t capacity, uint32_t* count);

/* The stages of a step, in order. */
typedef enum billow_chain_stage {
  BILLOW_CHAIN_STAGE_FOLLOW = 0,     /* roots, space and colliders at the sub-step's times */
  BILLOW_CHAIN_STAGE_FORCES = 1,     /* external forces */
  BILLOW_CHAIN_STAGE_ACCELERATE = 2, /* tensions, half velocity update, damping (twice a sub-step) */
  BILLOW_CHAIN_STAGE_MOVE = 3,       /* position update */
  BILLOW_CHAIN_STAGE_COLLIDE = 4,    /* bones, ropes and lateral segments against the body */
  BILLOW_CHAIN_STAGE_IMPULSES = 5,   /* wherever impulses asks for them */
  BILLOW_CHAIN_STAGE_GUARD = 6,      /* energy guard and the check for non-finite values */
  BILLOW_CHAIN_STAGE_COUNT = 7
} billow_chain_stage;

BILLOW_API const char* billow_chain_stage_name(billow_chain_stage stage); /* "?" when out of range */

typedef enum billow_flag {
  BILLOW_FLAG_TELEPORTED = 1, /* a threshold was passed */
  BILLOW_FLAG_RECOVERED = 2,  /* a non-finite state was found; those chains were reset */
  BILLOW_FLAG_TRAPPED = 4,    /* a rope had to be shortened to keep a bone out of a collider */
  BILLOW_FLAG_ENCLOSED = 8,   /* a bone stayed inside a collider: no place within its rope's reach was free */
  BILLOW_FLAG_ENERGY_LIMITED = 16,  /* the energy guard slowed a chain down */
  BILLOW_FLAG_SUBSTEPS_CAPPED = 32, /* more sub-steps than max_substeps were wanted */
  BILLOW_FLAG_ASLEEP = 64           /* the chains rest and were not stepped; contacts are those of before */
} billow_flag;

typedef struct billow_chains_report {
  uint32_t flags;      /* billow_flag values, of the last step */
  uint32_t substeps;   /* taken in the last step */
  uint32_t contacts;   /* bones that touched a collider */
  uint32_t trapped;    /* bones with BILLOW_FLAG_TRAPPED */
  uint32_t enclosed;   /* bones with BILLOW_FLAG_ENCLOSED */
  float collider_work; /* J done by moving colliders on the chains, relative to their roots */
  double stage_seconds[BILLOW_CHAIN_STAGE_COUNT]; /* of the last step; all 0 unless settings.profile */
} billow_chains_report;

BILLOW_API billow_status billow_chains_get_report(const billow_chains* chains, billow_chains_report* out);

/* The full state (not settings, wind or description) as bytes, for replay and rollback. Restoring
 * into chains of the same description continues bit for bit. */
BILLOW_API size_t billow_chains_state_size(const billow_chains* chains); /* 0 for NULL */
BILLOW_API billow_status billow_chains_save(const billow_chains* chains, void* out, size_t capacity);
BILLOW_API billow_status billow_chains_restore(billow_chains* chains, const void* bytes, size_t size);

/* A hash of the state: equal states, equal hashes. For checking determinism. 0 for NULL. */
BILLOW_API uint64_t billow_chains_hash(const billow_chains* chains);

/* ---------------------------------------------------------------------------------------------
 * Garments: immutable contents of a garment file (docs/formats.md)
 */

typedef struct billow_garment billow_garment;

typedef struct billow_garment_desc {
  const void*
      bytes; /* a complete .billow file. Untrusted bytes are safe: a file that is not valid is refused */
  size_t size;
  /* 0: the bytes are copied. 1: they are used in place, such as a mapped file. They must then be aligned to 64
   * bytes and stay valid and unchanged until the garment is destroyed. */
  int32_t keep;
  const billow_allocator* allocator; /* may be NULL: malloc. Called at creation only */
} billow_garment_desc;
BILLOW_API billow_garment_desc billow_garment_desc_default(void);

/* Checks every byte first; takes some milliseconds. */
BILLOW_API billow_status billow_garment_create(const billow_garment_desc* desc, billow_garment** out);
/* The same from a file, which is read as a whole. `allocator` may be NULL. */
BILLOW_API billow_status billow_garment_load(const char* path, const billow_allocator* allocator,
                                             billow_garment** out);
/* Its instances must have been destroyed. NULL is fine. */
BILLOW_API void billow_garment_destroy(billow_garment* garment);

/* Counts; 0 for NULL. Bones are all virtual bones, including those that no chain simulates. */
BILLOW_API uint32_t billow_garment_vertex_count(const billow_garment* garment);
BILLOW_API uint32_t billow_garment_triangle_count(const billow_garment* garment);
BILLOW_API uint32_t billow_garment_bone_count(const billow_garment* garment);
BILLOW_API uint32_t billow_garment_joint_count(const billow_garment* garment);
BILLOW_API uint32_t billow_garment_key_joint(
    const billow_garment* garment); /* the joint whose motion is removed before decoding */

/* The garment's name, and the names of the joints that it expects, in the order a frame gives them: UTF-8, terminated by
 * a 0. `capacity` counts bytes, the 0 included; BILLOW_MAX_NAME is always enough. */
#define BILLOW_MAX_NAME 256
BILLOW_API billow_status billow_garment_get_name(const billow_garment* garment, char* out, size_t capacity);
BILLOW_API billow_status billow_garment_get_joint_name(const billow_garment* garment, uint32_t joint,
                                                       char* out, size_t capacity);
/* Rest transforms of these joints in model space. `capacity` counts joints. */
BILLOW_API billow_status billow_garment_get_joint_rest(const billow_garment* garment, billow_transform* out,
                                                       uint32_t capacity);
/* The parent of each of these joints, an earlier one, or BILLOW_NO_PARENT. `capacity` counts joints. */
#define BILLOW_NO_PARENT (-1)
BILLOW_API billow_status billow_garment_get_joint_parents(const billow_garment* garment, int32_t* out,
                                                          uint32_t capacity);
/* The garment's own colliders, on these joints, and their names (as billow_garment_get_joint_name). */
BILLOW_API uint32_t billow_garment_collider_count(const billow_garment* garment); /* 0 for NULL */
BILLOW_API billow_status billow_garment_get_collider(const billow_garment* garment, uint32_t index,
                                                     billow_collider* out);
BILLOW_API billow_status billow_garment_get_collider_name(const billow_garment* garment, uint32_t index,
                                                          char* out, size_t capacity);
/* Three vertices per triangle, counter-clockwise seen from outside. `capacity` counts triangles. */
BILLOW_API billow_status billow_garment_get_triangles(const billow_garment* garment, uint32_t* out,
                                                      uint32_t capacity);
/* Two floats per vertex: coordinates on the pattern in metres; all 0 for a garment without one. `capacity` counts
 * vertices. */
BILLOW_API billow_status billow_garment_get_uvs(const billow_garment* garment, float* out, uint32_t capacity);
/* The initial settings of its chains. */
BILLOW_API billow_status billow_garment_get_settings(const billow_garment* garment, billow_settings* out);
/* The bytes of a section of the file, such as "training" (JSON), valid as long as the garment; NULL and 0 if there is
 * none. */
BILLOW_API billow_status billow_garment_get_section(const billow_garment* garment, const char* name,
                                                    const void** bytes, size_t* size);

/* ---------------------------------------------------------------------------------------------
 * Instances: one character in a garment
 */

typedef struct billow_instance billow_instance;

/* The garment must outlive the instance. The instance starts as the rest mesh and bones in model space. `allocator` may be NULL. */
BILLOW_API billow_status billow_instance_create(const billow_garment* garment,
                                                const billow_allocator* allocator, billow_instance** out);
BILLOW_API void billow_instance_destroy(billow_instance* instance); /* NULL is fine */

/* The instance's chains, for settings, wind and contacts. The instance steps and destroys them. NULL for NULL. */
BILLOW_API billow_chains* billow_instance_chains(const billow_instance* instance);
/* The garment's own colliders as the last frame posed them. NULL for NULL. */
BILLOW_API const billow_body* billow_instance_body(const billow_instance* instance);

/* How far the mesh of the networks is brought back to the lengths of the pattern, frame by frame. A character that comes closer
 * may be switched on at any time. */
typedef enum billow_lengths {
  BILLOW_LENGTHS_OFF = 0, /* as decoded: for characters far away */
  BILLOW_LENGTHS_LOW = 1, /* half the sweeps over edges */
  BILLOW_LENGTHS_HIGH = 2
} billow_lengths;

typedef struct billow_instance_options {
  int32_t networks; /* 1; 0: the rest mesh, rigid on the key joint */
  int32_t shape;    /* 1: detail of the shape network; 0: skinning alone */
  /* 0; 1: linear blend skinning from the bones instead of networks, for comparison. Refused for a garment without skinning
   * weights (section "blend.weights"). */
  int32_t linear_blend;
  billow_lengths lengths; /* BILLOW_LENGTHS_HIGH */
  int32_t push_out;       /* 1: vertices leave the body */
  int32_t normals;        /* 1 */
  int32_t profile;        /* 0; 1: time the stages (one clock call each) */
  float
      clearance; /* m, least distance of vertices to the body after push-out: 0.005. Raise it for large triangles */
  float softness; /* m beyond the clearance over which the push fades in: 0.004 */
  /* Level of detail in time: chains and mesh are computed in every `interval`-th frame only, 1 to 16: 1. In the frames between, the
   * mesh goes with the key joint and from what was shown to what was computed, so that it is up to `interval` frames late.
   * `stagger`, 0 to 15, says in which of them: give neighbours different ones. billow_crowd_choose_levels does both. */
  uint32_t interval, stagger;
  uint32_t blend; /* frames over which a change of these options is blended, up to 240: 0, at once */
} billow_instance_options;

BILLOW_API billow_instance_options billow_instance_options_default(void);
BILLOW_API billow_status billow_instance_set_options(billow_instance* instance,
                                                     const billow_instance_options* options);
BILLOW_API billow_status billow_instance_get_options(const billow_instance* instance,
                                                     billow_instance_options* out);

/* One frame of a garment. */
typedef struct billow_frame {
  float dt;                       /* s. 0: the cloth is carried along rigidly. Over 0.25 it counts as 0.25 */
  const billow_transform* joints; /* in world space, in the order of the garment's joints */
  uint32_t joint_count;
  float scale;                   /* of the character, uniform; 0 counts as 1 */
  const billow_transform* space; /* as in billow_step; may be NULL */
  /* Colliders that the caller has posed, for several garments on one body. NULL: the garment's own, posed by this call. */
  const billow_body* body;
  billow_teleport
      teleport;      /* how the cloth takes a jump of the character: BILLOW_TELEPORT_NONE if there was none */
  int32_t skip_mesh; /* 1: chains only, for a character that is not drawn. The mesh is left unchanged */
  /* What the cloth meets besides: the ground, walls and furniture, doors, the bodies of other characters, posed by the caller and
   * shared by any number of instances. Their colliders count by their groups, as the body's do. All together have at most
   * BILLOW_MAX_COLLIDERS; those that are far away cost next to nothing. The body that the cloth meets already is passed over, so
   * that all characters may get the same list. billow_instance_body of another instance is as its last step posed it. */
  const billow_body* const* others;
  uint32_t other_count; /* 0: none */
} billow_frame;
BILLOW_API billow_frame billow_frame_default(void);

BILLOW_API billow_status billow_instance_step(billow_instance* instance, const billow_frame* frame);

/* Runs job(data, 0) to job(data, count - 1), on any threads and in any order, and returns when all of them have returned. */
typedef void (*billow_job)(void* data, uint32_t index);
typedef struct billow_jobs {
  void (*run)(void* user, billow_job job, void* data, uint32_t count);
  void* user;
} billow_jobs;

/* One frame of `count` characters in the same garment. A job steps up to eight characters, which share each read of the garment's
 * weights. `jobs` may be NULL: all jobs run here, one after the other. The result has the same bits as billow_instance_step for
 * each character, in any order and on any threads; where frames have others, all characters' own bodies are posed before any of
 * them steps, so that they may be among the others. */
BILLOW_API billow_status billow_crowd_step(billow_instance* const* instances, const billow_frame* frames,
                                           uint32_t count, const billow_jobs* jobs);
/* How a camera sees a character. */
typedef struct billow_view {
  float
      distance; /* m from the camera; times its field of view over 60 degrees, if that is much narrower or wider */
  int32_t visible; /* 0: beyond the edges of the picture, or hidden */
} billow_view;
/* What levels of detail are chosen by. */
typedef struct billow_levels {
  float
      near_distance; /* m: nearer characters are computed in every frame with all stages. Others cost the less the farther: 8 */
  float
      budget_ms; /* most that a frame of all characters may take, on one core; 0: any. near_distance shrinks until it fits */
  float
      frame_ms; /* what a full frame of one character takes on this machine (`billow bench`), for the budget: 2 */
} billow_levels;
BILLOW_API billow_levels billow_levels_default(void);

/* Chooses levels of detail, before billow_crowd_step: writes the options lengths, interval, stagger and blend of each instance, and
 * skip_mesh of each frame. Beyond near_distance chains and mesh are computed in every second, fourth or eighth frame, and with fewer
 * sweeps over lengths or none; characters that are not visible keep their chains alone. Levels change from one to the next in a third
 * of a second, and not to and fro. The cost depends on what was chosen, never on a clock, so that replays are the same. `levels`
 * may be NULL. */
BILLOW_API billow_status billow_crowd_choose_levels(billow_instance* const* instances, billow_frame* frames,
                                                    const billow_view* views, uint32_t count,
                                                    const billow_levels* levels);

/* Settles the chains on a standing character (billow_chains_settle), then computes the mesh. Ignores frame->dt. */
BILLOW_API billow_status billow_instance_settle(billow_instance* instance, const billow_frame* frame,
                                                float seconds);

/* Moves the instance with its chains, mesh and own colliders by `offset` (3 floats, in metres), when the engine moves the
 * origin of its world: what was at x is at x + offset. Go on with joints and space in the moved world: the cloth moves on as if
 * nothing had happened, but for the precision of floats, which is finer near the origin. Bodies of yours (frame.body, frame.others)
 * are yours to shift. */
BILLOW_API billow_status billow_instance_shift_origin(billow_instance* instance, const float* offset);

/* The full state (not settings, options or wind) as bytes, for replay and rollback: chains, the character's scale, the
 * pose from which the garment's own colliders move in the next frame, the shapes of patches, how far vertices are moved to keep
 * lengths, and what is shown between frames that are due. Restoring into any instance of the same garment continues bit for bit. The mesh is not part of it: a frame with dt 0 and the saved joints recomputes it. Bodies of the caller's (frame.body,
 * frame.others) are not part of it either: billow_body_teleport to the last pose restores them. */
BILLOW_API size_t billow_instance_state_size(
    const billow_instance* instance); /* 0 for NULL; larger between frames that are due */
BILLOW_API billow_status billow_instance_save(const billow_instance* instance, void* out, size_t capacity);
BILLOW_API billow_status billow_instance_restore(billow_instance* instance, const void* bytes, size_t size);

/* Layers: a garment that is worn over others (a cape over a skirt, a coat over a dress) meets the outside of each as a body of one
 * collider, of BILLOW_COLLIDER_GROUP_CLOTH: a grid of signed distances round the mesh that the inner instance shows, 5 cm between
 * points. In each frame step the inner garment, pose its layer, and step the outer one with the layer in frame.others; that is what
 * puts them in order. A layer may also be met by garments of other characters. Chains and mesh stay outside it, on the side to which
 * the inner garment's normals point. It needs the option normals of the inner instance, and lives no longer than its garment. It
 * follows levels of detail, sleep, teleports and restored states of the inner instance; there is nothing to save.
 * billow_body_pose and billow_body_teleport refuse it. `allocator` may be NULL. */
BILLOW_API billow_status billow_body_create_layer(const billow_instance* inner,
                                                  const billow_allocator* allocator, billow_body** out);
/* Moves the layer to the mesh that `inner` shows: any instance of the garment for which it was created. Until a mesh has been shown,
 * there is nothing to meet. Allocates nothing; layers of different garments may be posed on different threads. */
BILLOW_API billow_status billow_body_pose_layer(billow_body* layer, const billow_instance* inner);

/* The mesh of the last frame in world space, 3 floats per vertex with a stride in bytes (0: tightly packed; else a
 * multiple of 4, at least 12), as in a vertex buffer. `capacity` counts vertices. */
BILLOW_API billow_status billow_instance_get_positions(const billow_instance* instance, void* out,
                                                       size_t stride, uint32_t capacity);
BILLOW_API billow_status billow_instance_get_normals(const billow_instance* instance, void* out,
                                                     size_t stride, uint32_t capacity);
/* Vertex attributes. */
typedef enum billow_attribute {
  BILLOW_ATTRIBUTE_POSITION = 0, /* x y z in world space, minus `origin` */
  BILLOW_ATTRIBUTE_NORMAL = 1,   /* x y z */
  /* x y z w: the direction of u on the pattern, orthogonal to the normal; w is 1, or -1 where the pattern is mirrored, so that
   * the bitangent is w * cross(normal, tangent). Computed on demand. Refused for a garment without a pattern, or if the option
   * normals is off. */
  BILLOW_ATTRIBUTE_TANGENT = 2
} billow_attribute;

typedef enum billow_format {
  BILLOW_FORMAT_FLOAT32 = 0,
  BILLOW_FORMAT_FLOAT16 = 1 /* precision 0.5 mm at 0.5 m from `origin`, 1 mm at 1 m */
} billow_format;

/* One attribute into one buffer. Several outputs may interleave in the same buffer. */
typedef struct billow_output {
  billow_attribute attribute;
  billow_format format;
  void* out;
  size_t stride;     /* bytes, a multiple of the format's size; 0: tightly packed */
  uint32_t capacity; /* in vertices */
  /* Indices of vertex_count vertices to write, such as those of a coarser mesh. NULL: all vertices. */
  const uint32_t* vertices;
  uint32_t vertex_count;
  float origin[3]; /* subtracted from positions: the character's position, for half floats */
} billow_output;
BILLOW_API billow_output billow_output_default(void);

/* Writes the mesh of the last frame: all outputs, or none if one of them is refused. */
BILLOW_API billow_status billow_instance_write(const billow_instance* instance, const billow_output* outputs,
                                               uint32_t count);
/* The mesh in place, tightly packed, valid until the next frame. NULL for NULL. */
BILLOW_API const float* billow_instance_position_data(const billow_instance* instance);
BILLOW_API const float* billow_instance_normal_data(const billow_instance* instance);
/* All virtual bones in world space, 3 floats each, in the order of the garment file. `capacity` counts bones. */
BILLOW_API billow_status billow_instance_get_bones(const billow_instance* instance, float* out,
                                                   uint32_t capacity);
/* The same in place, valid until the next frame. NULL for NULL. */
BILLOW_API const float* billow_instance_bone_data(const billow_instance* instance);

typedef struct billow_bounds {
  float low[3], high[3]; /* world space */
} billow_bounds;

/* A box round the cloth, for culling and streaming. After a frame with a mesh it is that of the vertices, exactly. After one that
 * skipped the mesh it is that of the virtual bones, larger on all sides by the largest distance of a vertex to its nearest bone at
 * rest (times the scale), so that it holds the mesh that would have been shown. */
BILLOW_API billow_status billow_instance_get_bounds(const billow_instance* instance, billow_bounds* out);

/* The stages of a frame, in order. */
typedef enum billow_frame_stage {
  BILLOW_FRAME_STAGE_FOLLOW = 0,   /* attachments, roots and colliders go with the joints */
  BILLOW_FRAME_STAGE_CHAINS = 1,   /* billow_chains_step */
  BILLOW_FRAME_STAGE_GATHER = 2,   /* network inputs: bones in the frames of the patches */
  BILLOW_FRAME_STAGE_INFER = 3,    /* networks: inputs to coefficients */
  BILLOW_FRAME_STAGE_EXPAND = 4,   /* bases: coefficients to vertices in world space */
  BILLOW_FRAME_STAGE_LENGTHS = 5,  /* edges and folds get back the lengths of the pattern */
  BILLOW_FRAME_STAGE_PUSH_OUT = 6, /* vertices leave the body */
  BILLOW_FRAME_STAGE_NORMALS = 7,
  BILLOW_FRAME_STAGE_COUNT = 8
} billow_frame_stage;

BILLOW_API const char* billow_frame_stage_name(billow_frame_stage stage); /* "?" when out of range */

typedef struct billow_instance_report {
  uint32_t pushed; /* vertices that push-out moved in the last frame */
  uint32_t inside; /* vertices still inside, between colliders that leave no gap */
  int32_t asleep;  /* 1: the chains sleep, and the mesh stands still. Such a frame costs next to nothing */
  double stage_seconds[BILLOW_FRAME_STAGE_COUNT]; /* all 0 unless options.profile */
} billow_instance_report;

BILLOW_API billow_status billow_instance_get_report(const billow_instance* instance,
                                                    billow_instance_report* out);

/* A hash of positions and normals, for checking determinism. 0 for NULL. */
BILLOW_API uint64_t billow_instance_hash(const billow_instance* instance);

/* ---------------------------------------------------------------------------------------------
 * Fixed steps
 *
 * At any frame rate a billow_clock lets time pass in steps of exactly 1 / rate seconds, for replays and rollback. A frame takes the
 * steps that are due, none or several, each with dt = billow_clock_dt and with joints and roots at its time: sampled there, or
 * billow_clock_share of the way from the last frame's to this one's. The rest of the time is kept for the next frame. Nothing is
 * extrapolated: what is shown is the last step, up to 1 / rate seconds old, so show the character of that time as well. The
 * clock belongs to the caller: a copy of it is its saved state.
 */

typedef struct billow_clock {
  float rate; /* steps per second, 1 to 1000: 60 */
  uint32_t
      max_steps; /* in one frame, at least 1: 4. Time beyond is dropped, so that slow frames do not make slower ones */
  uint64_t steps; /* taken since the start */
  double left;    /* s, not stepped yet */
  double before;  /* s, the same before the last frame */
  double frame;   /* s, the last frame's length */
} billow_clock;
BILLOW_API billow_clock billow_clock_default(void);

/* Adds a frame of `dt` seconds; *count is how many steps to take. */
BILLOW_API billow_status billow_clock_advance(billow_clock* clock, float dt, uint32_t* count);
/* The time of step number `step` of these (0: the first) as a share of the frame: over 0, up to 1. 1 for NULL. */
BILLOW_API float billow_clock_share(const billow_clock* clock, uint32_t step);
BILLOW_API float billow_clock_dt(const billow_clock* clock); /* s, of a step; 0 for NULL */

/* ---------------------------------------------------------------------------------------------
 * Debug drawing
 */

/* What to draw; a bit mask. */
typedef enum billow_debug {
  BILLOW_DEBUG_ROPES = 1,    /* lines, orange where taut, and points at bones */
  BILLOW_DEBUG_LATERALS = 2, /* lines between neighbouring chains */
  BILLOW_DEBUG_PANELS = 4,   /* triangles between their ropes */
  BILLOW_DEBUG_CONTACTS =
      8, /* points at bones that touch a collider and lines along the normals; trapped bones yellow, enclosed
                                 ones red */
  BILLOW_DEBUG_COLLIDERS = 16, /* lines, a colour for each group; of grids and networks the box */
  BILLOW_DEBUG_PATCHES =
      32, /* their frames: along red, across green, normal blue. None if decoded as a whole */
  BILLOW_DEBUG_STRAIN =
      64 /* edges of the mesh: green as long as on the pattern, red 10 % longer, blue 10 % shorter */
} billow_debug;
#define BILLOW_DEBUG_ALL 127u

/* Where it is drawn: positions are 3 floats in world space, colours 0xrrggbbaa. What has no function is left out. */
typedef struct billow_debug_draw {
  void (*line)(void* user, const float* from, const float* to, uint32_t colour);
  void (*point)(void* user, const float* at, uint32_t colour);
  void (*triangle)(void* user, const float* a, const float* b, const float* c, uint32_t colour);
  void* user;
} billow_debug_draw;

/* Calls the functions of `draw` for what the object has of `what`: the state after its last step or pose. Allocates nothing.
 * Of colliders an instance draws the garment's own; for a body of yours there is billow_body_debug_draw. */
BILLOW_API billow_status billow_body_debug_draw(const billow_body* body, uint32_t what,
                                                const billow_debug_draw* draw);
BILLOW_API billow_status billow_chains_debug_draw(const billow_chains* chains, uint32_t what,
                                                  const billow_debug_draw* draw);
BILLOW_API billow_status billow_instance_debug_draw(const billow_instance* instance, uint32_t what,
                                                    const billow_debug_draw* draw);

/* ---------------------------------------------------------------------------------------------
 * Hosts that load the library at run time
 */

/* All functions of this header, by name (billow_api.h): one symbol to look up. NULL unless `version` is BILLOW_API_VERSION of
 * the headers that the library was built from, so that a host never calls what is not what it was compiled for. */
BILLOW_API const struct billow_api* billow_get_api(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif /* BILLOW_BILLOW_H */
