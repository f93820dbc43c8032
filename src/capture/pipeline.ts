import type { OutgoingEvent } from './before-send.ts'
import { createCapture } from './capture.ts'
import type { Capture, CapturePorts, CaptureSettings } from './capture.ts'
import { createDropReport } from './drop-report.ts'
import type { OnDrop } from './drop-report.ts'
import { createOutbox } from './outbox.ts'
import type { OutboxOptions, OutboxPorts } from './outbox.ts'
import { entryOf } from './session.ts'
import { createStateKeeper } from './state-keeper.ts'
import type { StateKeeper } from './state-keeper.ts'
import { STATE } from './state.ts'
import type { State } from './state.ts'

export interface PipelineOptions extends CaptureSettings, OutboxOptions {
  /** Most bytes of waiting events, and of one event. */
  readonly maxBytes: number
  /** What a user who was never seen before starts with. */
  readonly fresh: () => State
  /** A gap of this many milliseconds ends a session. */
  readonly idleMs: number
  readonly onDrop: OnDrop
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

export const createPipeline = (options: PipelineOptions, ports: PipelinePorts): Pipeline => {
  const { clock, logger } = ports
  const drop = createDropReport(options.onDrop, logger)
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
