import { HttpError } from '../../http-error.ts'
import type { FeedAccess } from './authorize-feed.ts'

/** Half of the second in which a revoked key must lose its streams. */
const CHECK_MS = 500

/** Notices when readers lose the access with which they opened their streams. */
export interface AccessWatch {
  /** Calls `onLost` when the access is lost, or cannot be checked. Returns the function that ends the watch. */
  readonly watch: (access: FeedAccess, onLost: () => void) => () => void
}

interface Group extends FeedAccess {
  /** One for each stream. */
  readonly listeners: Set<() => void>
  isChecking: boolean
}

/**
 * Checks twice a second. Streams with the same key and project are checked together: all servers of a project may use one key.
 *
 * @param onError Called with every internal error, for the log.
 */
export const createAccessWatch = (onError: (error: unknown) => void): AccessWatch => {
  const groups = new Map<string, Group>()
  let timer: NodeJS.Timeout | undefined
  const check = async (group: Group): Promise<void> => {
    if (group.isChecking) return
    group.isChecking = true
    try {
      await group.checkAgain()
    } catch (error) {
      if (!(error instanceof HttpError)) onError(error)
      // Readers open another stream, and then learn the reason.
      for (const onLost of group.listeners) onLost()
    } finally {
      group.isChecking = false
    }
  }
  return {
    watch: (access, onLost) => {
      const id = `${access.keyId} ${access.projectId}`
      const group = groups.get(id) ?? { ...access, listeners: new Set(), isChecking: false }
      groups.set(id, group)
      const listener = (): void => onLost()
      group.listeners.add(listener)
      timer ??= setInterval(() => {
        for (const each of groups.values()) void check(each)
      }, CHECK_MS).unref()
      return () => {
        group.listeners.delete(listener)
        if (group.listeners.size > 0 || groups.get(id) !== group) return
        groups.delete(id)
        if (groups.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
  }
}
