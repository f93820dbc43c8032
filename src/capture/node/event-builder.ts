import { isUuid } from '../../codec/uuid.ts'
import type { Clock } from '../../port/clock.ts'
import type { Logger } from '../../port/logger.ts'
import type { RequestContext, RequestContexts } from '../../port/request-context.ts'
import { tryOr } from '../../lib/try-or.ts'
import { createWarnOnce } from '../../lib/warn-once.ts'
import { idToString } from '../../wire/id-to-string.ts'
import type { Id } from '../../wire/id-to-string.ts'
import { toGroupKeys } from '../../wire/to-group-keys.ts'
import type { GroupKeys } from '../../wire/to-group-keys.ts'
import { isNonBlankString } from '../../wire/is-non-blank-string.ts'
import { isEmptyObject } from '../../wire/json.ts'
import type { BeforeSend } from '../before-send.ts'
import { captureSafely } from '../capture-safely.ts'
import type { DropReason } from '../drop-reason.ts'
import type { OnDrop } from '../drop-report.ts'
import { createEventFinisher } from '../event-finisher.ts'
import type { EventFinisherOptions } from '../event-finisher.ts'
import { readTimestamp } from '../read-timestamp.ts'
import { serialise } from '../serialise.ts'
import { serialiseEvent } from './serialise-event.ts'
import { createIsoFormatter } from './iso-formatter.ts'
import type { ProcessState } from './process-state.ts'

/** The argument of `capture()`. Invalid optional values are ignored. */
export interface EventInput {
  readonly event: string
  readonly distinctId?: Id | undefined
  /** The name that the wire and other agents use. Understood, with one warning. */
  readonly distinct_id?: Id | undefined
  readonly properties?: object | undefined
  readonly groups?: GroupKeys | undefined
  readonly timestamp?: Date | string | undefined
  readonly uuid?: string | undefined
  readonly disableGeoip?: boolean | undefined
  readonly flags?: { eventProperties(): Readonly<Record<string, unknown>> } | undefined
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

/** Creates the first half of the pipeline: distinct id, properties, drop checks, `before_send` and JSON. */
export const createEventBuilder = (
  options: EventFinisherOptions,
  { clock, newId, contexts, logger }: EventBuilderPorts,
  state: ProcessState,
  { isClosed, drop }: EventBuilderCallbacks,
): BuildEvent => {
  const formatIso = createIsoFormatter()
  const warnOnce = createWarnOnce(logger)
  const beforeSend = (): readonly BeforeSend[] => {
    const hooks = options.beforeSend()
    return hooks.length > 0 ? [...hooks, requireObjectJson] : hooks
  }
  const finish = createEventFinisher({ ...options, beforeSend }, logger, drop, serialiseEvent, (common) => [
    common.properties,
  ])

  const build = (input: EventInput, properties: unknown, allowedNames: RegExp | undefined): string | undefined => {
    const now = clock.now()
    const context = contexts.current()
    if (input.distinct_id !== undefined) warnOnce('distinct_id', 'distinct_id is spelt distinctId here:', input.event)
    const ownId = input.distinctId ?? input.distinct_id
    const inputId = idToString(ownId)
    const distinctId = inputId ?? idToString(context?.distinctId)
    if (inputId === undefined && (ownId ?? undefined) !== undefined)
      warnOnce(
        'distinctId',
        'an invalid distinctId was ignored; it must be a number or a string that is not blank:',
        input.event,
      )
    return finish(
      {
        // The pattern takes longer than the test for a missing id, which is the usual case.
        uuid: input.uuid && isUuid(input.uuid) ? input.uuid : newId(now),
        event: input.event,
        distinct_id: distinctId ?? newId(now),
        timestamp: formatIso(findTime(input, now)),
      },
      mergeOwnProperties(input, properties, context),
      distinctId === undefined ? state.anonymousProperties() : state.commonProperties(),
      findDropReason(input),
      allowedNames,
    )
  }

  const findTime = ({ event, timestamp }: EventInput, now: number): number => {
    if ((timestamp ?? undefined) === undefined) return now
    const time = readTimestamp(timestamp)
    if (time !== undefined) return time
    warnOnce('timestamp', 'an invalid timestamp was ignored; the event gets the time of its capture:', event)
    return now
  }

  const findDropReason = ({ event }: EventInput): DropReason | undefined => {
    if (isClosed()) return 'shut_down'
    if (!isNonBlankString(event)) return 'invalid_event'
    return state.isOptedOut() ? 'opted_out' : undefined
  }

  const fail = (input: EventInput, error: unknown): undefined => {
    logger.warn('capture failed:', error)
    const timestamp = new Date(clock.now()).toISOString()
    const event = tryOr(() => input.event) ?? ''
    drop({ uuid: '', event, distinct_id: '', timestamp, properties: {} }, 'invalid_event')
  }

  return (input, allowedNames) =>
    captureSafely(
      (read) => build(input, read(input.properties), allowedNames),
      (error) => fail(input, error),
    )
}

/** The last hook: refuses an event whose JSON is not an object, because its `toJSON` method may return any value, or undefined. */
const requireObjectJson: BeforeSend = (event) => {
  if ('toJSON' in event && !serialise(event)?.startsWith('{')) throw new TypeError('must return an event or null')
  return event
}

/** Returns the event's own properties; the caller's override all others. Without others, returns the caller's object itself. */
const mergeOwnProperties = (
  { groups, flags, disableGeoip }: EventInput,
  properties: unknown,
  context: RequestContext | undefined,
): object => {
  const callerProperties = typeof properties === 'object' && properties ? properties : {}
  if (!context && !groups && !flags && typeof disableGeoip !== 'boolean') return callerProperties
  const groupKeys = toGroupKeys(groups)
  return {
    ...flags?.eventProperties(),
    ...(context?.sessionId && { $session_id: context.sessionId }),
    ...context?.properties,
    ...(!isEmptyObject(groupKeys) && { $groups: groupKeys }),
    ...(typeof disableGeoip === 'boolean' && { $geoip_disable: disableGeoip }),
    ...callerProperties,
  }
}
