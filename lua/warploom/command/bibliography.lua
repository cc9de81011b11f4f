-- What to cite, each paper once, as BibTeX has it; `policies` and `presets`
-- say who is from it.  Pages name these papers in words: docs.policy_pages
-- compares.  `software`: the simulator's own entry.

local M = {}

M.software = { "software", "warploom",
  author = "{The warploom authors}",
  title = "warploom: a cycle-level, modular simulator of {GPU}s" }

local isca, micro = "International Symposium on Computer Architecture (ISCA)",
                    "International Symposium on Microarchitecture (MICRO)"
local hpca = "International Symposium on High Performance Computer " ..
             "Architecture (HPCA)"
local pact = "International Conference on Parallel Architectures and " ..
             "Compilation Techniques (PACT)"

local function paper(kind, key, fields)
  fields[1], fields[2] = kind, key
  M.papers = M.papers or {}
  table.insert(M.papers, fields)
end

paper("inproceedings", "koo2017apcm", {
  author = "Koo, Gunjae and Oh, Yunho and Ro, Won Woo and Annavaram, Murali",
  title = "Access Pattern-Aware Cache Management for Improving Data " ..
          "Utilization in {GPU}", booktitle = isca, year = 2017,
  policies = { "apcm" }, presets = { "apcm1", "apcm2" } })
paper("inproceedings", "mokhtari2015sl1", {
  author = "Mokhtari, Reza and Stumm, Michael",
  title = "{S-L1}: A Software-based {GPU} {L1} Cache that Outperforms the " ..
          "Hardware {L1} for Data Processing Applications",
  booktitle = "International Symposium on Memory Systems (MEMSYS)",
  year = 2015, policies = { "sl1" }, presets = { "titan_black" } })
paper("article", "kim2021twolevel", {
  author = "Kim, Gwang Bok and Kim, Cheol Hong",
  title = "New Two-Level {L1} Data Cache Bypassing Technique for High " ..
          "Performance {GPU}s",
  journal = "Journal of Information Processing Systems", year = 2021,
  policies = { "two_level", "miss_rate_bypass" },
  presets = { "gtx1080_56" } })
paper("inproceedings", "wang2015dacache", {
  author = "Wang, Bin and Yu, Weikuan and Sun, Xian-He and Wang, Xinning",
  title = "{DaCache}: Memory Divergence-Aware {GPU} Cache Management",
  booktitle = "International Conference on Supercomputing (ICS)", year = 2015,
  doi = "10.1145/2751205.2751239",
  policies = { "dacache" }, presets = { "dacache" } })
paper("misc", "tan_loscache", {
  author = "Tan, Jingweijia and Yan, Kaige and Song, Shuaiwen Leon and " ..
           "Fu, Xin",
  title = "{LoSCache}: Leveraging Locality Similarity to Build " ..
          "Energy-Efficient {GPU} {L2} Cache",
  policies = { "loscache", "loscache_l2", "ideal_gating" },
  presets = { "loscache" } })
paper("inproceedings", "rogers2012ccws", {
  author = "Rogers, Timothy G. and O'Connor, Mike and Aamodt, Tor M.",
  title = "Cache-Conscious Wavefront Scheduling", booktitle = micro,
  year = 2012, policies = { "ccws", "swl", "gto", "ccws_index" } })
paper("inproceedings", "rogers2013daws", {
  author = "Rogers, Timothy G. and O'Connor, Mike and Aamodt, Tor M.",
  title = "Divergence-Aware Warp Scheduling", booktitle = micro, year = 2013,
  policies = { "daws" } })
paper("inproceedings", "tian2015abyp", {
  author = "Tian, Yingying and Puthoor, Sooraj and Greathouse, Joseph L. " ..
           "and Beckmann, Bradford M. and Jim{\\'e}nez, Daniel A.",
  title = "Adaptive {GPU} Cache Bypassing",
  booktitle = "Workshop on General Purpose Processing using GPUs (GPGPU-8)",
  year = 2015, policies = { "abyp", "abyp_l2" } })
paper("inproceedings", "jia2014mrpb", {
  author = "Jia, Wenhao and Shaw, Kelly A. and Martonosi, Margaret",
  title = "{MRPB}: Memory Request Prioritization for Massively Parallel " ..
          "Processors", booktitle = hpca, year = 2014,
  policies = { "mrpb" } })
paper("inproceedings", "li2015pcal", {
  author = "Li, Dong and Rhu, Minsoo and Johnson, Daniel R. and O'Connor, " ..
           "Mike and Erez, Mattan and Burger, Doug and Fussell, Donald S. " ..
           "and Keckler, Stephen W.",
  title = "Priority-Based Cache Allocation in Throughput Processors",
  booktitle = hpca, year = 2015, policies = { "pcal" } })
paper("inproceedings", "duong2012pdp", {
  author = "Duong, Nam and Zhao, Dali and Kim, Taesu and Cammarota, " ..
           "Rosario and Valero, Mateo and Veidenbaum, Alexander V.",
  title = "Improving Cache Management Policies Using Dynamic Reuse " ..
          "Distances", booktitle = micro, year = 2012,
  policies = { "pdp" } })
paper("article", "do2017pemp", {
  author = "Do, Cong Thuan and Kim, Jong Myon and Kim, Cheol Hong",
  title = "Early Miss Prediction Based Periodic Cache Bypassing for High " ..
          "Performance {GPU}s", journal = "Microprocessors and Microsystems",
  volume = 55, pages = "44--54", year = 2017,
  doi = "10.1016/j.micpro.2017.09.007", policies = { "pemp" } })
paper("article", "do2018carb", {
  author = "Do, Cong Thuan and Kim, Jong Myon and Kim, Cheol Hong",
  title = "Application Characteristics-Aware Sporadic Cache Bypassing for " ..
          "High Performance {GPGPU}s",
  journal = "Journal of Parallel and Distributed Computing", volume = 122,
  pages = "238--250", year = 2018, doi = "10.1016/j.jpdc.2018.09.001",
  policies = { "carb" } })
paper("inproceedings", "kayiran2013", {
  author = "Kayiran, Onur and Jog, Adwait and Kandemir, Mahmut T. and Das, " ..
           "Chita R.",
  title = "Neither More Nor Less: Optimizing Thread-Level Parallelism for " ..
          "{GPGPU}s", booktitle = pact, year = 2013,
  policies = { "cta_limit" } })
paper("inproceedings", "narasiman2011", {
  author = "Narasiman, Veynu and Shebanow, Michael and Lee, Chang Joo and " ..
           "Miftakhutdinov, Rustam and Mutlu, Onur and Patt, Yale N.",
  title = "Improving {GPU} Performance via Large Warps and Two-Level Warp " ..
          "Scheduling", booktitle = micro, year = 2011,
  policies = { "two_level_scheduler" } })
paper("inproceedings", "qureshi2007dip", {
  author = "Qureshi, Moinuddin K. and Jaleel, Aamer and Patt, Yale N. and " ..
           "Steely, Simon C. and Emer, Joel",
  title = "Adaptive Insertion Policies for High Performance Caching",
  booktitle = isca, year = 2007, policies = { "lip", "bip", "dip" } })
paper("inproceedings", "jaleel2010rrip", {
  author = "Jaleel, Aamer and Theobald, Kevin B. and Steely, Simon C. and " ..
           "Emer, Joel",
  title = "High Performance Cache Replacement Using Re-Reference Interval " ..
          "Prediction ({RRIP})", booktitle = isca, year = 2010,
  policies = { "srrip", "brrip", "drrip" } })
paper("inproceedings", "xie2009pipp", {
  author = "Xie, Yuejian and Loh, Gabriel H.",
  title = "{PIPP}: Promotion/Insertion Pseudo-Partitioning of Multi-Core " ..
          "Shared Caches", booktitle = isca, year = 2009,
  policies = { "pipp" } })
paper("article", "belady1966", {
  author = "Belady, L. A.",
  title = "A Study of Replacement Algorithms for a Virtual-Storage Computer",
  journal = "IBM Systems Journal", year = 1966, policies = { "min" } })
paper("inproceedings", "kaxiras2001decay", {
  author = "Kaxiras, Stefanos and Hu, Zhigang and Martonosi, Margaret",
  title = "Cache Decay: Exploiting Generational Behavior to Reduce Cache " ..
          "Leakage Power", booktitle = isca, year = 2001,
  policies = { "cache_decay" } })
paper("inproceedings", "flautner2002drowsy", {
  author = "Flautner, Kriszti{\\'a}n and Kim, Nam Sung and Martin, Steve " ..
           "and Blaauw, David and Mudge, Trevor",
  title = "Drowsy Caches: Simple Techniques for Reducing Leakage Power",
  booktitle = isca, year = 2002, policies = { "drowsy" } })
paper("inproceedings", "rixner2000", {
  author = "Rixner, Scott and Dally, William J. and Kapasi, Ujval J. and " ..
           "Mattson, Peter and Owens, John D.",
  title = "Memory Access Scheduling", booktitle = isca, year = 2000,
  policies = { "frfcfs" } })
paper("inproceedings", "nugteren2014", {
  author = "Nugteren, Cedric and van den Braak, Gert-Jan and Corporaal, " ..
           "Henk and Bal, Henri",
  title = "A Detailed {GPU} Cache Model Based on Reuse Distance Theory",
  booktitle = hpca, year = 2014, policies = { "fermi_index" } })
paper("inproceedings", "rau1991", {
  author = "Rau, B. Ramakrishna", title = "Pseudo-Randomly Interleaved Memory",
  booktitle = isca, year = 1991, policies = { "ipoly_index" } })
paper("inproceedings", "bakhoda2009gpgpusim", {
  author = "Bakhoda, Ali and Yuan, George L. and Fung, Wilson W. L. and " ..
           "Wong, Henry and Aamodt, Tor M.",
  title = "Analyzing {CUDA} Workloads Using a Detailed {GPU} Simulator",
  booktitle = "International Symposium on Performance Analysis of Systems " ..
              "and Software (ISPASS)", year = 2009,
  presets = { "gtx480_v322" } })
paper("inproceedings", "khairy2020accelsim", {
  author = "Khairy, Mahmoud and Shen, Zhesheng and Aamodt, Tor M. and " ..
           "Rogers, Timothy G.",
  title = "{Accel-Sim}: An Extensible Simulation Framework for Validated " ..
          "{GPU} Modeling", booktitle = isca, year = 2020,
  presets = { "gtx480", "qv100", "titanx" } })

-- Those that `field` ("policies", "presets") says `name` is from.
function M.of(field, name)
  local out = {}
  for _, entry in ipairs(M.papers) do
    for _, one in ipairs(entry[field] or {}) do
      if one == name then out[#out + 1] = entry end
    end
  end
  return out
end

return M
