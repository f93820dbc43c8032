/** Paths of the public endpoints, as the agent asks for them. */
export const Path = {
  batch: '/batch/',
  decide: '/decide/?v=3',
  flags: '/flags/?v=2',
} as const
