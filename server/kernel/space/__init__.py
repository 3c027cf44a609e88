"""The table in space: places and outlines, hulls, terrain, paths, sight. Pure geometry."""
