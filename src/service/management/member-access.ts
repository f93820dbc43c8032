import { forbidden } from '../http-error.ts'
import { nameLevel } from '../permission/levels.ts'

/** The uuid in a path that means the user of the key. */
export const ME = '@me'

/** Throws `HttpError` (403) when a level is above the caller's own: nobody gives or takes what they do not have. */
export const requireNotAbove = (level: number, ownLevel: number): void => {
  if (level <= ownLevel) return
  throw forbidden(
    'permission_denied',
    `Level ${level} (${nameLevel(level)}) is above your own, which is ${ownLevel} (${nameLevel(ownLevel)}).`,
    'level',
  )
}
