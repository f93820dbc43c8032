import { randomUUID } from 'node:crypto'
import type { CountSharing } from './auth/share-counts.ts'
import { startCountSharing } from './auth/share-counts.ts'
import type { Metadata, MetadataSource } from './store/metadata/open.ts'
import { isSharedSource } from './store/metadata/open.ts'
import { MAX_MESSAGE_BYTES, sendMessage } from './store/metadata/postgres/node-messages.ts'
import type { MetadataChanges } from './store/metadata/watch-changes.ts'

/** What shares the rate limits of nodes on one PostgreSQL. */
export interface LimitSharingParts {
  readonly source: MetadataSource
  readonly metadata: Metadata
  readonly changes: Pick<MetadataChanges, 'listen'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Starts to share rate limits; null for metadata in a file, which one node has. */
export const shareLimits = ({
  source,
  metadata,
  changes,
  now,
}: LimitSharingParts): Pick<CountSharing, 'share' | 'stop'> | null => {
  if (!isSharedSource(source)) return null
  const sharing = startCountSharing(
    randomUUID(),
    { send: (text) => sendMessage(metadata, text), maxBytes: MAX_MESSAGE_BYTES },
    now,
  )
  changes.listen(sharing.receive)
  return sharing
}
