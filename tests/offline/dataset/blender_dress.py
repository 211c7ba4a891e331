# Simulates a garment on a moving body with Blender's own cloth solver. Run by blender_test.cpp:
#
#     blender --background --factory-startup --python blender_dress.py -- FOLDER FRAMES
#
# Reads from FOLDER, in Blender's z-up axes: garment.obj and body.obj; garment.pc2, the garment moved rigidly with the
# body, which pinned vertices follow; body.pc2; and pins, the indices of the pinned vertices. Writes cloth.pc2.
import os
import sys

import bpy

folder, frames = sys.argv[-2], int(sys.argv[-1])
scene = bpy.context.scene
bpy.ops.object.select_all(action="SELECT")
bpy.ops.object.delete()
scene.frame_start, scene.frame_end = 1, frames
scene.render.fps = 24


# Loads a mesh in file order and animates it with the cache of the same name.
def load(name):
    vertices, faces = [], []
    with open(os.path.join(folder, name + ".obj")) as file:
        for line in file:
            words = line.split()
            if words and words[0] == "v":
                vertices.append([float(word) for word in words[1:4]])
            if words and words[0] == "f":
                faces.append([int(word.split("/")[0]) - 1 for word in words[1:]])
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, [], faces)
    thing = bpy.data.objects.new(name, mesh)
    scene.collection.objects.link(thing)
    cache = thing.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format, cache.forward_axis, cache.up_axis = "PC2", "POS_Y", "POS_Z"
    cache.filepath = os.path.join(folder, name + ".pc2")
    cache.frame_start = 1
    return thing


body = load("body")
body.modifiers.new("collision", "COLLISION")
body.collision.thickness_outer = 0.005

garment = load("garment")
with open(os.path.join(folder, "pins")) as file:
    garment.vertex_groups.new(name="pins").add([int(word) for word in file.read().split()], 1.0, "REPLACE")
cloth = garment.modifiers.new("cloth", "CLOTH")
cloth.settings.quality = 8
cloth.settings.mass = 0.15
cloth.settings.tension_stiffness = cloth.settings.compression_stiffness = 80
cloth.settings.vertex_group_mass = "pins"
cloth.collision_settings.distance_min = 0.005
cloth.point_cache.frame_start, cloth.point_cache.frame_end = 1, frames

# Visiting the frames in order runs the solver; then export them.
for frame in range(1, frames + 1):
    scene.frame_set(frame)
bpy.context.view_layer.objects.active = garment
garment.select_set(True)
bpy.ops.preferences.addon_enable(module="io_export_pc2")
bpy.ops.export_shape.pc2(filepath=os.path.join(folder, "cloth.pc2"), rot_x90=False, range_start=1, range_end=frames,
                         sampling="1", apply_modifiers=True)
