-- mars_ss: similarity of documents as a map, after Mars.

local kit = require "warploom.kit"

local function run(dev, p)
  local n, f = p.documents, p.features
  dev:module "mars_ss.ptx"
  local feature = kit.real(dev, n * f, p.seed, 0.1, 1)
  local list = {}
  for i = 0, n - 1 do
    for j = i + 1, n - 1 do
      list[#list + 1] = i
      list[#list + 1] = j
    end
  end
  local tasks = #list // 2
  local score = kit.zeros(dev, "f32", tasks, "score")
  kit.row(dev, "mars_ss", tasks, p.block,
          { dev:upload(feature, "feature"),
            dev:upload(dev:array("i32", list), "task"), score, f, tasks })

  return function()
    local t, norm, want = kit.list(feature), {}, {}
    for i = 0, n - 1 do
      local sum = 0
      for k = i * f, i * f + f - 1 do sum = sum + t[k] * t[k] end
      norm[i] = sum ^ 0.5
    end
    for q = 0, tasks - 1 do
      local i, j, dot = list[2 * q + 1], list[2 * q + 2], 0
      for k = 0, f - 1 do dot = dot + t[i * f + k] * t[j * f + k] end
      want[q] = dot / (norm[i] * norm[j])
    end
    kit.close(dev, "score", score, want, 1e-5)
    dev:verified "the scores of all pairs, to 1e-5"
  end
end

return {
  name = "mars_ss",
  doc = "Similarity of documents as a map (Mars SimilarityScore)",
  suite = "Mars",
  source = "He et al., PACT 2008 (Mars)",
  classes = { apcm = "CM" },
  params = { kit.param("documents", 160, "Documents", 4096, 2),
             kit.param("features", 64, "Features of a document", 4096),
             kit.block },
  sizes = { tiny = { documents = 20, features = 10 } },
  paper = "none: what APCM used is not known",
  notes = "The published program sorts the scores afterwards.",
  loads = { mars_ss = { feature = "inter divergent",
                        task = "intra coherent" } },
  reference = { at = { documents = 64, features = 128 }, minst = 56.9,
                lines = 7.0, hits = { 86 },
                why = "the reference counts the framework's own loads and " ..
                      "the sort of the scores, too" },
  run = run,
}
