-- The machine of tests of libraries.
return require "warploom".preset.a100 {}
