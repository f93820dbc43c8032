import type { BeforeSend, OutgoingEvent } from '../../capture/before-send.ts'
import type { BeforeSendFn, CaptureResult, PostHogConfig } from './posthog.ts'

/** The members of an event that posthog-js has beside its properties. */
const PERSON_MEMBERS = ['$set', '$set_once'] as const

/** An event in the form of posthog-js. Its properties are those of `event`, not a copy. */
export const toCaptureResult = ({ uuid, event, properties, timestamp }: OutgoingEvent): CaptureResult => ({
  uuid,
  event,
  properties,
  $set: properties.$set as CaptureResult['$set'],
  $set_once: properties.$set_once as CaptureResult['$set_once'],
  timestamp: new Date(timestamp),
})

/** Lets a hook of posthog-js work on our events. */
const adaptHook =
  (hook: BeforeSendFn): BeforeSend =>
  (event) => {
    const before = toCaptureResult(event)
    const { ...original } = before
    const result = hook(before)
    if (!result) return null
    const properties: Record<string, unknown> = { ...result.properties }
    // A hook may have changed the object itself, or either of its two places.
    for (const name of PERSON_MEMBERS) if (result[name] !== original[name]) properties[name] = result[name]
    return { ...event, event: result.event, properties }
  }

/** Creates the hooks that the options ask for, in the order of posthog-js. */
export const createHooks = ({
  property_denylist: denylist,
  sanitize_properties: sanitize,
  before_send: beforeSend,
}: PostHogConfig): BeforeSend[] => {
  const hooks: BeforeSend[] = []
  if (denylist?.length)
    hooks.push(({ ...event }) => {
      event.properties = Object.fromEntries(
        Object.entries(event.properties).filter(([name]) => !denylist.includes(name)),
      )
      return event
    })
  if (sanitize) hooks.push((event) => ({ ...event, properties: sanitize(event.properties, event.event) }))
  return [...hooks, ...[beforeSend ?? []].flat().map(adaptHook)]
}
