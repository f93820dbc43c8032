import type { Clock } from '../../../port/clock.ts'
import { codeOf } from './error-code.ts'

/** What brings the operating system's memory to the disk, in the thread pool. */
export interface SyncCalls {
  readonly file: (fd: number) => Promise<void>
  readonly folder: (path: string) => Promise<void>
  readonly close: (fd: number) => Promise<void>
}

/** Makes safe against power loss what was written, behind the writer's back. */
export interface Syncer {
  written(fd: number): void
  /** Names were added in a folder. */
  named(folder: string): void
  /** Nothing more is written: closed once it is safe. */
  retire(fd: number): void
  /** Resolves when all that was told before is safe. */
  settled(): Promise<void>
}

/** Pause between two rounds, so that a server with an event in each turn does not keep its disk busy; what power loss may cost. */
const PAUSE_MS = 100

/** One round at a time takes along all that has come together. */
export const createSyncer = (calls: SyncCalls, clock: Clock, warn: (message: string) => void): Syncer => {
  const files = new Map<number, 'open' | 'retired'>()
  const folders = new Set<string>()
  let running: Promise<void> | undefined
  let isPausing = false
  let isWarned = false

  const round = async (): Promise<void> => {
    const [names, written] = [[...folders], [...files]]
    folders.clear()
    files.clear()
    // Windows cannot sync folders, and needs it not.
    for (const name of names) await calls.folder(name).catch(() => undefined)
    for (const [fd, state] of written) {
      await calls.file(fd).catch(tell)
      if (state === 'retired') await calls.close(fd).catch(tell)
    }
  }

  const tell = (error: unknown): void => {
    if (!isWarned) warn(`the disk could not make events safe (${codeOf(error)}); a power loss may lose them`)
    isWarned = true
  }

  const start = (): Promise<void> => {
    running ??= round().finally(() => {
      running = undefined
      isPausing = true
      clock.after(PAUSE_MS, () => {
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
    written(fd) {
      files.set(fd, 'open')
      schedule()
    },
    named(folder) {
      folders.add(folder)
      schedule()
    },
    retire(fd) {
      files.set(fd, 'retired')
      schedule()
    },
    async settled() {
      await running
      await start()
    },
  }
}
