import { isUuid } from '../codec/uuid.ts'
import type { Clock } from '../port/clock.ts'
import type { Logger } from '../port/logger.ts'
import { runBeforeSend } from './before-send.ts'
import type { BeforeSend, OutgoingEvent } from './before-send.ts'
import { buildEvent, collectSharedProperties, mergeSharedProperties } from './build-event.ts'
import type { EventInput, PersonProfiles } from './build-event.ts'
import type { DropReason } from './drop-reason.ts'
import { createEventSerialiser } from './event-serialiser.ts'
import { isNonEmptyString } from '../wire/is-non-empty-string.ts'
import { serialise } from './serialise.ts'
import type { Session } from './session.ts'
import type { StateStore } from './state-store.ts'
import type { State } from './state.ts'

export interface CaptureSettings {
  readonly personProfiles: PersonProfiles
  /** Called for each event, because the hooks can change at run time. */
  readonly beforeSend: () => readonly BeforeSend[]
  /** Maximum characters of one event's JSON. */
  readonly maxBytes: number
}

export interface CapturePorts {
  readonly clock: Clock
  readonly newId: (now: number) => string
  readonly logger: Logger
  /** Returns the platform's own properties at the time of the call. */
  readonly automaticProperties: () => Readonly<Record<string, unknown>>
  readonly windowId: (sessionId: string) => string | undefined
  /** Properties of the current flags; the agent passes them in. */
  readonly flagProperties: () => Readonly<Record<string, unknown>>
}

/** Receives each event: `accept` gets its final JSON; `drop` gets an event that will not be sent. */
export interface CaptureSink {
  readonly isClosed: () => boolean
  readonly accept: (json: string) => void
  readonly drop: (event: OutgoingEvent, reason: DropReason) => void
}

/** Options of a single capture. Invalid values are ignored. */
export interface CaptureOptions {
  /** When the event happened: a date, or an ISO 8601 string with an offset. It is sent in UTC. Default: now. */
  readonly timestamp?: Date | string
  /** The event's own id, a uuid. The service stores events with the same id once. Default: a new one. */
  readonly uuid?: string
  /**
   * The user of the event. Default: the current user. Any other user counts as not identified and gets no person profile, unless
   * `personProfiles` is `always` or `properties` contain `$process_person_profile`.
   */
  readonly distinct_id?: string
  /** Asks the service not to derive `$geoip_*` properties from the IP address. Default: the agent's `disableGeoip`. */
  readonly disable_geoip?: boolean
  /** Whether the event gets the properties of the loaded flags. Default true; no request is sent for it. */
  readonly send_feature_flags?: boolean
}

/** Captures one event. Never throws. Returns false when the event was dropped; `onDrop` gets the reason. */
export type Capture = (
  event: string,
  properties: Readonly<Record<string, unknown>>,
  options?: CaptureOptions,
  /** Keeps only properties of the built event whose names match. Default: keeps all. */
  allowedNames?: RegExp,
) => boolean

/** The first half of the event pipeline: drop checks, properties, `before_send` and the final JSON. */
export const createCapture = (
  options: CaptureSettings,
  ports: CapturePorts,
  stateStore: StateStore,
  { isClosed, accept, drop }: CaptureSink,
): Capture => {
  const { clock, logger } = ports
  const serialiseEvent = createEventSerialiser()

  /** Returns the event's final JSON for a state; undefined when it was dropped. */
  const createJson = (
    input: EventInput,
    state: State,
    session: Session,
    earlyDropReason?: DropReason,
  ): string | undefined => {
    let reason = earlyDropReason ?? (state.isOptedOut ? 'opted_out' : undefined)
    const windowId = reason ? undefined : ports.windowId(session.id)
    const hooks = options.beforeSend()
    const ownEvent = buildEvent(input, state, session, windowId, options.personProfiles)
    const sharedProperties = collectSharedProperties(input, state, session)
    if (!reason && !hooks.length && !input.allowedNames) {
      const json = serialiseEvent(ownEvent, sharedProperties)
      if (json && json.length <= options.maxBytes) return json
    }
    let event = mergeSharedProperties(ownEvent, sharedProperties, input.allowedNames)
    if (!reason) {
      const outgoingEvent = runBeforeSend(hooks, event, (error) => logger.warn('before_send failed:', error))
      if (outgoingEvent) {
        const json = serialise(outgoingEvent)
        if (json.length <= options.maxBytes) return json
        event = outgoingEvent
      }
      reason = outgoingEvent ? 'too_large' : 'before_send'
    }
    drop(event, reason)
    return undefined
  }

  const captureOrThrow = (
    name: string,
    eventProperties: Readonly<Record<string, unknown>>,
    { timestamp, uuid, distinct_id, disable_geoip, send_feature_flags }: CaptureOptions = {},
    allowedNames?: RegExp,
  ): boolean => {
    const now = clock.now()
    const session = stateStore.sessionAt(now)
    const isProvisional = stateStore.isProvisional()
    const input: EventInput = {
      name,
      uuid: isUuid(uuid) ? uuid : ports.newId(now),
      timestampMs: (timestamp && Number(new Date(timestamp))) || now,
      // An event under a provisional state may be built again later, after the caller has changed the object.
      properties: isProvisional
        ? { ...eventProperties, ...(JSON.parse(serialise({ ...eventProperties })) as object) }
        : eventProperties,
      allowedNames,
      distinctId: isNonEmptyString(distinct_id) ? distinct_id : undefined,
      isGeoipDisabled: disable_geoip,
      automaticProperties: ports.automaticProperties(),
      flagProperties: send_feature_flags === false ? undefined : ports.flagProperties(),
      sessionProperties: stateStore.sessionProperties(session.id),
    }
    const earlyDropReason = isClosed() ? 'shut_down' : isNonEmptyString(name) ? undefined : 'invalid_event'
    const json = createJson(input, stateStore.current(), session, earlyDropReason)
    if (!json) return false
    stateStore.saveSession(session, (state, replay) => {
      const properties = { ...input.properties }
      if (properties.$anon_distinct_id === replay.provisionalId) properties.$anon_distinct_id = replay.storedId
      replay.events.set(json, createJson({ ...input, properties }, state, state.session!))
    })
    // One event with the initial properties is enough.
    if (stateStore.current().initial && json.includes('"$initial_'))
      stateStore.change((state) => ({ ...state, initial: null }))
    accept(json)
    return true
  }

  return (name, properties, captureOptions, allowedNames) => {
    try {
      return captureOrThrow(name, properties, captureOptions, allowedNames)
    } catch {
      try {
        // A getter of the caller's object may have thrown.
        const readableProperties = JSON.parse(serialise(properties)) as Record<string, unknown>
        return captureOrThrow(name, readableProperties, captureOptions, allowedNames)
      } catch (error) {
        logger.warn('capture failed:', error)
        const timestamp = new Date(clock.now()).toISOString()
        const { distinctId } = stateStore.current()
        drop({ uuid: '', event: name, distinct_id: distinctId, timestamp, properties }, 'invalid_event')
        return false
      }
    }
  }
}
