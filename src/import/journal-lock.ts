import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { readFile, rename, rm } from 'node:fs/promises'
import { isOwner, lifeOf, newOwner } from '../platform/node/event-files/owner.ts'
import { ImportError, messageOf, systemCode } from './import-error.ts'

/**
 * Takes a journal for this import alone: two at once would write over each other's progress and rejects. What a process leaves behind that was
 * killed is nobody's, and taken over. Throws `ImportError`.
 *
 * @returns Gives it back.
 */
export const lockJournal = async (journal: string): Promise<() => Promise<void>> => {
  const path = `${journal}.lock`
  const self = newOwner(randomBytes(8))
  const release = (): Promise<void> => rm(path, { force: true })
  if (create(path, self, journal)) return release
  const owner = await ownerOf(path)
  const isLeft = owner === null || (isOwner(owner) && lifeOf(owner, self) === 'dead')
  if (isLeft && (owner === null || (await isTakenAway(path, owner))) && create(path, self, journal)) return release
  throw new ImportError(
    'in_use',
    `Another import is writing the journal ${journal}. If you know that there is none, delete ${path}.`,
  )
}

/** Whether there was none yet. Written without a pause in between, so that nobody finds it empty. */
const create = (path: string, self: string, journal: string): boolean => {
  try {
    writeFileSync(path, self, { flag: 'wx' })
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw new ImportError(
      'unusable_file',
      `The journal ${journal} cannot be written: ${messageOf(error)}. Name another place with --journal, or do without by --no-journal.`,
      error,
    )
  }
}

/** Null where it has been given back meanwhile. */
const ownerOf = (path: string): Promise<string | null> =>
  readFile(path, 'utf8').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return null
    throw new ImportError('unusable_file', `${path} cannot be read: ${messageOf(error)}`, error)
  })

/** Takes a dead owner's lock away. False where somebody else was faster, whose own stands there now. */
const isTakenAway = async (path: string, owner: string): Promise<boolean> => {
  const aside = `${path}.${randomBytes(4).toString('hex')}`
  if (
    !(await rename(path, aside).then(
      () => true,
      () => false,
    ))
  )
    return false
  const found = await readFile(aside, 'utf8')
  // Another one's, who has taken it since we looked: it is put back.
  if (found !== owner) await rename(aside, path)
  else await rm(aside, { force: true })
  return found === owner
}
