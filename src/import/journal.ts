import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isRecord } from '../wire/json.ts'
import { parsed } from './cell-value.ts'
import { ImportError, messageOf, systemCode } from './import-error.ts'
import type { InputIdentity } from './input.ts'
import type { Place } from './row.ts'
import type { ImportFormat } from './row-reader.ts'
import { writeFileAtomically } from './write-file-atomically.ts'

/** What an import is: what must be the same for it to go on where it ended. */
export interface ImportIdentity {
  readonly input: InputIdentity
  readonly host: string
  /** Beginning of a hash of the key, which itself is written down nowhere. */
  readonly key: string
  /** Columns that are kept as text. */
  readonly textColumns: readonly string[]
}

/** How far an import has come. */
export interface ImportState {
  readonly done: Place
  /** Of a stream: the hash of what is done; null for a file. */
  readonly prefix: string | null
  readonly format: ImportFormat
  /** The header of a CSV. */
  readonly header: readonly string[] | null
  /** Events that were acknowledged. */
  readonly sent: number
  /** Rows that were rejected, by reason. */
  readonly rejected: Readonly<Record<string, number>>
  /** Requests that were acknowledged. */
  readonly batches: number
  /** Bytes of the file of rejects that belong to what is done. */
  readonly rejectsBytes: number
  /** Nothing is left to do. */
  readonly isComplete: boolean
}

/** A journal as it stands in its file. */
interface Entry {
  readonly version: typeof VERSION
  readonly import: ImportIdentity
  readonly state: ImportState
}

const VERSION = 1

/** Knows a key again without telling it. */
export const keyFingerprint = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 16)

/** What a journal says to an import that is about to begin. */
export interface Earlier {
  /** Where an earlier run of the same import ended; null when there was none, or it had done nothing. */
  readonly state: ImportState | null
  /** It tells of another import, which is finished. */
  readonly isOfFinished: boolean
}

export const NOTHING_EARLIER: Earlier = { state: null, isOfFinished: false }

export interface JournalWants {
  readonly identity: ImportIdentity
  /** The format that the user has named. */
  readonly format: ImportFormat | undefined
  /** Begins anew, whatever the journal says; but what is no journal is not written over. */
  readonly restart: boolean
}

/**
 * Reads a journal. A finished one is in nobody's way: the next night's export has the same name. A finished stream cannot be known again before it
 * is read, and so is read anew. Throws `ImportError` for the journal of another import that is half done.
 */
export const readJournal = async (path: string, { identity, format, restart }: JournalWants): Promise<Earlier> => {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return null
    throw new ImportError('unusable_file', `The journal ${path} cannot be read: ${messageOf(error)}`, error)
  })
  if (text === null) return NOTHING_EARLIER
  const entry = parsed(text)
  if (!isRecord(entry) || entry['version'] !== VERSION) {
    throw new ImportError('unusable_file', `${path} is no journal of an import. Name another with --journal.`)
  }
  const { import: found, state } = entry as unknown as Entry
  if (restart || state.done.offset === 0) return NOTHING_EARLIER
  const difference =
    format !== undefined && format !== state.format ? `of ${state.format}` : differenceOf(found, identity)
  const isKnown = difference === null && !(state.isComplete && identity.input.kind === 'stream')
  if (isKnown) return { state, isOfFinished: false }
  if (state.isComplete) return { state: null, isOfFinished: true }
  throw new ImportError(
    'other_input',
    `${path} tells of a half-done import ${difference}. To begin anew, say --restart: events that were stored before are stored once all the same, as long as their rows stand where they stood.`,
  )
}

/** Writes down how far an import has come. */
export const writeJournal = async (path: string, identity: ImportIdentity, state: ImportState): Promise<void> => {
  const entry: Entry = { version: VERSION, import: identity, state }
  try {
    await writeFileAtomically(path, `${JSON.stringify(entry, null, 2)}\n`)
  } catch (error) {
    throw new ImportError(
      'unusable_file',
      `The journal ${path} cannot be written: ${messageOf(error)}. Name another place with --journal, or do without by --no-journal.`,
      error,
    )
  }
}

const differenceOf = (found: ImportIdentity, wanted: ImportIdentity): string | null => {
  if (JSON.stringify(found.input) !== JSON.stringify(wanted.input))
    return 'of another input, or the file has changed since'
  if (found.host !== wanted.host) return `to another host, ${found.host}`
  if (found.key !== wanted.key) return 'with another key'
  if (String(found.textColumns) !== String(wanted.textColumns)) return 'with other columns of text'
  return null
}
