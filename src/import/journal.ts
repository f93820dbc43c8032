import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isRecord } from '../wire/json.ts'
import { parseJson } from '../wire/parse-json.ts'
import { ImportError, messageOf, systemErrorCode } from './import-error.ts'
import type { InputIdentity } from './input.ts'
import type { RejectCounts } from './reject-counts.ts'
import type { InputPosition } from './row.ts'
import type { ImportFormat } from './row-parser.ts'
import { writeFileAtomically } from './write-file-atomically.ts'

/** Identifies an import. A run may continue another only if all of this is the same. */
export interface ImportIdentity {
  readonly input: InputIdentity
  readonly host: string
  /** Fingerprint of the project API key. The key itself is never written to disk. */
  readonly key: string
  /** Columns that are kept as text. */
  readonly textColumns: readonly string[]
}

/** How far an import is. */
export interface ImportState {
  /** The position up to which every row was delivered or rejected. */
  readonly position: InputPosition
  /** SHA-256 of the bytes of a stream up to `position`; null for a file. */
  readonly prefixDigest: string | null
  readonly format: ImportFormat
  /** The header of a CSV file; null for NDJSON. */
  readonly header: readonly string[] | null
  /** Events that were acknowledged. */
  readonly sent: number
  readonly rejectCounts: RejectCounts
  /** Requests that were acknowledged. */
  readonly requestCount: number
  /** Size of the rejects file when `position` was reached. */
  readonly rejectsBytes: number
  /** True once the end of the input was reached. */
  readonly isComplete: boolean
}

/** The content of a journal file. */
interface Journal {
  readonly version: typeof VERSION
  readonly import: ImportIdentity
  readonly state: StoredState
}

/** An `ImportState` under the names that journal files use. */
interface StoredState extends Omit<ImportState, 'position' | 'prefixDigest' | 'rejectCounts' | 'requestCount'> {
  readonly done: InputPosition
  readonly prefix: string | null
  readonly rejected: RejectCounts
  readonly batches: number
}

const fromStoredState = ({ done, prefix, rejected, batches, ...otherFields }: StoredState): ImportState => ({
  position: done,
  prefixDigest: prefix,
  rejectCounts: rejected,
  requestCount: batches,
  ...otherFields,
})

const toStoredState = (state: ImportState): StoredState => {
  const { position, prefixDigest, rejectCounts, requestCount, ...otherFields } = state
  return { done: position, prefix: prefixDigest, rejected: rejectCounts, batches: requestCount, ...otherFields }
}

const VERSION = 1

/** Returns 16 hexadecimal digits of the key's SHA-256: enough to recognise the key, and no way back to it. */
export const keyFingerprint = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 16)

/** What the journal records about earlier runs. */
export interface JournalContent {
  /** Where an earlier run of the same import ended; null if there was none, or if it had delivered nothing. */
  readonly resumableState: ImportState | null
  /** True if the journal records a finished import of something else, which this import replaces. */
  readonly replacesFinishedImport: boolean
}

/** What a journal without any earlier run contains. */
export const EMPTY_JOURNAL: JournalContent = { resumableState: null, replacesFinishedImport: false }

export interface ReadJournalOptions {
  readonly identity: ImportIdentity
  /** The format that the user has set, if any. */
  readonly format: ImportFormat | undefined
  /** True to ignore the state in the journal. A file that is not a journal is still an error, so that it is not overwritten. */
  readonly restart: boolean
}

/**
 * Reads a journal. A finished import of another input is no error, because tomorrow's export may have the same name. A finished stream
 * cannot be recognised before it is read, so it is imported again.
 *
 * @throws {ImportError} `other_input` for the journal of another, unfinished import; `unusable_file` for a file that is not a journal.
 */
export const readJournal = async (
  path: string,
  { identity, format, restart }: ReadJournalOptions,
): Promise<JournalContent> => {
  const json = await readFile(path, 'utf8').catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return null
    throw new ImportError('unusable_file', `The journal ${path} cannot be read: ${messageOf(error)}`, error)
  })
  if (json === null) return EMPTY_JOURNAL
  const journal = parseJson(json)
  if (!isRecord(journal) || journal['version'] !== VERSION) {
    throw new ImportError(
      'unusable_file',
      `${path} is not the journal of an import. Choose another path with --journal.`,
    )
  }
  const { import: recordedIdentity, state: storedState } = journal as unknown as Journal
  const state = fromStoredState(storedState)
  if (restart || state.position.offset === 0) return EMPTY_JOURNAL
  const difference =
    format !== undefined && format !== state.format
      ? `of ${state.format}`
      : describeDifference(recordedIdentity, identity)
  const canResume = difference === null && !(state.isComplete && identity.input.kind === 'stream')
  if (canResume) return { resumableState: state, replacesFinishedImport: false }
  if (state.isComplete) return { resumableState: null, replacesFinishedImport: true }
  throw new ImportError(
    'other_input',
    `${path} belongs to an unfinished import ${difference}. Use --restart to start from the beginning. Events that are already stored are not stored twice, as long as their rows have not moved.`,
  )
}

/** Writes how far an import is. The write is atomic. */
export const writeJournal = async (path: string, identity: ImportIdentity, state: ImportState): Promise<void> => {
  const journal: Journal = { version: VERSION, import: identity, state: toStoredState(state) }
  try {
    await writeFileAtomically(path, `${JSON.stringify(journal, null, 2)}\n`)
  } catch (error) {
    throw journalWriteError(path, error)
  }
}

/** The error for a journal, or its lock file, that cannot be written. */
export const journalWriteError = (path: string, cause: unknown): ImportError =>
  new ImportError(
    'unusable_file',
    `The journal ${path} cannot be written: ${messageOf(cause)}. Choose another path with --journal, or use --no-journal.`,
    cause,
  )

const describeDifference = (recorded: ImportIdentity, current: ImportIdentity): string | null => {
  if (JSON.stringify(recorded.input) !== JSON.stringify(current.input)) {
    return 'of another input, or of a file that has changed since'
  }
  if (recorded.host !== current.host) return `to another host, ${recorded.host}`
  if (recorded.key !== current.key) return 'with another key'
  if (String(recorded.textColumns) !== String(current.textColumns)) return 'with other text columns'
  return null
}
