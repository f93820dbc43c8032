import type { ChosenMetadata } from './choose-metadata.ts'
import type { DataFolder } from './data-folder.ts'
import { StartError } from './data-folder.ts'

/** Longest wait for the end of a process with the same node id: PostgreSQL takes that long to notice that its machine is gone. */
export const MAX_CLAIM_MS = 30_000

/** Another process has the node id of a data folder (`MetadataChanges.claim`). */
export const createClaimError = ({ path }: DataFolder, { nodeId }: ChosenMetadata): StartError =>
  new StartError(
    `Another process uses the node id ${nodeId} of the data folder ${path}: one of the two folders is a copy. Stop the other process, or ` +
      'start with a new folder.',
  )
