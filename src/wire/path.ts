/** Paths of the public endpoints, as the agent asks for them. */
export const Path = {
  batch: '/batch/',
  decide: '/decide/?v=3',
  flags: '/flags/?v=2',
  /** The remote config of a project, of the protocol's second generation. */
  config: (apiKey: string): string => `/array/${apiKey}/config`,
} as const
