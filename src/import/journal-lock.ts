import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { readFile, rename, rm } from 'node:fs/promises'
import { isOwnerId, getOwnerStatus, createOwnerId } from '../platform/node/event-files/owner.ts'
import { ImportError, messageOf, systemErrorCode } from './import-error.ts'
import { journalWriteError } from './journal.ts'

/**
 * Locks a journal for this import. Two imports with one journal would overwrite each other's progress and rejects. A lock whose process has
 * died is taken over.
 *
 * @returns Releases the lock.
 * @throws {ImportError} `in_use` if another import holds the lock; `unusable_file` if the lock file cannot be read or written.
 */
export const lockJournal = async (journal: string): Promise<() => Promise<void>> => {
  const path = `${journal}.lock`
  const self = createOwnerId(randomBytes(8))
  const release = (): Promise<void> => rm(path, { force: true })
  if (createLock(path, self, journal)) return release
  const owner = await readOwner(path)
  const isAbandoned = owner === null || (isOwnerId(owner) && getOwnerStatus(owner, self) === 'dead')
  if (isAbandoned && (owner === null || (await removeLock(path, owner))) && createLock(path, self, journal)) {
    return release
  }
  throw new ImportError(
    'in_use',
    `Another import is using the journal ${journal}. If you are sure that none is running, delete ${path}.`,
  )
}

/** Creates the lock file; returns false if it exists. Synchronous, so that no other process reads an empty lock file. */
const createLock = (path: string, self: string, journal: string): boolean => {
  try {
    writeFileSync(path, self, { flag: 'wx' })
    return true
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false
    throw journalWriteError(journal, error)
  }
}

/** Returns the owner in the lock file; null if the lock has been released since. */
const readOwner = (path: string): Promise<string | null> =>
  readFile(path, 'utf8').catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return null
    throw new ImportError('unusable_file', `${path} cannot be read: ${messageOf(error)}`, error)
  })

/** Removes the lock of a dead owner. Returns false if another process was faster and the lock is now its own. */
const removeLock = async (path: string, owner: string): Promise<boolean> => {
  const renamed = `${path}.${randomBytes(4).toString('hex')}`
  const isRenamed = await rename(path, renamed).then(
    () => true,
    () => false,
  )
  if (!isRenamed) return false
  const currentOwner = await readFile(renamed, 'utf8')
  // Another process has taken the lock over since it was read: put its lock file back.
  if (currentOwner !== owner) await rename(renamed, path)
  else await rm(renamed, { force: true })
  return currentOwner === owner
}
