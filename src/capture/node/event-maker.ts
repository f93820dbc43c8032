import type { Clock } from '../../port/clock.ts'
import type { Logger } from '../../port/logger.ts'
import type { RequestContext, RequestContexts } from '../../port/request-context.ts'
import { runBeforeSend } from '../before-send.ts'
import type { BeforeSend, OutgoingEvent } from '../before-send.ts'
import type { DropReason } from '../drop-reason.ts'
import type { OnDrop } from '../drop-report.ts'
import { idText } from '../../wire/id-text.ts'
import { withShared } from '../enrich.ts'
import { isText } from '../is-text.ts'
import { serialise } from '../serialise.ts'
import { eventText } from './event-text.ts'
import type { EventHead } from './event-text.ts'
import { createIsoTime } from './iso-time.ts'
import type { ProcessState } from './process-state.ts'

/** What one capture was given. Values that make no sense count as not given. */
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

export interface EventMakerOptions {
  /** Asked at each event: hooks can be swapped at run time. */
  readonly beforeSend: () => readonly BeforeSend[]
  /** Most characters of one event's JSON. */
  readonly maxEventLength: number
}

export interface EventMakerPorts {
  readonly clock: Clock
  readonly newId: (now: number) => string
  readonly contexts: RequestContexts
  readonly logger: Logger
}

export interface EventMakerEnds {
  readonly isClosed: () => boolean
  readonly drop: OnDrop
}

/**
 * Makes an event's final JSON; undefined when it was dropped, `onDrop` then knows why. Never throws.
 *
 * @param only Of the assembled event's properties, those with such names alone go out. Default: all.
 */
export type MakeEvent = (input: EventInput, only?: RegExp) => string | undefined

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Types of what `new Date` may read a time from; it makes one of `false`, too. */
const DATED = /^(string|number|object)$/

/** The first half of an event's way on a server: whose it is, what goes along, drop checks, `before_send`, its final JSON. */
export const createEventMaker = (
  options: EventMakerOptions,
  { clock, newId, contexts, logger }: EventMakerPorts,
  state: ProcessState,
  { isClosed, drop }: EventMakerEnds,
): MakeEvent => {
  const isoOf = createIsoTime()
  const told = new Set<string>()

  /** The first time aloud: what is wrong with one event is often wrong with all. */
  const tell = (problem: string, event: unknown): void => {
    logger[told.has(problem) ? 'debug' : 'warn'](`${problem}:`, event)
    told.add(problem)
  }

  const make = (input: EventInput, properties: unknown, only: RegExp | undefined): string | undefined => {
    const now = clock.now()
    const context = contexts.current()
    const given = idText(input.distinctId)
    const distinctId = given ?? idText(context?.distinctId)
    if (given === undefined && (input.distinctId ?? undefined) !== undefined)
      tell('a distinctId that is empty or no text is not used', input.event)
    const { uuid } = input
    const head: EventHead = {
      uuid: uuid && UUID.test(uuid) ? uuid : newId(now),
      event: input.event,
      distinct_id: distinctId ?? newId(now),
      timestamp: isoOf(timeOf(input, now)),
    }
    const own = ownProperties(input, properties, context)
    const common = distinctId === undefined ? state.nameless() : state.common()
    const hooks = options.beforeSend()
    let reason = refusalOf(input)
    if (!reason && !hooks.length && !only) {
      const json = eventText(head, own, common)
      if (json && json.length <= options.maxEventLength) return json
    }
    let event: OutgoingEvent = withShared(
      { ...head, properties: { ...own, distinct_id: head.distinct_id } },
      [common.properties],
      only,
    )
    if (!reason) {
      const outgoing = runBeforeSend(hooks, event, (error) => logger.warn('before_send failed:', error))
      if (outgoing) {
        const json = serialise(outgoing)
        if (!isObject(json)) logger.warn('before_send failed:', new TypeError('the answer is no event'))
        else if (json.length <= options.maxEventLength) return json
        else {
          event = outgoing
          reason = 'too_large'
        }
      }
      reason ??= 'before_send'
    }
    drop(event, reason)
    return undefined
  }

  const timeOf = ({ event, timestamp }: EventInput, now: number): number => {
    if ((timestamp ?? undefined) === undefined) return now
    const time = DATED.test(typeof timestamp) ? Number(new Date(timestamp!)) : NaN
    if (Number.isFinite(time)) return time
    tell('a timestamp that cannot be read is not used, the event gets the time of its capture', event)
    return now
  }

  const refusalOf = ({ event }: EventInput): DropReason | undefined => {
    if (isClosed()) return 'shut_down'
    if (!isText(event)) return 'invalid_event'
    return state.isOptedOut() ? 'opted_out' : undefined
  }

  return (input, only) => {
    try {
      return make(input, input.properties, only)
    } catch {
      try {
        // A getter of the caller may have thrown.
        return make(input, JSON.parse(serialise(input.properties)), only)
      } catch (error) {
        logger.warn('capture failed:', error)
        const timestamp = new Date(clock.now()).toISOString()
        drop({ uuid: '', event: '', distinct_id: '', timestamp, properties: {} }, 'invalid_event')
        return undefined
      }
    }
  }
}

/** Whether a value's JSON is that of an object; a `toJSON` of its own may have answered anything, also nothing. */
const isObject = (json: string | undefined): boolean => !!json?.startsWith('{')

/** The properties of one event alone. The caller's win; where nothing else goes along they are the caller's own object. */
const ownProperties = (
  { groups, flags, disableGeoip }: EventInput,
  properties: unknown,
  context: RequestContext | undefined,
): object => {
  const given = typeof properties === 'object' && properties ? properties : {}
  if (!context && !groups && !flags && typeof disableGeoip !== 'boolean') return given
  const keys = Object.entries(groups ?? {}).map(([type, key]) => [type, String(key)])
  return {
    ...flags?.eventProperties(),
    ...(context?.sessionId && { $session_id: context.sessionId }),
    ...context?.properties,
    ...(keys.length > 0 && { $groups: Object.fromEntries(keys) }),
    ...(typeof disableGeoip === 'boolean' && { $geoip_disable: disableGeoip }),
    ...given,
  }
}
