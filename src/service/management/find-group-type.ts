import { badRequest } from '../http-error.ts'
import { readFlagSettings } from '../store/metadata/flag-settings.ts'
import type { Metadata } from '../store/metadata/open.ts'

/** The group type that a parameter names by its index. Throws `HttpError` (400). */
export const findGroupType = async (
  metadata: Metadata,
  projectId: number,
  index: number | undefined,
): Promise<string> => {
  const { groupTypes } = await readFlagSettings(metadata, projectId)
  const type = groupTypes[String(index ?? 0)]
  if (type !== undefined) return type
  throw badRequest(
    'invalid_input',
    '"group_type_index" must be the index of a group type of this project.',
    'group_type_index',
  )
}
