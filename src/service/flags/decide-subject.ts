import type { Json, JsonObject } from '../../wire/json.ts'
import { idOf } from '../ingest/event.ts'
import { isRecord } from '../ingest/request.ts'
import { cleanId } from '../persons/change.ts'
import { invalid } from '../refusal.ts'

/** Whom a request wants flags for, checked. */
export interface DecideSubject {
  readonly distinctId: string
  readonly anonDistinctId: string | undefined
  readonly deviceId: string | undefined
  /** Group type to group key. */
  readonly groups: Readonly<Record<string, string>>
  /** Win over the stored ones. */
  readonly personProperties: JsonObject
  /** Group type to properties; win over the stored ones. */
  readonly groupProperties: Readonly<Record<string, JsonObject>>
  /** The flags asked for; undefined means all. */
  readonly keys: ReadonlySet<string> | undefined
}

const objectOf = (body: JsonObject, name: string): JsonObject => {
  const value = body[name] ?? {}
  if (isRecord(value)) return value
  throw invalid(`invalid_${name}`, `"${name}" must be an object.`, name)
}

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** Reads the body of a flag request. Throws `Refusal` (400) for one that names nobody or has fields of the wrong shape. */
export const readDecideSubject = (body: JsonObject): DecideSubject => {
  const distinctId = idOf(body['distinct_id'] ?? body['$distinct_id'])
  if (distinctId === null) {
    throw invalid('missing_distinct_id', 'The body must say whom flags are for: "distinct_id", a text.', 'distinct_id')
  }
  const groups: Record<string, string> = {}
  for (const [type, key] of Object.entries(objectOf(body, 'groups'))) {
    const id = cleanId(key)
    if (id === null) throw invalid('invalid_groups', `"groups.${type}" must be the key of a group, a text.`, 'groups')
    if (id !== '') groups[type] = id
  }
  const groupProperties: Record<string, JsonObject> = {}
  for (const [type, properties] of Object.entries(objectOf(body, 'group_properties'))) {
    if (!isRecord(properties)) {
      throw invalid('invalid_group_properties', `"group_properties.${type}" must be an object.`, 'group_properties')
    }
    groupProperties[type] = properties
  }
  const personProperties = objectOf(body, 'person_properties')
  const keys = body['flag_keys_to_evaluate'] ?? body['flag_keys']
  return {
    distinctId,
    anonDistinctId: textOf(body['$anon_distinct_id']),
    deviceId: textOf(body['$device_id']) ?? textOf(personProperties['$device_id']),
    groups,
    personProperties,
    groupProperties,
    keys:
      body['disable_flags'] === true
        ? new Set()
        : Array.isArray(keys)
          ? new Set(keys.filter((key: Json): key is string => typeof key === 'string'))
          : undefined,
  }
}
