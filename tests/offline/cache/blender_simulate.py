# Simulates a sheet that hangs by two corners with Blender's cloth solver, and writes it with Blender's exporters. Run
# by blender_test.cpp:
#
#     blender --background --factory-startup --python blender_simulate.py -- FOLDER FRAMES
#
# Writes to FOLDER truth.raw (all frames as float32 x y z, Blender's z up), sheet.pc2 and sheet.mdd, all z up; and
# with Blender's default conversion to y up y_up.pc2 and obj/sheet#.obj.
import array
import os
import sys

import bpy

folder, frames = sys.argv[-2], int(sys.argv[-1])
scene = bpy.context.scene
bpy.ops.object.select_all(action="SELECT")
bpy.ops.object.delete()
scene.frame_start, scene.frame_end = 1, frames
scene.render.fps = 24

bpy.ops.mesh.primitive_grid_add(x_subdivisions=20, y_subdivisions=20, size=1, location=(0, 0, 0))
sheet = bpy.context.object
sheet.name = "sheet"
corners = [v.index for v in sheet.data.vertices if v.co.y > 0.49 and abs(v.co.x) > 0.49]
sheet.vertex_groups.new(name="pins").add(corners, 1.0, "REPLACE")
cloth = sheet.modifiers.new("cloth", "CLOTH")
cloth.settings.quality = 10
cloth.settings.mass = 0.15
cloth.settings.tension_stiffness = cloth.settings.compression_stiffness = 80
cloth.settings.vertex_group_mass = "pins"
cloth.point_cache.frame_start, cloth.point_cache.frame_end = 1, frames

# The solver runs as frames are visited one after the other.
truth = array.array("f")
for frame in range(1, frames + 1):
    scene.frame_set(frame)
    mesh = sheet.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    positions = array.array("f", [0.0]) * (3 * len(mesh.vertices))
    mesh.vertices.foreach_get("co", positions)
    truth.extend(positions)
with open(os.path.join(folder, "truth.raw"), "wb") as file:
    truth.tofile(file)

bpy.ops.preferences.addon_enable(module="io_export_pc2")
bpy.ops.preferences.addon_enable(module="io_shape_mdd")
for name, y_up in (("sheet.pc2", False), ("y_up.pc2", True)):
    bpy.ops.export_shape.pc2(filepath=os.path.join(folder, name), rot_x90=y_up, range_start=1, range_end=frames,
                             sampling="1", apply_modifiers=True)
bpy.ops.export_shape.mdd(filepath=os.path.join(folder, "sheet.mdd"), fps=24, frame_start=1, frame_end=frames)
os.makedirs(os.path.join(folder, "obj"))
bpy.ops.wm.obj_export(filepath=os.path.join(folder, "obj", "sheet.obj"), export_animation=True, start_frame=1,
                      end_frame=frames, export_materials=False, export_selected_objects=False)
