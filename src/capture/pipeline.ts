import type { OutgoingEvent } from './before-send.ts'
import { createCapture, type Capture, type CapturePorts, type CaptureSettings } from './capture.ts'
import type { DropReason } from './drop-reason.ts'
import { createOutbox, type OutboxOptions, type OutboxPorts } from './outbox.ts'
import { entryOf } from './session.ts'
import { createStateKeeper, type StateKeeper } from './state-keeper.ts'
import { STATE, type State } from './state.ts'

export interface PipelineOptions extends CaptureSettings, OutboxOptions {
  /** Most bytes of waiting events, and of one event. */
  readonly maxBytes: number
  /** What a user who was never seen before starts with. */
  readonly fresh: () => State
  /** A gap of this many milliseconds ends a session. */
  readonly idleMs: number
  readonly onDrop: (event: OutgoingEvent, reason: DropReason) => void
}

/** What the platform gives. */
export interface PipelinePorts extends CapturePorts, OutboxPorts {}

/** The event's way from `capture()` to the service. */
export interface Pipeline {
  readonly state: StateKeeper
  readonly capture: Capture
  /** The running session's id, and a new session's after its end. A look is no activity. */
  sessionId(): string
  start(): () => void
  flush(): Promise<void>
  isClosed(): boolean
  /** Refuses further events, delivers what waits within `timeoutMs`, and ends all work. */
  shutdown(timeoutMs: number): Promise<void>
}

export function createPipeline(options: PipelineOptions, ports: PipelinePorts): Pipeline {
  const { clock, logger } = ports
  let isDropping = false
  // A filter that does what it was written for is no news.
  const told = new Set<DropReason>(['before_send'])

  const drop = (event: OutgoingEvent, reason: DropReason): void => {
    logger[told.has(reason) ? 'debug' : 'warn'](`event dropped (${reason}):`, event.event)
    told.add(reason)
    // An onDrop that captures may have that event dropped as well, and so on.
    if (isDropping) return
    isDropping = true
    try {
      options.onDrop(event, reason)
    } catch (error) {
      logger.warn('onDrop failed:', error)
    }
    isDropping = false
  }

  const outbox = createOutbox(
    options,
    ports,
    () => state,
    (json, reason) => drop(JSON.parse(json) as OutgoingEvent, reason),
  )
  const state: StateKeeper = createStateKeeper(ports.storage, {
    key: STATE,
    newSession: (now) => ({ id: ports.newId(now), entry: entryOf(ports.automatic()) }),
    fresh: options.fresh,
    idleMs: options.idleMs,
    persist: outbox.persist,
    onRefresh: () => ports.onIdentityFound('tab'),
  })

  return {
    state,
    capture: createCapture(options, ports, state, { isClosed: outbox.isClosed, accept: outbox.accept, drop }),
    sessionId() {
      const session = state.sessionAt(clock.now())
      if (!outbox.isClosed() && session.id !== state.current().session?.id) state.saveSession(session)
      return session.id
    },
    start: outbox.start,
    isClosed: outbox.isClosed,
    flush: outbox.flush,
    shutdown: outbox.shutdown,
  }
}
