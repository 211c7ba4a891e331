# Plays caches that Billow wrote through Blender's Mesh Cache modifier and records the vertex positions. Run by
# blender_test.cpp:
#
#     blender --background --factory-startup --python blender_play.py -- FOLDER FRAMES
#
# Reads from FOLDER sheet.obj, sheet.pc2, sheet.mdd and sheet.glb, all y up. Writes pc2.raw and mdd.raw (all frames
# as float32 x y z, Blender's z up), glb.raw if Blender has the numpy that its glTF importer needs, and render.png,
# the middle frame rendered by Cycles.
import array
import math
import os
import sys

import bpy

folder, frames = sys.argv[-2], int(sys.argv[-1])
scene = bpy.context.scene
bpy.ops.object.select_all(action="SELECT")
bpy.ops.object.delete()
scene.render.fps = 24


def record(thing, name):
    out = array.array("f")
    for frame in range(frames):
        scene.frame_set(frame)
        evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
        mesh = evaluated.to_mesh()
        for vertex in mesh.vertices:
            out.extend(evaluated.matrix_world @ vertex.co)
        evaluated.to_mesh_clear()
    with open(os.path.join(folder, name), "wb") as file:
        out.tofile(file)


# A mesh of the same vertices in the file's axes; the modifier converts them.
vertices, faces = [], []
with open(os.path.join(folder, "sheet.obj")) as file:
    for line in file:
        words = line.split()
        if words and words[0] == "v":
            vertices.append([float(word) for word in words[1:4]])
        if words and words[0] == "f":
            faces.append([int(word.split("/")[0]) - 1 for word in words[1:]])
mesh = bpy.data.meshes.new("sheet")
mesh.from_pydata(vertices, [], faces)
sheet = bpy.data.objects.new("sheet", mesh)
scene.collection.objects.link(sheet)
cache = sheet.modifiers.new("cache", "MESH_CACHE")
cache.frame_start = 0
# Convert y up to z up by rotating the object or by the modifier's axes. In Blender 3.4 this pair maps x, y, z to
# x, -z, y.
for kind, forward, up, turn in (("mdd", "POS_Y", "POS_Z", math.pi / 2), ("pc2", "POS_Z", "NEG_Y", 0)):
    cache.cache_format, cache.forward_axis, cache.up_axis = kind.upper(), forward, up
    cache.filepath = os.path.join(folder, "sheet." + kind)
    sheet.rotation_euler = (turn, 0, 0)
    record(sheet, kind + ".raw")

# Render the result of the modifier.
scene.frame_set(frames // 2)
for polygon in mesh.polygons:
    polygon.use_smooth = True
material = bpy.data.materials.new("cloth")
material.use_nodes = True
material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (0.5, 0.05, 0.04, 1)
material.node_tree.nodes["Principled BSDF"].inputs["Roughness"].default_value = 0.8
mesh.materials.append(material)
sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
sun.data.energy, sun.rotation_euler = 3, (0.9, 0.2, 0.6)
camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
camera.location, camera.rotation_euler = (1.4, -2.4, 0.1), (math.radians(78), 0, math.radians(30))
for thing in (sun, camera):
    scene.collection.objects.link(thing)
scene.camera = camera
scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.6, 0.7, 0.8, 1)
scene.render.engine = "CYCLES"
scene.cycles.samples = 16
scene.cycles.use_denoising = False
scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 320, 240, 100
scene.render.filepath = os.path.join(folder, "render.png")
bpy.ops.render.render(write_still=True)

# Import our glTF by Blender's importer, which numbers frames from 0 and converts the axes itself.
try:
    import numpy

    numpy.bool = bool  # used by the importer of Debian 12, removed from its numpy
except ImportError:
    print("no numpy: skipping glTF")
else:
    sheet.hide_render = True
    bpy.ops.import_scene.gltf(filepath=os.path.join(folder, "sheet.glb"), merge_vertices=False)
    record(bpy.context.object, "glb.raw")
