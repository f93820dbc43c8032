import type { RejectReason } from './reject.ts'
import type { RetryWait } from './retries.ts'
import type { ImportFormat } from './row-reader.ts'

/** What to read. */
export interface InputOptions {
  /** Path of a file, or bytes from anywhere (a `Readable`, the body of a `Response`). Gzip is noticed by its first bytes. */
  readonly source: string | AsyncIterable<Uint8Array>
  /** Default: what the file's extension tells (`.ndjson`, `.jsonl`, `.csv`, each also with `.gz`), else what the first bytes look like. */
  readonly format?: ImportFormat | undefined
  /** CSV: columns of properties whose cells stay texts, though they look like numbers, booleans or JSON. Default none. */
  readonly textColumns?: readonly string[] | undefined
  /** Path of a file for the rows that are rejected, one line of JSON each. It begins anew with each import; a file that holds something else is left alone, and an error. Default: none is written. */
  readonly rejects?: string | undefined
  /** Told after each batch, and before each wait for the service. */
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined
  /** Ends the import after the batch that is on its way. */
  readonly signal?: AbortSignal | undefined
}

/** What to import, and where to. */
export interface ImportOptions extends InputOptions {
  /** The project API key. */
  readonly key: string
  /** Address of the service: `https://analytics.example.com`. */
  readonly host: string
  /**
   * Path of a file that tells how far the import is: with it an import that was ended goes on where it was. Default: none is written, and
   * all is sent again, which is stored once all the same. Of one import at a time: a file with `.lock` behind its name keeps others away.
   */
  readonly journal?: string | undefined
  /** True: begins anew, whatever the journal says. Default false. */
  readonly restart?: boolean | undefined
  /** Tries in a row that may fail, the first one not counted, before the import fails with `gave_up`. Default: no end, once the host has answered. */
  readonly maxRetries?: number | undefined
  /** In place of the platform's `fetch`. */
  readonly fetch?: typeof fetch | undefined
}

/** How far an import is. */
export interface ImportProgress {
  /** Bytes of the source that were read, packed ones too; a little ahead of what is sent. */
  readonly bytesRead: number
  /** All bytes of the source; null where nobody knows before the end. */
  readonly bytesTotal: number | null
  /** Events that were acknowledged, those of earlier runs included. */
  readonly sent: number
  /** Rows that were rejected, those of earlier runs included. */
  readonly rejected: number
  /** Events that were acknowledged in this run, for each second of it. */
  readonly eventsPerSecond: number
  /** How long the rest will take, by this run's pace; null where nobody knows. */
  readonly secondsLeft: number | null
  /** The wait for the service that begins now; null when there is none. */
  readonly wait: RetryWait | null
}

/** What an import has done. */
export interface ImportSummary {
  /** Events that the service has acknowledged, earlier runs of the same import included. */
  readonly sent: number
  /** Rows that were rejected, earlier runs included. */
  readonly rejected: number
  /** The same, by reason. */
  readonly rejectedBy: Readonly<Partial<Record<RejectReason, number>>>
  /** Requests that were acknowledged, earlier runs included. */
  readonly batches: number
  /** Bytes of the source that this run has read. */
  readonly bytesRead: number
  /** Bytes of the bodies that this run has sent. */
  readonly bytesSent: number
  /** Milliseconds of this run. */
  readonly durationMs: number
  /** Events that were acknowledged in this run, for each second of it. */
  readonly eventsPerSecond: number
  /** Names of fields or columns that were left out, because they have no place in an event; at most 50. */
  readonly ignored: readonly string[]
  /** False when `signal` has ended it before the end of the input. */
  readonly isComplete: boolean
  /** True when it went on where an earlier run had ended. */
  readonly isResumed: boolean
  /** True when the journal told of another import, which was finished, in whose place this one began. */
  readonly isBegunAnew: boolean
}
