-- apcm1: configuration 1 of the APCM paper (Koo et al., ISCA 2017, table 4),
-- similar to a GTX 480, on GPGPU-Sim 3.2.3.  "table" is that table; "v323" and
-- "public runs" are what it leaves open.

return {
  name = "apcm1",
  doc = "APCM's configuration 1, similar to a GTX 480",
  extends = "gtx480_v322",
  machine = {
    slots = {
      scheduler = { "lrr", "table: LRR, 2 schedulers" },
      l1d_index = { "linear_index", "public runs of the author: N:L" },
    },
    l1d = {
      mshr_entries = { 64, "table: 64 MSHRs" },
      mshr_merges = { 8, "v323: A:32:8" },
    },
  },
}
