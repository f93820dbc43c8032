import { MAX_ID_CHARACTERS } from './bounds.ts'
import { isMergeableId } from './is-mergeable-id.ts'

/** Whether the service stores events of a person or a group with this id. Ids that earlier versions have stored may be longer. */
export const isNewId = (id: unknown): id is string => isMergeableId(id) && id.length <= MAX_ID_CHARACTERS
