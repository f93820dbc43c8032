import { isRecord } from '../../../wire/json.ts'
import type { Json, JsonObject } from '../../../wire/json.ts'
import { cleanId, idOf } from '../../../wire/id.ts'
import { invalid } from '../../refusal.ts'

/** Whom a request wants flags for, and which, checked. */
export interface DecideSubject {
  readonly distinctId: string
  readonly anonDistinctId: string | undefined
  readonly deviceId: string | undefined
  /** Group type to group key. Null stands for no group, as an empty text does. */
  readonly groups: Readonly<Record<string, string>>
  /** Win over the stored ones. */
  readonly personProperties: JsonObject
  /** Group type to properties; win over the stored ones. */
  readonly groupProperties: Readonly<Record<string, JsonObject>>
  /** The flags asked for; undefined means all. */
  readonly keys: ReadonlySet<string> | undefined
  /** Of the flags that name contexts, only those that name one of these are wanted; undefined means all. */
  readonly contexts: ReadonlySet<string> | undefined
  /** Flags for another runtime are not wanted; undefined means all. */
  readonly runtime: string | undefined
  /** Whether the client's address may tell where the person is. */
  readonly usesGeo: boolean
}

/** Reads the body of a flag request. Throws `Refusal` (400) for one that names nobody or has fields of the wrong shape. */
export const readDecideSubject = (body: JsonObject): DecideSubject => {
  const distinctId = idOf(body['distinct_id'] ?? body['$distinct_id'])
  if (distinctId === null) {
    throw invalid('missing_distinct_id', 'The body must say whom flags are for: "distinct_id", a text.', 'distinct_id')
  }
  const groups: Record<string, string> = {}
  for (const [type, key] of Object.entries(objectOf(body, 'groups'))) {
    if (key === null) continue
    const id = cleanId(key)
    if (id === null) throw invalid('invalid_groups', `"groups.${type}" must be the key of a group, a text.`, 'groups')
    if (id !== '') groups[type] = id
  }
  const groupProperties: Record<string, JsonObject> = {}
  for (const [type, properties] of Object.entries(objectOf(body, 'group_properties'))) {
    if (properties === null) continue
    if (!isRecord(properties)) {
      throw invalid('invalid_group_properties', `"group_properties.${type}" must be an object.`, 'group_properties')
    }
    groupProperties[type] = properties
  }
  const personProperties = objectOf(body, 'person_properties')
  const keys = textsOf(body, 'flag_keys_to_evaluate') ?? textsOf(body, 'flag_keys')
  return {
    distinctId,
    anonDistinctId: idOf(body['$anon_distinct_id']) ?? undefined,
    deviceId: idOf(body['$device_id']) ?? idOf(personProperties['$device_id']) ?? undefined,
    groups,
    personProperties,
    groupProperties,
    keys: body['disable_flags'] === true ? new Set() : keys,
    contexts: textsOf(body, 'evaluation_contexts'),
    runtime: RUNTIMES.find((runtime) => runtime === body['evaluation_runtime']),
    // Rust clients name it the other way round.
    usesGeo: body['geoip_disable'] !== true && body['disable_geoip'] !== true,
  }
}

const objectOf = (body: JsonObject, name: string): JsonObject => {
  const value = body[name] ?? {}
  if (isRecord(value)) return value
  throw invalid(`invalid_${name}`, `"${name}" must be an object.`, name)
}

const textsOf = (body: JsonObject, name: string): ReadonlySet<string> | undefined => {
  const value = body[name]
  if (value === undefined || value === null) return undefined
  const texts = Array.isArray(value) ? value.filter((each: Json): each is string => typeof each === 'string') : []
  if (Array.isArray(value) && texts.length === value.length) return new Set(texts)
  throw invalid(`invalid_${name}`, `"${name}" must be an array of texts.`, name)
}

/** One that is not known narrows nothing: a client that is newer must not go without flags. */
const RUNTIMES = ['client', 'server']
