import { isJson } from '../is-json.ts'
import { notFound } from '../http-error.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { getFlag } from './feature-flags.ts'

/**
 * Returns the payload of a flag without variants, as JSON, `null` without a payload. Programs read it as configuration, so it
 * depends neither on the conditions of the flag nor on whether it is active. Throws `HttpError` (404).
 *
 * @param id The id or the key of the flag.
 */
export const readFlagPayload = async (metadata: Metadata, projectId: number, id: string): Promise<string> => {
  const { definition } = await getFlag(metadata, projectId, id)
  if (definition.deleted)
    throw notFound(`The feature flag "${id}" is deleted. Restore it with PATCH {"deleted": false}.`)
  const payload = definition.filters.payloads?.['true'] ?? null
  return typeof payload === 'string' && isJson(payload) ? payload : JSON.stringify(payload)
}
