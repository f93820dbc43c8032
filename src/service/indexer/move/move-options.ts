import type { ClickHouseSource } from '../../store/events/clickhouse/clickhouse-source.ts'
import type { Metadata } from '../../store/metadata/open.ts'

/** Between what events are moved. */
export interface MoveOptions {
  readonly server: ClickHouseSource
  /** The folder of the files. */
  readonly folder: string
  readonly metadata: Metadata
  /** The node whose position is moved. */
  readonly nodeId: string
  /** Memory limit of a file, in megabytes. */
  readonly memoryMb: number
  /** Bytes of the properties of events that are read from ClickHouse before they are written. Default: 8 MiB. */
  readonly listBytes?: number
  /** Receives a sentence about how far the move is. */
  readonly onNotice: (notice: string) => void
  /** Receives a sentence for the operator. */
  readonly onWarning: (message: string) => void
  /** Ends the move, which rejects then; the next continues it. */
  readonly signal: AbortSignal
}

/** A project whose events are moved. */
export interface MovedProject {
  readonly id: number
  readonly uuid: string
}

/** What has been copied and compared. */
export interface CompleteCopies {
  readonly events: number
  /** The ids of the projects that have events. */
  readonly projects: readonly number[]
}

/** Thrown when a copy is not what was copied. It is discarded, so that the next move begins anew. */
export class CopyDiffersError extends Error {
  override readonly name = 'CopyDiffersError'
}
