-- What the S-L1 paper leaves open, and how else it can be read.
return {
  { parameter = "restricted", where = "section 3.2", default = true,
    says = "whether pointers may be taken not to overlap: the sources say",
    readings = { { restricted = false } } },
  { parameter = "leave", where = "section 3.2", default = "outer",
    says = "where a thread leaves the monitoring slice: \"main loop(s)\"",
    readings = { { leave = "any" } } },
}
