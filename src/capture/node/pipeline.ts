import type { EventLog } from '../../port/event-log.ts'
import type { OutgoingEvent } from '../before-send.ts'
import type { DropReason } from '../drop-reason.ts'
import { createDropReport } from '../drop-report.ts'
import type { OnDrop } from '../drop-report.ts'
import { contain } from './contain.ts'
import { createEventMaker } from './event-maker.ts'
import type { EventInput, EventMakerOptions, EventMakerPorts } from './event-maker.ts'
import { createNodeOutbox } from './outbox.ts'
import type { NodeOutboxOptions, NodeOutboxPorts } from './outbox.ts'
import { createProcessState } from './process-state.ts'

export interface NodePipelineOptions extends EventMakerOptions, NodeOutboxOptions {
  /** The agent's own properties of every event. */
  readonly automatic: Readonly<Record<string, unknown>>
  readonly isOptedOut: boolean
  readonly onDrop: OnDrop
}

/** What the platform gives. */
export interface NodePipelinePorts extends EventMakerPorts, Omit<NodeOutboxPorts, 'isOptedOut' | 'log'> {
  /**
   * @param drop Hears of each event, given as JSON, that the log does not keep.
   * @param onFound To be called when events wait that this agent has not captured.
   */
  readonly openLog: (drop: (json: string, reason: DropReason) => void, onFound: () => void) => EventLog
}

/** The event's way from `capture()` to the service. Nothing throws or rejects. */
export interface NodePipeline {
  /**
   * False when the event was dropped; `onDrop` then knows why.
   *
   * @param only Of the assembled event's properties, those with such names alone go out. Default: all.
   */
  capture(input: EventInput, only?: RegExp): boolean
  /** The same, sent by itself at once; resolves when it has arrived, or joined those that wait. */
  captureNow(input: EventInput): Promise<void>
  /** Adds properties to all later events; null takes one away. */
  register(properties: object): void
  isOptedOut(): boolean
  setOptedOut(isOptedOut: boolean): void
  flush(): Promise<void>
  /** Refuses further events, delivers what waits within `timeoutMs`, and ends all work. */
  shutdown(timeoutMs: number): Promise<void>
}

export const createNodePipeline = (options: NodePipelineOptions, ports: NodePipelinePorts): NodePipeline => {
  const onDrop: OnDrop = (event, reason) =>
    contain(
      () => options.onDrop(event, reason),
      (error) => ports.logger.warn('onDrop failed:', error),
    )
  const drop = createDropReport(onDrop, ports.logger)
  const state = createProcessState(options.automatic, options.isOptedOut)
  const dropText = (json: string, reason: DropReason): void => drop(JSON.parse(json) as OutgoingEvent, reason)
  const log = ports.openLog(dropText, () => outbox.wake())
  const outbox = createNodeOutbox(options, { ...ports, log, isOptedOut: state.isOptedOut }, dropText)
  const make = createEventMaker(options, ports, state, { isClosed: outbox.isClosed, drop })

  return {
    capture(input, only) {
      const json = make(input, only)
      if (json === undefined) return false
      outbox.accept(json)
      return true
    },
    async captureNow(input) {
      const json = make(input)
      if (json !== undefined) await outbox.sendNow(json)
    },
    register: state.register,
    isOptedOut: state.isOptedOut,
    setOptedOut(isOut) {
      state.setOptedOut(isOut)
      if (!isOut) outbox.wake()
    },
    flush: outbox.flush,
    shutdown: outbox.shutdown,
  }
}
