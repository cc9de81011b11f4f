-- The machine of tests of libraries.
return require "warploom".preset.gtx480 {}
