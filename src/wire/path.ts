/** Paths of the public endpoints that the agent requests. */
export const Path = {
  batch: '/batch/',
  decide: '/decide/?v=3',
  flags: '/flags/?v=2',
  /** A project's remote config, in the protocol's second generation. */
  config: (apiKey: string): string => `/array/${apiKey}/config`,
} as const
