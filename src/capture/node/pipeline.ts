import type { EventLog } from '../../port/event-log.ts'
import type { OutgoingEvent } from '../before-send.ts'
import type { DropReason } from '../drop-reason.ts'
import { createDropReport } from '../drop-report.ts'
import type { OnDrop } from '../drop-report.ts'
import type { EventFinisherOptions } from '../event-finisher.ts'
import type { Status } from '../status.ts'
import { callAsyncSafely } from './call-async-safely.ts'
import { createEventBuilder } from './event-builder.ts'
import type { EventInput, EventBuilderPorts } from './event-builder.ts'
import { createNodeOutbox } from './outbox.ts'
import type { NodeOutboxOptions, NodeOutboxPorts } from './outbox.ts'
import { createProcessState } from './process-state.ts'

export interface NodePipelineOptions extends EventFinisherOptions, NodeOutboxOptions {
  /** The agent's own properties of every event. */
  readonly automaticProperties: Readonly<Record<string, unknown>>
  readonly isOptedOut: boolean
  readonly onDrop: OnDrop
}

export interface NodePipelinePorts extends EventBuilderPorts, Omit<NodeOutboxPorts, 'isOptedOut' | 'log'> {
  /**
   * @param drop Called for each event, as JSON, that the log cannot keep.
   * @param onEarlierEvents Called when the log finds events of an earlier process.
   */
  readonly openLog: (drop: (json: string, reason: DropReason) => void, onEarlierEvents: () => void) => EventLog
}

/** The event pipeline of the Node agent: from `capture()` to the service. No method throws or rejects. */
export interface NodePipeline {
  /**
   * Returns false if the event was dropped, which `onDrop` reports.
   *
   * @param allowedNames The event keeps only properties whose names match. Default: all.
   */
  capture(input: EventInput, allowedNames?: RegExp): boolean
  /** Sends the event at once in its own request. Resolves when it is delivered, dropped, or queued because the request failed. */
  captureNow(input: EventInput): Promise<void>
  /** Adds properties to all later events; a value of null removes the property. */
  register(properties: object): void
  isOptedOut(): boolean
  setOptedOut(isOptedOut: boolean): void
  getStatus(): Status
  flush(): Promise<void>
  /** Refuses further events, delivers queued ones within `timeoutMs`, and ends all work. */
  shutdown(timeoutMs: number): Promise<void>
}

export const createNodePipeline = (options: NodePipelineOptions, ports: NodePipelinePorts): NodePipeline => {
  const onDrop: OnDrop = (event, reason) => callAsyncSafely(ports.logger, 'onDrop', () => options.onDrop(event, reason))
  const drop = createDropReport(onDrop, ports.logger)
  const state = createProcessState(options.automaticProperties, options.isOptedOut)
  const dropJson = (json: string, reason: DropReason): void => drop(JSON.parse(json) as OutgoingEvent, reason, json)
  const log = ports.openLog(dropJson, () => outbox.wake())
  const outbox = createNodeOutbox(options, { ...ports, log, isOptedOut: state.isOptedOut }, dropJson)
  const buildEvent = createEventBuilder(options, ports, state, { isClosed: outbox.isClosed, drop })

  return {
    capture(input, allowedNames) {
      const json = buildEvent(input, allowedNames)
      if (json === undefined) return false
      ports.logger.debug('captured', json)
      outbox.accept(json)
      return true
    },
    async captureNow(input) {
      const json = buildEvent(input)
      if (json === undefined) return
      ports.logger.debug('captured', json)
      await outbox.sendNow(json)
    },
    register: state.register,
    isOptedOut: state.isOptedOut,
    setOptedOut(isOut) {
      state.setOptedOut(isOut)
      ports.logger.debug('state', JSON.stringify({ isOptedOut: isOut }))
      if (!isOut) outbox.wake()
    },
    getStatus: outbox.getStatus,
    flush: outbox.flush,
    shutdown: outbox.shutdown,
  }
}
