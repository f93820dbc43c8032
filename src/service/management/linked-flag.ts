import type { Json } from '../../wire/json.ts'
import { must } from '../flags/definitions/check.ts'
import { DefinitionError } from '../flags/definitions/definition-error.ts'
import { findFlag } from '../store/metadata/flags.ts'
import type { StoredFlag } from '../store/metadata/flags.ts'
import type { Metadata } from '../store/metadata/open.ts'

/** The flag that a definition names by its id in the field `attr`. Throws `DefinitionError` where there is none, or a deleted one. */
export const linkedFlag = async (
  transaction: Metadata,
  projectId: number,
  flagId: Json,
  attr: string,
): Promise<StoredFlag> => {
  const found = Number.isSafeInteger(flagId) ? await findFlag(transaction, projectId, Number(flagId)) : undefined
  if (!found) throw new DefinitionError(attr, 'must be the id of a flag')
  must(!found.given.deleted, attr, 'is a deleted flag')
  return found
}
