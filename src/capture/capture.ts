import type { Clock } from '../port/clock.ts'
import type { Logger } from '../port/logger.ts'
import { runBeforeSend } from './before-send.ts'
import type { BeforeSend, OutgoingEvent } from './before-send.ts'
import type { DropReason } from './drop-reason.ts'
import { enrichOwn, sharedProperties, withShared } from './enrich.ts'
import type { EventInput, PersonProfiles } from './enrich.ts'
import { createEventJson } from './event-json.ts'
import { serialise } from './serialise.ts'
import type { Session } from './session.ts'
import type { StateKeeper } from './state-keeper.ts'
import type { State } from './state.ts'
import { isText } from './is-text.ts'

export interface CaptureSettings {
  readonly personProfiles: PersonProfiles
  /** Asked at each event: hooks can be swapped at run time. */
  readonly beforeSend: () => readonly BeforeSend[]
  /** Most characters of one event. */
  readonly maxBytes: number
}

export interface CapturePorts {
  readonly clock: Clock
  readonly newId: (now: number) => string
  readonly logger: Logger
  /** The platform's own properties, at the moment of the call. */
  readonly automatic: () => Readonly<Record<string, unknown>>
  readonly windowId: (sessionId: string) => string | undefined
  /** From the flags, handed over by the agent. */
  readonly flagProperties: () => Readonly<Record<string, unknown>>
}

/** Where an event goes once it has its final form, or is given up. */
export interface CaptureEnds {
  readonly isClosed: () => boolean
  readonly accept: (json: string) => void
  readonly drop: (event: OutgoingEvent, reason: DropReason) => void
}

/** What one capture may decide for itself. Values that make no sense count as not given. */
export interface CaptureOptions {
  /** When it happened: a date, or a text with an offset (sent as the same instant in UTC). Default: now. */
  readonly timestamp?: Date | string
  /** The event's own id: an event with the same one is stored once. Default: a new one. */
  readonly uuid?: string
  /**
   * Whose event it is. Default: the user's. Somebody else counts as not identified, and gets no person profile by it unless
   * `personProfiles` is `always`, or `properties` say otherwise by `$process_person_profile`.
   */
  readonly distinct_id?: string
  /** Ask the service not to derive `$geoip_*` properties from the address. Default: as the agent's `disableGeoip`. */
  readonly disable_geoip?: boolean
  /** Whether the known flags go along. Default true; no request is made for it. */
  readonly send_feature_flags?: boolean
}

/** Never throws. False when the event was dropped; `onDrop` then knows why. */
export type Capture = (
  event: string,
  properties: Readonly<Record<string, unknown>>,
  options?: CaptureOptions,
  /** Of the assembled event's properties, those with such names alone go out. Default: all. */
  only?: RegExp,
) => boolean

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** The first half of an event's way: drop checks, enrichment, `before_send`, its final JSON. */
export const createCapture = (
  options: CaptureSettings,
  ports: CapturePorts,
  keeper: StateKeeper,
  { isClosed, accept, drop }: CaptureEnds,
): Capture => {
  const { clock, logger } = ports
  const eventJson = createEventJson()

  /** The event's final JSON under a state; undefined when it was dropped. */
  const make = (input: EventInput, state: State, session: Session, refusal?: DropReason): string | undefined => {
    let reason = refusal ?? (state.isOptedOut ? 'opted_out' : undefined)
    const windowId = reason ? undefined : ports.windowId(session.id)
    const hooks = options.beforeSend()
    const own = enrichOwn(input, state, session, windowId, options.personProfiles)
    const shared = sharedProperties(input, state, session)
    if (!reason && !hooks.length && !input.only) {
      const json = eventJson(own, shared)
      if (json && json.length <= options.maxBytes) return json
    }
    let event = withShared(own, shared, input.only)
    if (!reason) {
      const outgoing = runBeforeSend(hooks, event, (error) => logger.warn('before_send failed:', error))
      if (outgoing) {
        const json = serialise(outgoing)
        if (json.length <= options.maxBytes) return json
        event = outgoing
      }
      reason = outgoing ? 'too_large' : 'before_send'
    }
    drop(event, reason)
    return undefined
  }

  const capture = (
    name: string,
    given: Readonly<Record<string, unknown>>,
    { timestamp, uuid, distinct_id, disable_geoip, send_feature_flags }: CaptureOptions = {},
    only?: RegExp,
  ): boolean => {
    const now = clock.now()
    const session = keeper.sessionAt(now)
    const isHeld = keeper.isHeld()
    const input: EventInput = {
      name,
      uuid: UUID.test(uuid!) ? uuid! : ports.newId(now),
      at: (timestamp && Number(new Date(timestamp))) || now,
      // While held the event may have to be made again, when the caller has changed the object, or something in it.
      properties: isHeld ? { ...given, ...(JSON.parse(serialise({ ...given })) as object) } : given,
      only,
      distinctId: isText(distinct_id) ? distinct_id : undefined,
      isGeoipDisabled: disable_geoip,
      automatic: ports.automatic(),
      flags: send_feature_flags === false ? undefined : ports.flagProperties(),
      ofSession: keeper.sessionProperties(session.id),
    }
    const refusal = isClosed() ? 'shut_down' : isText(name) ? undefined : 'invalid_event'
    const json = make(input, keeper.current(), session, refusal)
    if (!json) return false
    keeper.saveSession(session, (state, remade) => {
      const properties = { ...input.properties }
      if (properties.$anon_distinct_id === remade.taken) properties.$anon_distinct_id = remade.found
      remade.events.set(json, make({ ...input, properties }, state, state.session!))
    })
    // Told once, by the first event that still says so when it goes out.
    if (keeper.current().initial && json.includes('"$initial_')) keeper.change((state) => ({ ...state, initial: null }))
    accept(json)
    return true
  }

  return (name, properties, captureOptions, only) => {
    try {
      return capture(name, properties, captureOptions, only)
    } catch {
      try {
        // A getter of the page may have thrown.
        return capture(name, JSON.parse(serialise(properties)) as Record<string, unknown>, captureOptions, only)
      } catch (error) {
        logger.warn('capture failed:', error)
        const timestamp = new Date(clock.now()).toISOString()
        const { distinctId } = keeper.current()
        drop({ uuid: '', event: name, distinct_id: distinctId, timestamp, properties }, 'invalid_event')
        return false
      }
    }
  }
}
