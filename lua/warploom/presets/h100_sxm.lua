-- h100_sxm: h100, by the name that tells it from h100_pcie.

return {
  name = "h100_sxm",
  doc = "H100 SXM5 class GPU: h100",
  extends = "h100",
  machine = {},
}
