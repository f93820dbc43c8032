import type { Json } from '../../wire/json.ts'
import { checkThat } from '../flags/definitions/check.ts'
import { DefinitionError } from '../flags/definitions/definition-error.ts'
import { findFlag } from '../store/metadata/flags.ts'
import type { StoredFlag } from '../store/metadata/flags.ts'
import type { Metadata } from '../store/metadata/open.ts'

/** Returns the flag whose id is in the field `attr` of a definition. Throws `DefinitionError` if it is missing or deleted. */
export const getLinkedFlag = async (
  transaction: Metadata,
  projectId: number,
  flagId: Json,
  attr: string,
): Promise<StoredFlag> => {
  const flag = Number.isSafeInteger(flagId) ? await findFlag(transaction, projectId, Number(flagId)) : undefined
  if (!flag) throw new DefinitionError(attr, 'must be the id of an existing flag')
  checkThat(!flag.definition.deleted, attr, 'is the id of a deleted flag; restore the flag first')
  return flag
}
