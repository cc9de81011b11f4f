-- Textures from Lua: made, fetched from, refused.
local test = dofile((debug.getinfo(1, "S").source:sub(2):match "^(.*)/") ..
                    "/harness.lua")
