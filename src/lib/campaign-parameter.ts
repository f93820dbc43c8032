/** Matches the names of URL query parameters of advertising campaigns. Events have them as properties of the same name. */
export const CAMPAIGN_PARAMETER: RegExp =
  /^(utm_.+|(g|d|fb|ms|tw|tt|q|ir)clk?id|(mc_|rdt_|sc)cid|gclsrc|[gw]braid|gad_source|li_fat_id|igshid|epik|_kx)$/
