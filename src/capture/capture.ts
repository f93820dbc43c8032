import { isUuid } from '../codec/uuid.ts'
import type { Clock } from '../port/clock.ts'
import type { Logger } from '../port/logger.ts'
import type { OutgoingEvent } from './before-send.ts'
import { captureSafely } from './capture-safely.ts'
import type { DropReason } from './drop-reason.ts'
import { createEventFinisher } from './event-finisher.ts'
import type { EventFinisherOptions } from './event-finisher.ts'
import { createEventSerialiser } from './event-serialiser.ts'
import { idToString } from '../wire/id-to-string.ts'
import type { Id } from '../wire/id-to-string.ts'
import { isNonBlankString } from '../wire/is-non-blank-string.ts'
import { readTimestamp } from './read-timestamp.ts'
import { copyByJson } from './serialise.ts'
import type { Session } from './session.ts'
import type { StateStore } from './state-store.ts'
import type { State } from './state.ts'
import { addInitialProperties, createUserProperties } from './user-properties.ts'
import type { PersonProfiles } from './user-properties.ts'

export interface CaptureSettings extends EventFinisherOptions {
  /** Default: `identified_only`. */
  readonly personProfiles?: PersonProfiles | undefined
}

export interface CapturePorts {
  readonly clock: Clock
  readonly newId: (now: number) => string
  readonly logger: Logger
  /** Returns the platform's own properties at the time of the call. */
  readonly automaticProperties: () => Readonly<Record<string, unknown>>
  readonly windowId: (sessionId: string) => string | undefined
  /** Properties of the current flags; the agent passes them in. Undefined: the agent has no flags. */
  readonly flagProperties: () => Readonly<Record<string, unknown>> | undefined
}

/** Receives each event: `accept` gets its final JSON; `drop` gets an event that will not be sent. */
export interface CaptureSink {
  readonly isClosed: () => boolean
  readonly accept: (json: string) => void
  readonly drop: (event: OutgoingEvent, reason: DropReason) => void
}

/** Options of a single capture. Invalid values are ignored. */
export interface CaptureOptions {
  /**
   * When the event happened: a date, or an ISO 8601 string with an offset, from the years 0001 to 9999. It is sent in UTC. Default, also for
   * any other value: now.
   */
  readonly timestamp?: Date | string
  /** The event's own id, a uuid. The service stores events with the same id once. Default: a new one. */
  readonly uuid?: string
  /**
   * The user of the event. Default: the current user. Any other user counts as not identified and gets no person profile, unless
   * `personProfiles` is `always` or `properties` contain `$process_person_profile`.
   */
  readonly distinct_id?: Id
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
  const finish = createEventFinisher(options, ports.logger, drop, createEventSerialiser(), (shared) => shared)

  const captureOrThrow: Capture = (
    event,
    eventProperties,
    { timestamp, uuid, distinct_id, disable_geoip, send_feature_flags } = {},
    allowedNames,
  ) => {
    const now = ports.clock.now()
    const currentSession = stateStore.sessionAt(now)
    const time = (timestamp ? readTimestamp(timestamp) : undefined) ?? now
    const id = isUuid(uuid) ? uuid : ports.newId(now)
    const automaticProperties = ports.automaticProperties()
    const flagProperties = send_feature_flags === false ? undefined : ports.flagProperties()
    const sessionProperties = stateStore.sessionProperties(currentSession.id)
    // An event under a provisional state may be built again later, after the caller has changed the object.
    const callerProperties = stateStore.isProvisional()
      ? { ...eventProperties, ...copyByJson({ ...eventProperties }) }
      : eventProperties

    const refusal = isClosed() ? 'shut_down' : isNonBlankString(event) ? undefined : 'invalid_event'

    /** Returns the event's final JSON for a state; undefined when it was dropped. */
    const createJson = (state: State, session: Session, changes?: object | false): string | undefined => {
      const reason = refusal ?? (state.isOptedOut ? 'opted_out' : undefined)
      const distinctId = idToString(distinct_id) ?? state.distinctId
      const properties = {
        ...sessionProperties,
        ...createUserProperties(state, distinctId, options.personProfiles),
        $session_id: session.id,
        $window_id: reason ? undefined : ports.windowId(session.id),
        ...(typeof disable_geoip === 'boolean' && { $geoip_disable: disable_geoip }),
        ...callerProperties,
        ...changes,
        distinct_id: distinctId,
      }
      addInitialProperties(properties, session, state)
      return finish(
        { uuid: id, event, distinct_id: distinctId, timestamp: new Date(time).toISOString() },
        properties,
        [automaticProperties, flagProperties, session.entry, state.superProperties],
        reason,
        allowedNames,
      )
    }

    const json = createJson(stateStore.current(), currentSession)
    if (!json) return false
    stateStore.saveSession(currentSession, (state, { provisionalId, storedId, events }) =>
      events.set(
        json,
        createJson(
          state,
          state.session!,
          callerProperties.$anon_distinct_id === provisionalId && { $anon_distinct_id: storedId },
        ),
      ),
    )
    // One event with the initial properties is enough.
    if (stateStore.current().initial && json.includes('"$initial_'))
      stateStore.change((state) => ({ ...state, initial: null }))
    accept(json)
    return true
  }

  return (event, properties, captureOptions, allowedNames) =>
    captureSafely(
      (read) => captureOrThrow(event, read(properties), captureOptions, allowedNames),
      (error) => {
        ports.logger.warn('capture failed:', error)
        const timestamp = new Date(ports.clock.now()).toISOString()
        drop({ uuid: '', event, distinct_id: stateStore.current().distinctId, timestamp, properties }, 'invalid_event')
        return false
      },
    )
}
