import type { BeforeSend, OutgoingEvent } from '../../capture/before-send.ts'
import type { BeforeSendFn, CaptureResult, PostHogConfig, Properties } from './posthog.ts'

/** What changes a person: options of `capture()`, and members of an event beside its properties. */
export const PERSON_MEMBERS = ['$set', '$set_once', '$unset'] as const

/** An event in the form of posthog-js. Its properties are those of `event`, not a copy. */
export const toCaptureResult = (event: OutgoingEvent): CaptureResult => {
  const result: CaptureResult = { ...event, timestamp: new Date(event.timestamp) }
  for (const name of PERSON_MEMBERS) result[name] = result.properties[name]
  return result
}

/** Lets a hook of posthog-js work on our events. */
const adaptHook =
  (hook: BeforeSendFn): BeforeSend =>
  (event) => {
    const before: CaptureResult = toCaptureResult(event)
    const result = hook({ ...before })
    if (!result) return null
    const properties: Record<string, unknown> = { ...result.properties }
    // A hook may have changed the object itself, or either of its two places.
    for (const name of PERSON_MEMBERS) if (result[name] !== before[name]) properties[name] = result[name]
    return { ...event, event: result.event, properties }
  }

/** Creates the hooks that these options ask for, in the order of posthog-js. */
export const createHooks = (
  denylist: readonly string[],
  sanitize: PostHogConfig['sanitize_properties'],
  beforeSend: PostHogConfig['before_send'],
): BeforeSend[] => {
  const hooks: BeforeSend[] = [beforeSend ?? []].flat().map(adaptHook)
  if (sanitize)
    hooks.unshift((event) => {
      const properties = sanitize(event.properties, event.event)
      // Without a result, as little is sent as when the function throws.
      if (!properties) return null
      const { $set_once } = properties
      return {
        ...event,
        properties: { ...properties, ...($set_once && { $set_once: sanitize($set_once as Properties, '$set_once') }) },
      }
    })
  // The event is a copy.
  if (denylist.length)
    hooks.unshift((event) => {
      for (const name of denylist) delete event.properties[name]
      return event
    })
  return hooks
}
