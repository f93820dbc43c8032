import { isRecord } from '../../../wire/json.ts'
import type { Json, JsonObject } from '../../../wire/json.ts'
import { sanitizeId, toStoredId } from '../../../wire/stored-id.ts'
import { badRequest } from '../../http-error.ts'

/** The checked body of a flag request: for whom to evaluate, and which flags. */
export interface FlagRequestBody {
  readonly distinctId: string
  readonly anonDistinctId: string | undefined
  readonly deviceId: string | undefined
  /** Group type to group key, without groups whose key is null or blank. */
  readonly groups: Readonly<Record<string, string>>
  /** Person properties; they take precedence over stored ones. */
  readonly personProperties: JsonObject
  /** Group type to properties. They take precedence over the stored ones. */
  readonly groupProperties: Readonly<Record<string, JsonObject>>
  /** Keys of the requested flags; undefined means all. */
  readonly keys: ReadonlySet<string> | undefined
  /** Excludes flags that name contexts, but none of these; undefined excludes none. */
  readonly contexts: ReadonlySet<string> | undefined
  /** Excludes flags for another runtime; undefined excludes none. */
  readonly runtime: string | undefined
  /** Whether the client's IP address may be used to locate the person. */
  readonly usesGeo: boolean
}

/** Reads the body of a flag request. Throws `HttpError` (400) without a valid distinct id or for a field of the wrong type. */
export const parseFlagRequestBody = (body: JsonObject): FlagRequestBody => {
  const distinctId = toStoredId(body['distinct_id'] ?? body['$distinct_id'])
  if (distinctId === null) {
    throw badRequest(
      'missing_distinct_id',
      '"distinct_id" is missing; send the id of the person, a string that is not blank or a safe integer.',
      'distinct_id',
    )
  }
  const groups: Record<string, string> = {}
  for (const [type, key] of Object.entries(parseObjectField(body, 'groups'))) {
    if (key === null) continue
    const id = sanitizeId(key)
    if (id === null)
      throw badRequest('invalid_groups', `"groups.${type}" must be a group key: a string, a number or null.`, 'groups')
    if (id.trim() !== '') groups[type] = id
  }
  const groupProperties: Record<string, JsonObject> = {}
  for (const [type, properties] of Object.entries(parseObjectField(body, 'group_properties'))) {
    if (properties === null) continue
    if (!isRecord(properties)) {
      throw badRequest('invalid_group_properties', `"group_properties.${type}" must be an object.`, 'group_properties')
    }
    groupProperties[type] = properties
  }
  const personProperties = parseObjectField(body, 'person_properties')
  const keys = parseStringsField(body, 'flag_keys_to_evaluate') ?? parseStringsField(body, 'flag_keys')
  return {
    distinctId,
    anonDistinctId: toStoredId(body['$anon_distinct_id']) ?? undefined,
    deviceId: toStoredId(body['$device_id']) ?? toStoredId(personProperties['$device_id']) ?? undefined,
    groups,
    personProperties,
    groupProperties,
    keys: body['disable_flags'] === true ? new Set() : keys,
    contexts: parseStringsField(body, 'evaluation_contexts'),
    runtime: RUNTIMES.find((runtime) => runtime === body['evaluation_runtime']),
    // The Rust client names this field differently.
    usesGeo: body['geoip_disable'] !== true && body['disable_geoip'] !== true,
  }
}

const parseObjectField = (body: JsonObject, name: string): JsonObject => {
  const value = body[name] ?? {}
  if (isRecord(value)) return value
  throw badRequest(`invalid_${name}`, `"${name}" must be an object.`, name)
}

const parseStringsField = (body: JsonObject, name: string): ReadonlySet<string> | undefined => {
  const value = body[name]
  if (value === undefined || value === null) return undefined
  const strings = Array.isArray(value) ? value.filter((each: Json): each is string => typeof each === 'string') : []
  if (Array.isArray(value) && strings.length === value.length) return new Set(strings)
  throw badRequest(`invalid_${name}`, `"${name}" must be an array of strings.`, name)
}

/** An unknown runtime excludes no flags: a newer client must not lose its flags. */
const RUNTIMES = ['client', 'server']
