-- What the LoSCache paper leaves open, and how else it can be read.
return {
  { parameter = "counted", where = "section IV.B", default = "predictor",
    says = "100 accesses to the L2, not whose",
    readings = { { counted = "sm" } } },
  { parameter = "phase_accesses", where = "section IV.B", default = 100,
    says = "100 accesses, found by trial",
    readings = { { phase_accesses = 0 }, { phase_accesses = 400 } } },
  { parameter = "reset", where = "section IV.D", default = "never",
    says = "whether the table outlives a launch: nothing",
    readings = { { reset = "launch" } } },
  { parameter = "gone", where = "section IV.B", default = "none",
    says = "what is predicted whose block the L2 no longer has: nothing",
    readings = { { gone = "once" } } },
  { parameter = "reuse_gated", where = "section IV.B", default = true,
    says = "whether gated lines are replaced first: nothing",
    readings = { { reuse_gated = false } } },
}
