import { renameSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../../port/clock.ts'
import { getErrorCode } from './get-error-code.ts'
import { createHeartbeatMonitor } from './heartbeat-monitor.ts'
import { FREE_OWNER, formatLogFolderName, parseLogFolderName } from './log-folder-name.ts'
import { getOwnerStatus } from './owner.ts'

/** The folder of a log that this owner has taken over. */
export interface TakenOverFolder {
  readonly log: string
  readonly path: string
}

export interface TakeOverOptions {
  /** The folder of all logs. */
  readonly root: string
  /** Id of the new owner. */
  readonly owner: string
  readonly clock: Clock
  /** False once the event log is closed. */
  readonly canTakeOver: () => boolean
  readonly warn: (message: string) => void
}

/**
 * Creates a function that takes over every log whose owner is dead and returns their folders, oldest first. Of several processes that try,
 * one wins, because only one can rename the folder from the name that all of them have read.
 */
export const createTakeOverDeadLogs = ({
  root,
  owner: newOwner,
  clock,
  canTakeOver,
  warn,
}: TakeOverOptions): (() => Promise<readonly TakenOverFolder[]>) => {
  const heartbeats = createHeartbeatMonitor()

  const isOwnerDead = async (name: string, owner: string): Promise<boolean> => {
    if (owner === newOwner) return false
    const status = owner === FREE_OWNER ? 'dead' : getOwnerStatus(owner, newOwner)
    if (status !== 'unknown') return status === 'dead'
    return heartbeats.isOwnerDead(name, (await stat(join(root, name))).mtimeMs, clock.now())
  }

  const takeOver = async (name: string): Promise<readonly TakenOverFolder[]> => {
    const { log, owner } = parseLogFolderName(name) ?? {}
    if (log === undefined || owner === undefined) return []
    try {
      if (!(await isOwnerDead(name, owner)) || !canTakeOver()) return []
      const path = join(root, formatLogFolderName({ log, owner: newOwner }))
      renameSync(join(root, name), path)
      return [{ log, path }]
    } catch (error) {
      const code = getErrorCode(error)
      // ENOENT: another process was faster, or the owner has removed the log.
      if (code !== 'ENOENT') warn(`cannot take over ${join(root, name)} (${code}); its events stay there`)
      return []
    }
  }

  return async () => {
    const names = await readdir(root).catch(() => [])
    heartbeats.retainOnly(new Set(names))
    const folders: TakenOverFolder[] = []
    for (const name of [...names].sort()) folders.push(...(await takeOver(name)))
    return folders
  }
}
