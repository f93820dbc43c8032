import { EventName } from '../../wire/event.ts'
import { isRecord } from '../../wire/json.ts'
import type { Json } from '../../wire/json.ts'
import { badRequest } from '../http-error.ts'

/** The changes that a person update may contain. */
const SUPPORTED_CHANGES = ['$set', '$set_once', '$unset'] as const

/**
 * Changes of other services. An update with one of them is rejected, because applying only the others would leave wrong
 * properties forever.
 */
const UNSUPPORTED_CHANGES = ['$add', '$append', '$union', '$remove', '$delete'] as const

/** Fields that updates and events share. */
const COPIED_FIELDS = ['uuid', 'timestamp', 'offset'] as const

/** Properties about location and person processing that have the same meaning in events. */
const COPIED_PROPERTIES = ['$ip', '$geoip_disable', '$process_person_profile'] as const

/**
 * Converts a person update of `/engage/` to a `$set` event. An update does not identify a person, so a person with an
 * anonymous id can still sign in later. Does not check the distinct id, since all events are checked later. Throws `HttpError`
 * (400) for an update without changes or with unsupported ones.
 */
export const convertPeopleUpdate = (update: Json): Json => {
  if (!isRecord(update)) return update
  const unsupported = UNSUPPORTED_CHANGES.find((name) => name in update)
  if (unsupported !== undefined) {
    throw badRequest(
      'unsupported_update',
      `"${unsupported}" is not supported; send ${SUPPORTED_CHANGES.join(', ')}.`,
      unsupported,
    )
  }
  const { properties } = update
  const changes: Record<string, Json> = {}
  for (const name of SUPPORTED_CHANGES) {
    const change = update[name] ?? (isRecord(properties) ? properties[name] : undefined)
    if (change === undefined) continue
    const isValid = isRecord(change) || (name === '$unset' && Array.isArray(change))
    if (isValid) changes[name] = change
    else
      throw badRequest('invalid_update', `"${name}" must be an ${name === '$unset' ? 'array or an ' : ''}object.`, name)
  }
  if (Object.keys(changes).length === 0) {
    throw badRequest(
      'missing_update',
      `The person update has no changes; send one of ${SUPPORTED_CHANGES.join(', ')}.`,
      '$set',
    )
  }
  const innerProperties = isRecord(properties) ? properties : {}
  const copied = COPIED_PROPERTIES.flatMap((name) => {
    const source = [update, innerProperties].find((object) => Object.hasOwn(object, name))
    return source === undefined ? [] : [[name, source[name]!] as const]
  })
  const event: Record<string, Json> = {
    event: EventName.set,
    properties: { ...Object.fromEntries(copied), ...changes },
  }
  const distinctId = update['$distinct_id'] ?? update['distinct_id']
  if (distinctId !== undefined) event['distinct_id'] = distinctId
  for (const name of COPIED_FIELDS) if (update[name] !== undefined) event[name] = update[name]
  return event
}
