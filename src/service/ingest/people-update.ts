import { EventName } from '../../wire/event.ts'
import { isRecord } from '../../wire/json.ts'
import type { Json } from '../../wire/json.ts'
import { invalid } from '../refusal.ts'

/** What a people update may ask for. */
const CHANGES = ['$set', '$set_once', '$unset'] as const

/** What senders of people updates may ask for elsewhere. An update with one of them is not carried out at all: half of it would be wrong for ever. */
const UNSUPPORTED = ['$add', '$append', '$union', '$remove', '$delete'] as const

/** What an update and an event have in common. */
const KEPT = ['uuid', 'timestamp', 'offset'] as const

/** What an update says of the place it comes from and of the profile, as events do. */
const HEEDED = ['$ip', '$geoip_disable', '$process_person_profile'] as const

/**
 * The event that a people update of `/engage/` stands for: a `$set`, for an update tells nobody who somebody is (an anonymous
 * id that is updated can still sign in). It carries what the update says of place and profile, and `$set`, `$set_once` and `$unset`.
 * Whether it has a distinct id is left to the check of events. Throws `Refusal` (400) for an update that asks for
 * nothing, or for something else.
 */
export const eventOfUpdate = (update: Json): Json => {
  if (!isRecord(update)) return update
  const unsupported = UNSUPPORTED.find((name) => name in update)
  if (unsupported !== undefined) {
    throw invalid('unsupported_update', `"${unsupported}" is not supported; send ${CHANGES.join(', ')}.`, unsupported)
  }
  const { properties } = update
  const changes: Record<string, Json> = {}
  for (const name of CHANGES) {
    const given = update[name] ?? (isRecord(properties) ? properties[name] : undefined)
    if (given === undefined) continue
    const isRight = isRecord(given) || (name === '$unset' && Array.isArray(given))
    if (isRight) changes[name] = given
    else throw invalid('invalid_update', `"${name}" must be an ${name === '$unset' ? 'array or an ' : ''}object.`, name)
  }
  if (Object.keys(changes).length === 0) {
    throw invalid('missing_update', `An update of people needs one of ${CHANGES.join(', ')}.`, '$set')
  }
  const inner = isRecord(properties) ? properties : {}
  const heeded = HEEDED.flatMap((name) => {
    const from = [update, inner].find((given) => Object.hasOwn(given, name))
    return from === undefined ? [] : [[name, from[name]!] as const]
  })
  const event: Record<string, Json> = {
    event: EventName.set,
    properties: { ...Object.fromEntries(heeded), ...changes },
  }
  const distinctId = update['$distinct_id'] ?? update['distinct_id']
  if (distinctId !== undefined) event['distinct_id'] = distinctId
  for (const name of KEPT) if (update[name] !== undefined) event[name] = update[name]
  return event
}
