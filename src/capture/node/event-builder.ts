import { isUuid } from '../../codec/uuid.ts'
import type { Clock } from '../../port/clock.ts'
import type { Logger } from '../../port/logger.ts'
import type { RequestContext, RequestContexts } from '../../port/request-context.ts'
import { createWarnOnce } from '../../port/warn-once.ts'
import { idToString } from '../../wire/id-to-string.ts'
import { isNonEmptyString } from '../../wire/is-non-empty-string.ts'
import { runBeforeSend } from '../before-send.ts'
import type { BeforeSend, OutgoingEvent } from '../before-send.ts'
import type { DropReason } from '../drop-reason.ts'
import type { OnDrop } from '../drop-report.ts'
import { mergeSharedProperties } from '../build-event.ts'
import { serialise } from '../serialise.ts'
import { serialiseEvent } from './serialise-event.ts'
import type { EventEnvelope } from './serialise-event.ts'
import { createIsoFormatter } from './iso-formatter.ts'
import type { ProcessState } from './process-state.ts'

/** The argument of `capture()`. Invalid optional values are ignored. */
export interface EventInput {
  readonly event: string
  readonly distinctId?: string | undefined
  readonly properties?: object | undefined
  readonly groups?: Readonly<Record<string, string | number>> | undefined
  readonly timestamp?: Date | string | undefined
  readonly uuid?: string | undefined
  readonly disableGeoip?: boolean | undefined
  readonly flags?: { eventProperties(): Readonly<Record<string, unknown>> } | undefined
}

export interface EventBuilderOptions {
  /** Called for each event, so that hooks can be replaced at run time. */
  readonly beforeSend: () => readonly BeforeSend[]
  /** Maximum length of an event's JSON, in characters. */
  readonly maxEventLength: number
}

export interface EventBuilderPorts {
  readonly clock: Clock
  readonly newId: (now: number) => string
  readonly contexts: RequestContexts
  readonly logger: Logger
}

export interface EventBuilderCallbacks {
  /** True after `shutdown()`. */
  readonly isClosed: () => boolean
  readonly drop: OnDrop
}

/**
 * Builds an event's final JSON. Returns undefined if the event was dropped, which `onDrop` reports. Never throws.
 *
 * @param allowedNames The event keeps only properties whose names match. Default: all.
 */
export type BuildEvent = (input: EventInput, allowedNames?: RegExp) => string | undefined

/** Types that a timestamp may have: `new Date` would also accept `false`. */
const TIMESTAMP_TYPES = /^(string|number|object)$/

/** Creates the first half of the pipeline: distinct id, properties, drop checks, `before_send` and JSON. */
export const createEventBuilder = (
  options: EventBuilderOptions,
  { clock, newId, contexts, logger }: EventBuilderPorts,
  state: ProcessState,
  { isClosed, drop }: EventBuilderCallbacks,
): BuildEvent => {
  const formatIso = createIsoFormatter()
  const warnOnce = createWarnOnce(logger)

  const build = (input: EventInput, properties: unknown, allowedNames: RegExp | undefined): string | undefined => {
    const now = clock.now()
    const context = contexts.current()
    const inputId = idToString(input.distinctId)
    const distinctId = inputId ?? idToString(context?.distinctId)
    if (inputId === undefined && (input.distinctId ?? undefined) !== undefined)
      warnOnce(
        'distinctId',
        'an invalid distinctId was ignored; it must be a non-empty string or a number:',
        input.event,
      )
    const { uuid } = input
    const envelope: EventEnvelope = {
      uuid: isUuid(uuid) ? uuid : newId(now),
      event: input.event,
      distinct_id: distinctId ?? newId(now),
      timestamp: formatIso(readTimestamp(input, now)),
    }
    const ownProperties = mergeOwnProperties(input, properties, context)
    const commonProperties = distinctId === undefined ? state.anonymousProperties() : state.commonProperties()
    const hooks = options.beforeSend()
    let reason = findDropReason(input)
    if (!reason && !hooks.length && !allowedNames) {
      const json = serialiseEvent(envelope, ownProperties, commonProperties)
      if (json && json.length <= options.maxEventLength) return json
    }
    let event: OutgoingEvent = mergeSharedProperties(
      { ...envelope, properties: { ...ownProperties, distinct_id: envelope.distinct_id } },
      [commonProperties.properties],
      allowedNames,
    )
    if (!reason) {
      const outgoingEvent = runBeforeSend(hooks, event, (error) => logger.warn('before_send failed:', error))
      if (outgoingEvent) {
        const json = serialise(outgoingEvent)
        if (!isJsonObject(json)) logger.warn('before_send failed:', new TypeError('must return an event or null'))
        else if (json.length <= options.maxEventLength) return json
        else {
          event = outgoingEvent
          reason = 'too_large'
        }
      }
      reason ??= 'before_send'
    }
    drop(event, reason)
    return undefined
  }

  const readTimestamp = ({ event, timestamp }: EventInput, now: number): number => {
    if ((timestamp ?? undefined) === undefined) return now
    const time = TIMESTAMP_TYPES.test(typeof timestamp) ? Number(new Date(timestamp!)) : NaN
    if (Number.isFinite(time)) return time
    warnOnce('timestamp', 'an invalid timestamp was ignored; the event gets the time of its capture:', event)
    return now
  }

  const findDropReason = ({ event }: EventInput): DropReason | undefined => {
    if (isClosed()) return 'shut_down'
    if (!isNonEmptyString(event)) return 'invalid_event'
    return state.isOptedOut() ? 'opted_out' : undefined
  }

  return (input, allowedNames) => {
    try {
      return build(input, input.properties, allowedNames)
    } catch {
      try {
        // A getter of the properties may have thrown: `serialise` puts a string in place of its value.
        return build(input, JSON.parse(serialise(input.properties)), allowedNames)
      } catch (error) {
        logger.warn('capture failed:', error)
        const timestamp = new Date(clock.now()).toISOString()
        drop({ uuid: '', event: '', distinct_id: '', timestamp, properties: {} }, 'invalid_event')
        return undefined
      }
    }
  }
}

/** Whether a string is the JSON of an object: a `toJSON` method may have returned any value, or undefined. */
const isJsonObject = (json: string | undefined): boolean => !!json?.startsWith('{')

/** Returns the event's own properties; the caller's override all others. Without others, returns the caller's object itself. */
const mergeOwnProperties = (
  { groups, flags, disableGeoip }: EventInput,
  properties: unknown,
  context: RequestContext | undefined,
): object => {
  const callerProperties = typeof properties === 'object' && properties ? properties : {}
  if (!context && !groups && !flags && typeof disableGeoip !== 'boolean') return callerProperties
  const groupKeys = Object.entries(groups ?? {}).map(([type, key]) => [type, String(key)])
  return {
    ...flags?.eventProperties(),
    ...(context?.sessionId && { $session_id: context.sessionId }),
    ...context?.properties,
    ...(groupKeys.length > 0 && { $groups: Object.fromEntries(groupKeys) }),
    ...(typeof disableGeoip === 'boolean' && { $geoip_disable: disableGeoip }),
    ...callerProperties,
  }
}
