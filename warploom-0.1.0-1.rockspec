-- luarocks --lua-version 5.4 make: the script API as a module of a plain Lua.
rockspec_format = "3.0"
package = "warploom"
version = "0.1.0-1"
source = { url = "git+file://." }
description = {
  summary = "A cycle-level, modular simulator of GPUs",
  license = "BSD-3-Clause",
}
dependencies = { "lua ~> 5.4" }
build = {
  type = "command",
  build_command = "cmake -S . -B build/rock -G Ninja " ..
    "-DCMAKE_BUILD_TYPE=Release -DLOOM_CUNIT=OFF && " ..
    "cmake --build build/rock --target warploom_lua",
  install = { lib = { warploom = "build/rock/lua/warploom.so" } },
}
