/** Marks of advertising campaigns that the protocol takes from the page's address, by their names there. */
export const CAMPAIGN: RegExp =
  /^(utm_.+|(g|d|fb|ms|tw|tt|q|ir)clk?id|(mc_|rdt_|sc)cid|gclsrc|[gw]braid|gad_source|li_fat_id|igshid|epik|_kx)$/
