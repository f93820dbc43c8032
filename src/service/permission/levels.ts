/** The levels of a membership, by name. A higher level may do all that a lower one may. */
export const LEVELS = { member: 1, administrator: 8, owner: 15 } as const

export type LevelName = keyof typeof LEVELS
export type Level = (typeof LEVELS)[LevelName]

/** The levels that a membership of a project can have; only organisations have owners. */
export const PROJECT_LEVELS = [LEVELS.member, LEVELS.administrator] as const
export type ProjectLevel = (typeof PROJECT_LEVELS)[number]

export const nameLevel = (level: number): string =>
  Object.entries(LEVELS).find(([, value]) => value === level)?.[0] ?? `level ${level}`

/** What decides the level of a user in a project. */
export interface Standing {
  readonly isPrivate: boolean
  /** The level in the organisation of the project. */
  readonly parentLevel: number
  /** The level of the user's membership of the project itself; null without one. */
  readonly explicitLevel: number | null
}

/**
 * The level of a member of the organisation in one of its projects, or null for none: the higher of both levels. Without a
 * membership of the project itself, a private project is closed to all but the administrators and owners of the organisation.
 */
export const effectiveLevel = ({ isPrivate, parentLevel, explicitLevel }: Standing): number | null => {
  if (explicitLevel !== null) return Math.max(explicitLevel, parentLevel)
  return isPrivate && parentLevel < LEVELS.administrator ? null : parentLevel
}
