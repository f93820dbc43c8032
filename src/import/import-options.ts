import type { RejectReason } from './reject.ts'
import type { RetryWait } from './retries.ts'
import type { ImportFormat } from './row-parser.ts'

/** What to read, and what to report while reading. */
export interface InputOptions {
  /** Path of a file, or an async iterable of bytes (a `Readable`, the body of a `Response`). Gzip is detected by its first bytes. */
  readonly source: string | AsyncIterable<Uint8Array>
  /**
   * Format of the input. Default: by the file's extension (`.ndjson`, `.jsonl`, `.csv`, each also with `.gz`), else by its first bytes.
   */
  readonly format?: ImportFormat | undefined
  /** CSV: columns of properties whose cells stay strings, even if they look like numbers, booleans or JSON. Default: none. */
  readonly textColumns?: readonly string[] | undefined
  /**
   * Path of a file for rejected rows, one line of JSON each. Each import overwrites the rejects of the one before; a file with any other
   * content is an error and is not changed. Default: no file.
   */
  readonly rejects?: string | undefined
  /** Called after each batch, and before each wait for the service. */
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined
  /** Stops the import after the batch that is in flight. */
  readonly signal?: AbortSignal | undefined
}

/** What to import, and to which project. */
export interface ImportOptions extends InputOptions {
  /** The project API key. */
  readonly key: string
  /** URL of the service, such as `https://analytics.example.com`. */
  readonly host: string
  /**
   * Path of a file that records progress, so that the next run continues where this one ended. Used by one import at a time: a lock file,
   * the path with `.lock` added, keeps others out. Default: no file; the next run sends all events again, and the service drops duplicates.
   */
  readonly journal?: string | undefined
  /** True starts from the beginning of the input, whatever the journal says. Default false. */
  readonly restart?: boolean | undefined
  /**
   * Number of retries that may fail in a row before the import rejects with `gave_up`. Default: no limit. A host that has never responded
   * is always given up after three attempts, as `unreachable`.
   */
  readonly maxRetries?: number | undefined
  /** Replaces the platform's `fetch`. */
  readonly fetch?: typeof fetch | undefined
}

/** How far an import is. */
export interface ImportProgress {
  /** Bytes of the source that were read, before decompression. A little ahead of what was sent. */
  readonly bytesRead: number
  /** Size of the source in bytes; null for a stream. */
  readonly bytesTotal: number | null
  /** Events that were acknowledged, including earlier runs. */
  readonly sent: number
  /** Rows that were rejected, including earlier runs. */
  readonly rejected: number
  /** Events per second that were acknowledged in this run. */
  readonly eventsPerSecond: number
  /** Estimated seconds until the end, at the rate of this run; null if unknown. */
  readonly secondsLeft: number | null
  /** The wait for the service that begins now; null if there is none. */
  readonly wait: RetryWait | null
}

/** The result of an import. */
export interface ImportSummary {
  /** Events that the service has acknowledged, including earlier runs of the same import. */
  readonly sent: number
  /** Rows that were rejected, including earlier runs. */
  readonly rejected: number
  /** Rejected rows by reason, including earlier runs. */
  readonly rejectedBy: Readonly<Partial<Record<RejectReason, number>>>
  /** Requests that were acknowledged, including earlier runs. */
  readonly batches: number
  /** Bytes of the source that this run has read. */
  readonly bytesRead: number
  /** Bytes of the request bodies that this run has sent, after compression. */
  readonly bytesSent: number
  /** Duration of this run in milliseconds. */
  readonly durationMs: number
  /** Events per second that were acknowledged in this run. */
  readonly eventsPerSecond: number
  /** Names of fields or columns that were not imported, because an event has no such field; at most 50. */
  readonly ignored: readonly string[]
  /** False if `signal` stopped the import before the end of the input. */
  readonly isComplete: boolean
  /** True if the import continued where an earlier run had ended. */
  readonly isResumed: boolean
  /** True if the journal belonged to another, finished import, so that this import started from the beginning. */
  readonly isBegunAnew: boolean
}
