-- The sources of the library's own chunks ("@warploom/record.lua"), so that
-- messages blame the user's line.  cli.lua fills it in.
return {}
