import { isOwner } from './owner.ts'

/** The owner's place in the name of a log that waits for the next process. */
export const FREE = 'free'

export interface LogName {
  /** Sorts by birth. */
  readonly log: string
  /** An owner, or `free`. */
  readonly owner: string
}

/** Until the year 5188. */
const TIME_DIGITS = 9

/** The name of a new log. */
export const newLog = (now: number, random: Uint8Array): string =>
  `${now.toString(36).padStart(TIME_DIGITS, '0')}-${Buffer.from(random).toString('hex')}`

/** A log's folder is called by the log and its owner, so that one rename, which only one process can win, changes the owner. */
export const folderName = ({ log, owner }: LogName): string => `${log}~${owner}`

/** Undefined for anything else that lies about. */
export const parseFolderName = (name: string): LogName | undefined => {
  const [log = '', owner = '', ...rest] = name.split('~')
  if (rest.length || !/^[0-9a-z]{9}-[0-9a-f]+$/.test(log) || (owner !== FREE && !isOwner(owner))) return undefined
  return { log, owner }
}
