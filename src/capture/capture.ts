import type { Clock } from '../port/clock.ts'
import type { Logger } from '../port/logger.ts'
import { runBeforeSend, type BeforeSend, type OutgoingEvent } from './before-send.ts'
import type { DropReason } from './drop-reason.ts'
import { enrich, type PersonProfiles } from './enrich.ts'
import { serialise } from './serialise.ts'
import type { StateKeeper } from './state-keeper.ts'

export interface CaptureSettings {
  readonly personProfiles: PersonProfiles
  readonly beforeSend: readonly BeforeSend[]
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

/** What one capture may decide for itself. */
export interface CaptureOptions {
  /** Default: now. */
  readonly timestamp?: Date
  /** Of the assembled event's properties, keep those with such names alone. Default: all. */
  readonly only?: RegExp | undefined
}

/** Never throws. False when the event was dropped; `onDrop` then knows why. */
export type Capture = (
  event: string,
  properties: Readonly<Record<string, unknown>>,
  options?: CaptureOptions,
) => boolean

/** The first half of an event's way: drop checks, enrichment, `before_send`, its final JSON. */
export function createCapture(
  options: CaptureSettings,
  ports: CapturePorts,
  state: StateKeeper,
  { isClosed, accept, drop }: CaptureEnds,
): Capture {
  const { clock, logger } = ports

  function capture(
    name: string,
    properties: Readonly<Record<string, unknown>>,
    { timestamp, only }: CaptureOptions = {},
  ): boolean {
    const now = clock.now()
    const session = state.sessionAt(now)
    const refusal = refuse(name)
    const event = enrich(name, readable(properties), {
      uuid: ports.newId(now),
      at: Number(new Date(timestamp ?? now)) || now,
      state: state.current(),
      sessionId: session.id,
      windowId: refusal ? undefined : ports.windowId(session.id),
      automatic: ports.automatic(),
      flags: ports.flagProperties(),
      personProfiles: options.personProfiles,
    })
    if (only) for (const key of Object.keys(event.properties)) if (!only.test(key)) delete event.properties[key]
    if (refusal) {
      drop(event, refusal)
      return false
    }
    const outgoing = runBeforeSend(options.beforeSend, event, (error) => logger.warn('before_send failed:', error))
    if (!outgoing) {
      drop(event, 'before_send')
      return false
    }
    const json = serialise(outgoing)
    if (json.length > options.maxBytes) {
      drop(outgoing, 'too_large')
      return false
    }
    state.saveSession(session)
    accept(json)
    return true
  }

  function refuse(name: unknown): DropReason | undefined {
    if (isClosed()) return 'shut_down'
    if (typeof name !== 'string' || !name.trim()) return 'invalid_event'
    return state.current().isOptedOut ? 'opted_out' : undefined
  }

  return (name, properties, captureOptions) => {
    try {
      return capture(name, properties, captureOptions)
    } catch (error) {
      logger.warn('capture failed:', error)
      const timestamp = new Date(clock.now()).toISOString()
      const { distinctId } = state.current()
      drop({ uuid: '', event: name, distinct_id: distinctId, timestamp, properties }, 'invalid_event')
      return false
    }
  }
}

/** A copy of what the caller handed over, also when one of its getters throws. */
function readable(properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  try {
    return { ...properties }
  } catch {
    return JSON.parse(serialise(properties)) as Record<string, unknown>
  }
}
