import type { OutgoingEvent } from './before-send.ts'
import type { Capture, CapturePorts, CaptureSettings } from './capture.ts'
import { createDropReport } from './drop-report.ts'
import type { OnDrop } from './drop-report.ts'
import { createOutbox } from './outbox.ts'
import type { OutboxOptions, OutboxPorts } from './outbox.ts'
import { entryProperties } from './session.ts'
import { createStateStore } from './state-store.ts'
import { createCapture } from './capture.ts'
import type { StateStore } from './state-store.ts'
import type { State } from './state.ts'
import type { Status } from './status.ts'

export interface PipelineOptions extends CaptureSettings, OutboxOptions {
  /** Creates the state of a new user. */
  readonly createState: () => State
  /** A gap of this many seconds ends a session. */
  readonly sessionIdleTimeoutSeconds: number
  readonly onDrop?: OnDrop | undefined
}

/** What the platform provides. */
export interface PipelinePorts extends CapturePorts, OutboxPorts {}

/** The event pipeline of a page: everything between `capture()` and the service. */
export interface Pipeline {
  readonly state: StateStore
  readonly capture: Capture
  /** Returns the current session's id; starts a new session when the last one has ended. Reading the id does not extend the session. */
  sessionId(): string
  /** Opens the event store, starts delivery, and returns a function that removes the listeners of platform events. */
  start(): () => void
  getStatus(): Status
  flush(): Promise<void>
  isClosed(): boolean
  /** Refuses new events, delivers the queue within `timeoutMs`, and ends all work. */
  shutdown(timeoutMs: number): Promise<void>
}

export const createPipeline = (options: PipelineOptions, ports: PipelinePorts): Pipeline => {
  const drop = createDropReport(options.onDrop, ports.logger)
  const outbox = createOutbox(options, ports, (json, reason) => drop(JSON.parse(json) as OutgoingEvent, reason, json))
  const state: StateStore = createStateStore(
    ports.storage,
    options,
    (now) => ({ id: ports.newId(now), entry: entryProperties(ports.automaticProperties()) }),
    outbox.persist,
    () => ports.onIdentityChange('tab'),
  )

  return {
    ...outbox,
    state,
    start: () => outbox.start(state),
    capture: createCapture(options, ports, state, { ...outbox, drop }),
    sessionId() {
      const session = state.sessionAt(ports.clock.now())
      if (!outbox.isClosed() && session.id !== state.current().session?.id) state.saveSession(session)
      return session.id
    },
  }
}
