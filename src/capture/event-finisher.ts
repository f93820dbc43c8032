import type { Logger } from '../port/logger.ts'
import { createWarnOnce } from '../lib/warn-once.ts'
import { MAX_EVENT_BYTES, MAX_EVENT_NAME_CHARACTERS } from '../wire/bounds.ts'
import { runBeforeSend } from './before-send.ts'
import type { BeforeSend, OutgoingEvent } from './before-send.ts'
import { boundJson } from './bound-json.ts'
import type { DropReason } from './drop-reason.ts'
import type { OnDrop } from './drop-report.ts'
import { serialise } from './serialise.ts'

export interface EventFinisherOptions {
  /** Called for each event, because the hooks can change at run time. */
  readonly beforeSend: () => readonly BeforeSend[]
}

/** The members of an event other than its properties. */
export type EventEnvelope = Omit<OutgoingEvent, 'properties'>

/**
 * Returns an event's final JSON; undefined when it was dropped, which `onDrop` reports.
 *
 * @param ownProperties The properties that only this event has; they win over the shared ones.
 * @param reason Why the event must be dropped. Undefined: it is sent.
 * @param allowedNames Keeps only properties whose names match. Default: keeps all.
 */
export type FinishEvent<Shared> = (
  envelope: EventEnvelope,
  ownProperties: object,
  shared: Shared,
  reason: DropReason | undefined,
  allowedNames: RegExp | undefined,
) => string | undefined

/**
 * Creates the end of every capture, the same on all platforms: `before_send`, the final JSON, the bounds of events, and the report of a
 * dropped event. What leaves it is stored by the service as it is.
 *
 * @param serialiseFast Creates the JSON from that of the shared properties, which consecutive events have in common. Undefined: the event
 *   must be serialised as a whole, or may be beyond a bound other than those of its name, its distinct id and its size.
 * @param listShared Lists the shared properties as objects; later ones win.
 */
export const createEventFinisher = <Shared>(
  options: EventFinisherOptions,
  logger: Logger,
  drop: OnDrop,
  serialiseFast: (envelope: EventEnvelope, ownProperties: object, shared: Shared) => string | undefined,
  listShared: (shared: Shared) => readonly (object | undefined)[],
): FinishEvent<Shared> => {
  const warnOnce = createWarnOnce(logger)

  return (envelope, ownProperties, shared, reason, allowedNames) => {
    const hooks = options.beforeSend()
    if (!reason && !hooks.length && !allowedNames && envelope.event.length <= MAX_EVENT_NAME_CHARACTERS) {
      const json = serialiseFast(envelope, ownProperties, shared)
      if (json && 3 * json.length <= MAX_EVENT_BYTES) return json
    }
    // Assigned without a prototype: where the page has frozen it, a property named `constructor` would throw.
    const properties: Record<string, unknown> = {
      ...Object.assign(Object.create(null), ...listShared(shared), ownProperties),
      distinct_id: envelope.distinct_id,
    }
    if (allowedNames) for (const key of Object.keys(properties)) if (!allowedNames.test(key)) delete properties[key]
    let event: OutgoingEvent = { ...envelope, properties }
    if (!reason) {
      reason = 'before_send'
      const outgoingEvent = runBeforeSend(hooks, event, (error) => logger.warn('before_send failed:', error))
      if (outgoingEvent) {
        event = outgoingEvent
        const json = serialise(event)
        // A `toJSON` returns anything.
        const isLongOrOdd =
          event.event.length > MAX_EVENT_NAME_CHARACTERS || 'toJSON' in event || 'toJSON' in event.properties
        const bounded = boundJson(json, isLongOrOdd)
        if (bounded.startsWith('{')) {
          if (bounded !== json) warnOnce('bounds', 'event cut:', event.event)
          return bounded
        }
        reason = bounded as DropReason
      }
    }
    drop(event, reason)
    return undefined
  }
}
