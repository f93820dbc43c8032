import { isOwnerId } from './owner.ts'

/** Takes the owner's place in the folder name of a log that the next process may take over. */
export const FREE_OWNER = 'free'

export interface LogFolderName {
  /** Name of the log; names sort by creation time. */
  readonly log: string
  /** An owner id, or `free`. */
  readonly owner: string
}

/** Digits of a base-36 timestamp; enough until the year 5188. */
const TIME_DIGITS = 9

export const createLogName = (now: number, random: Uint8Array): string =>
  `${now.toString(36).padStart(TIME_DIGITS, '0')}-${Buffer.from(random).toString('hex')}`

/** The folder name holds log and owner, so that one atomic rename, which only one process can win, changes the owner. */
export const formatLogFolderName = ({ log, owner }: LogFolderName): string => `${log}~${owner}`

/** Undefined for a name that is not a log folder's. */
export const parseLogFolderName = (name: string): LogFolderName | undefined => {
  const [log = '', owner = '', ...rest] = name.split('~')
  if (rest.length || !/^[0-9a-z]{9}-[0-9a-f]+$/.test(log) || (owner !== FREE_OWNER && !isOwnerId(owner))) {
    return undefined
  }
  return { log, owner }
}
