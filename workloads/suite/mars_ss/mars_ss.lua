-- mars_ss: similarity of documents as a map, after Mars.

local kit = require "warploom.kit"

local function run(dev, p)
  local n, f = p.documents, p.features
  dev:module "mars_ss.ptx"
  local feature = kit.real(dev, n * f, p.seed, 0.1, 1)
  local rows, wide = kit.mars.rows(dev, feature, f)
  local list, tasks = {}, n * (n - 1) // 2
  for i = 0, n - 1 do
    for j = i + 1, n - 1 do
      table.move({ i, j, wide, 0 }, 1, 4, #list + 1, list)
    end
  end
  local matrix, padded = dev:upload(rows, "feature"), kit.mars.padded(tasks)
  local key = ("<I8"):pack(matrix.address)
  local keys, values, entries = kit.mars.map_pairs(dev, {
    count = "mars_ss_count", map = "mars_ss", tasks = tasks, padded = padded,
    keys = kit.mars.upload(dev, key, "input_keys", tasks), key_bytes = #key,
    values = dev:upload(dev:array("i32", list), "input_values"),
    value_bytes = 16 })
  kit.mars.sort(dev, "mars_ss", entries, keys, padded)
  local score = kit.mars.copy(dev, "mars_ss", entries, keys, 0, 4, tasks)
  local pair = kit.mars.copy(dev, "mars_ss", entries, values, 1, 8, tasks)

  return function()
    local t, norm, want = kit.list(feature), {}, {}
    for i = 0, n - 1 do
      local sum = 0
      for k = i * f, i * f + f - 1 do sum = sum + t[k] * t[k] end
      norm[i] = sum ^ 0.5
    end
    local got = kit.list(kit.mars.as("f32", score))
    local pairs_of, seen = kit.list(kit.mars.as("i32", pair)), {}
    for q = 0, tasks - 1 do
      local i, j, dot = pairs_of[2 * q], pairs_of[2 * q + 1], 0
      for k = 0, f - 1 do dot = dot + t[i * f + k] * t[j * f + k] end
      want[q] = dot / (norm[i] * norm[j])
      dev:check(i < j and not seen[i * n + j], "a pair is missing")
      seen[i * n + j] = true
      dev:check(q == 0 or got[q - 1] >= got[q], "scores are not in order")
    end
    kit.close(dev, "score", kit.mars.as("f32", score), want, 1e-5)
    dev:verified "the scores of all pairs, to 1e-5, and their order"
  end
end

return {
  name = "mars_ss",
  doc = "Similarity of documents as a map (Mars SimilarityScore)",
  suite = "Mars",
  source = "Mars",
  classes = { apcm = "CM" },
  params = { kit.param("documents", 160, "Documents", 4096, 2),
             kit.param("features", 64, "Features of a document", 4096) },
  sizes = { tiny = { documents = 20, features = 10 },
            paper = { documents = 608 } },
  paper = "by rule",
  notes = "The features are loaded through a pointer that is a task's key.",
  loads = kit.mars.pair_loads("mars_ss_count", "mars_ss", {
    mars_ss = { input_keys = "streaming coherent",
                ["(loaded)"] = "inter divergent" },
    mars_ss_sort = { directory = "mixed divergent", keys = "inter divergent" },
    mars_ss_copy = { directory = "mixed divergent", keys = "inter divergent",
                     values = "inter divergent" } }),
  reference = { at = { documents = 64, features = 128 }, minst = 56.9,
                lines = 7.0, hits = { 86 } },
  run = run,
}
