import { renameSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../../port/clock.ts'
import { codeOf } from './error-code.ts'
import { folderName, FREE, parseFolderName } from './log-name.ts'
import { lifeOf } from './owner.ts'
import { createSilence } from './silence.ts'

/** A log that is ours from now on. */
export interface TakenName {
  readonly log: string
  readonly path: string
}

export interface TakeOverOptions {
  /** The folder of all logs. */
  readonly root: string
  /** Who is their owner from then on. */
  readonly self: string
  readonly clock: Clock
  /** False once nothing more may be taken. */
  readonly mayTake: () => boolean
  readonly warn: (message: string) => void
}

/**
 * Makes a function that takes over every log whose owner is dead, and answers them, the oldest first. Of several processes that try, one wins: a
 * folder is renamed once from the name that all of them have seen.
 */
export const createTakeOver = ({
  root,
  self,
  clock,
  mayTake,
  warn,
}: TakeOverOptions): (() => Promise<readonly TakenName[]>) => {
  const silence = createSilence()

  const isLeft = async (name: string, owner: string): Promise<boolean> => {
    if (owner === self) return false
    const life = owner === FREE ? 'dead' : lifeOf(owner, self)
    if (life !== 'unknown') return life === 'dead'
    return silence.isSilent(name, (await stat(join(root, name))).mtimeMs, clock.now())
  }

  const take = async (name: string): Promise<readonly TakenName[]> => {
    const { log, owner } = parseFolderName(name) ?? {}
    if (log === undefined || owner === undefined) return []
    try {
      if (!(await isLeft(name, owner)) || !mayTake()) return []
      const path = join(root, folderName({ log, owner: self }))
      renameSync(join(root, name), path)
      return [{ log, path }]
    } catch (error) {
      // ENOENT: somebody was faster, or the owner has ended it.
      if (codeOf(error) !== 'ENOENT') warn(`cannot take over ${join(root, name)} (${codeOf(error)}); its events wait`)
      return []
    }
  }

  return async () => {
    const names = await readdir(root).catch(() => [])
    silence.keep(new Set(names))
    const taken: TakenName[] = []
    for (const name of [...names].sort()) taken.push(...(await take(name)))
    return taken
  }
}
