import { close, closeSync, fdatasync, fsync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import type { FsyncCalls } from './syncer.ts'

const fsyncFd = promisify(fsync)

/** Node's fsync functions, which wait for the disk in the thread pool. */
export const fsyncCalls: FsyncCalls = {
  syncFile: promisify(fdatasync),
  async syncFolder(path) {
    const fd = openSync(path, 'r')
    try {
      await fsyncFd(fd)
    } finally {
      closeSync(fd)
    }
  },
  closeFile: promisify(close),
}
