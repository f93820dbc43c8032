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
 * @returns A function that releases the lock.
 * @throws {ImportError} `in_use` if another import holds the lock; `unusable_file` if the lock file cannot be read or written.
 */
export const lockJournal = async (journal: string): Promise<() => Promise<void>> => {
  const path = `${journal}.lock`
  const ownerId = createOwnerId(randomBytes(8))
  const releaseLock = (): Promise<void> => rm(path, { force: true })
  if (createLock(path, ownerId, journal)) return releaseLock
  const owner = await readOwner(path)
  const isAbandoned = owner === null || (isOwnerId(owner) && getOwnerStatus(owner, ownerId) === 'dead')
  if (isAbandoned && (owner === null || (await removeLock(path, owner))) && createLock(path, ownerId, journal)) {
    return releaseLock
  }
  throw new ImportError(
    'in_use',
    `Another import is using the journal ${journal}. If you are sure that none is running, delete ${path}.`,
  )
}

/** Creates the lock file; returns false if it exists. Synchronous, so that no other process reads an empty lock file. */
const createLock = (path: string, ownerId: string, journal: string): boolean => {
  try {
    writeFileSync(path, ownerId, { flag: 'wx' })
    return true
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false
    throw journalWriteError(journal, error)
  }
}

/** Returns the owner in the lock file; null if the lock was released in the meantime. */
const readOwner = (path: string): Promise<string | null> =>
  readFile(path, 'utf8').catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return null
    throw new ImportError('unusable_file', `${path} cannot be read: ${messageOf(error)}`, error)
  })

/** Removes the lock of a dead owner. Returns false if another process took over the lock first. */
const removeLock = async (path: string, owner: string): Promise<boolean> => {
  const renamedPath = `${path}.${randomBytes(4).toString('hex')}`
  const isRenamed = await rename(path, renamedPath).then(
    () => true,
    () => false,
  )
  if (!isRenamed) return false
  const currentOwner = await readFile(renamedPath, 'utf8')
  // Another process took over the lock after it was read: put its lock file back.
  if (currentOwner !== owner) await rename(renamedPath, path)
  else await rm(renamedPath, { force: true })
  return currentOwner === owner
}
