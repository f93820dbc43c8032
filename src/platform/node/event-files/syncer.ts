import type { Clock } from '../../../port/clock.ts'
import { noop } from '../../../lib/noop.ts'
import { once } from '../../../lib/once.ts'
import { getErrorCode } from './get-error-code.ts'

/** The calls that force written data to the disk, in the thread pool. */
export interface FsyncCalls {
  readonly syncFile: (fd: number) => Promise<void>
  readonly syncFolder: (path: string) => Promise<void>
  readonly closeFile: (fd: number) => Promise<void>
}

/** Syncs written data to the disk in the background, so that it survives a power loss. */
export interface Syncer {
  /** The file has new data. */
  markFile(fd: number): void
  /** The folder has new entries. */
  markFolder(folder: string): void
  /** The file gets no more data: closes it after its next sync. */
  closeAfterSync(fd: number): void
  /** Resolves when everything that was marked before is on the disk. */
  whenSynced(): Promise<void>
}

/** Pause between two syncs, so that an event in every turn does not keep the disk busy. A power loss may cost this much. */
const SYNC_INTERVAL_MS = 100

/** Runs one sync at a time, over everything that was marked since the last one. */
export const createSyncer = (calls: FsyncCalls, clock: Clock, warn: (message: string) => void): Syncer => {
  const files = new Map<number, 'open' | 'closing'>()
  const folders = new Set<string>()
  let running: Promise<void> | undefined
  let isPausing = false

  const syncMarked = async (): Promise<void> => {
    const [markedFolders, markedFiles] = [[...folders], [...files]]
    folders.clear()
    files.clear()
    // Windows cannot sync folders, and does not need it.
    for (const folder of markedFolders) await calls.syncFolder(folder).catch(noop)
    for (const [fd, state] of markedFiles) {
      await calls.syncFile(fd).catch(warnOnce)
      if (state === 'closing') await calls.closeFile(fd).catch(warnOnce)
    }
  }

  const warnOnce = once((error: unknown) =>
    warn(`cannot sync events to the disk (${getErrorCode(error)}); a power loss may lose them`),
  )

  const start = (): Promise<void> => {
    running ??= syncMarked().finally(() => {
      running = undefined
      isPausing = true
      clock.after(SYNC_INTERVAL_MS, () => {
        isPausing = false
        schedule()
      })
    })
    return running
  }

  const schedule = (): void => {
    if (!isPausing && files.size + folders.size) void start()
  }

  return {
    markFile(fd) {
      files.set(fd, 'open')
      schedule()
    },
    markFolder(folder) {
      folders.add(folder)
      schedule()
    },
    closeAfterSync(fd) {
      files.set(fd, 'closing')
      schedule()
    },
    async whenSynced() {
      await running
      await start()
    },
  }
}
