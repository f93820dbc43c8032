import type { Metadata } from './open.ts'

/**
 * The node of metadata in a SQLite file, which only one data folder uses. On PostgreSQL, each data folder has an id of its own
 * (`read-node-id.ts`).
 */
export const ONLY_NODE = ''

/** The metadata, and the node that uses them. */
export interface NodeMetadata {
  readonly metadata: Metadata
  readonly nodeId: string
}
