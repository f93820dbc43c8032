import { close, closeSync, fdatasync, fsync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import type { SyncCalls } from './syncer.ts'

const syncFd = promisify(fsync)

/** The calls of Node that wait for the disk, in the thread pool. */
export const syncCalls: SyncCalls = {
  file: promisify(fdatasync),
  async folder(path) {
    const fd = openSync(path, 'r')
    try {
      await syncFd(fd)
    } finally {
      closeSync(fd)
    }
  },
  close: promisify(close),
}
