import { isJson } from '../is-json.ts'
import { notFound } from '../refusal.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { existingFlag } from './feature-flags.ts'

/**
 * The payload of a flag without variants, as JSON text: what servers read as configuration, whoever the flag is for and
 * whether it is switched on or not. `null` where it has none. Throws `Refusal` (404).
 *
 * @param id The flag's number or key.
 */
export const flagPayload = async (metadata: Metadata, projectId: number, id: string): Promise<string> => {
  const { given } = await existingFlag(metadata, projectId, id)
  if (given.deleted) throw notFound(`The feature flag "${id}" is deleted.`)
  const payload = given.filters.payloads?.['true'] ?? null
  return typeof payload === 'string' && isJson(payload) ? payload : JSON.stringify(payload)
}
