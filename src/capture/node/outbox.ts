import type { Clock } from '../../port/clock.ts'
import type { Compressor } from '../../port/compressor.ts'
import type { EventLog } from '../../port/event-log.ts'
import type { KeyValue } from '../../port/key-value.ts'
import type { Logger } from '../../port/logger.ts'
import type { ProcessLife } from '../../port/process.ts'
import type { Send } from '../../port/send.ts'
import type { SendReport } from '../delivery.ts'
import type { DropReason } from '../drop-reason.ts'
import { createNextTry } from '../next-try.ts'
import { contain } from './contain.ts'
import { createNodeDelivery } from './delivery.ts'
import type { NodeDeliveryOptions } from './delivery.ts'

/** A process that would end by itself is held so long for what waits, while the service takes nothing. */
const IDLE_MAX_MS = 5_000

export interface NodeOutboxOptions extends NodeDeliveryOptions {
  readonly onSend: (report: SendReport) => void
}

export interface NodeOutboxPorts {
  readonly clock: Clock
  readonly log: EventLog
  /** Where the back-off is kept. */
  readonly storage: KeyValue
  readonly send: Send
  readonly compressor: Compressor
  readonly process: ProcessLife
  /** In [0, 1). */
  readonly random: () => number
  readonly logger: Logger
  readonly isOptedOut: () => boolean
}

/** Where a server's events wait for delivery, through outages and to the end of the process. Nothing throws or rejects. */
export interface NodeOutbox {
  /** True from `shutdown()` on. */
  isClosed(): boolean
  /** Takes an event in its final form. */
  accept(json: string): void
  /** Sends an event by itself; resolves when it is delivered, dropped, or waits with the others because it cannot be sent now. */
  sendNow(json: string): Promise<void>
  /** Delivers what waits, as far as `Rounds.flush` says; the process is held meanwhile. */
  flush(): Promise<void>
  /** Delivers at once: at start, and when the user opts in again. */
  wake(): void
  /** Refuses further events, delivers what waits within `timeoutMs`, reports what is left, and ends all work. Later calls join the first. */
  shutdown(timeoutMs: number): Promise<void>
}

/** @param drop Reports an event, given as JSON, that will never be delivered. */
export const createNodeOutbox = (
  options: NodeOutboxOptions,
  ports: NodeOutboxPorts,
  drop: (json: string, reason: DropReason) => void,
): NodeOutbox => {
  const { clock, log, logger } = ports
  // Events that are under way by themselves.
  const alone = new Map<string, Promise<void>>()
  let closing: Promise<void> | undefined
  let isEnded = false
  // When the last try before an end of the process was begun or given up.
  let triedAt = -Infinity
  // When events were done with last.
  let movedAt = 0
  // Only while something waits: nobody holds an idle agent that was thrown away.
  let unsubscribe: (() => void) | undefined

  const delivery = createNodeDelivery(options, {
    ...ports,
    nextTry: createNextTry(ports.storage, 'next'),
    mayDeliver: () => !ports.isOptedOut(),
    onProgress: () => moved(),
    onDrop: drop,
    onSend: (report) =>
      contain(
        () => options.onSend(report),
        (error) => logger.warn('onSend failed:', error),
      ),
    warn: logger.warn,
  })

  const awaitEnd = (): void => {
    if (unsubscribe) return
    const ends = [ports.process.onIdle(() => void deliverBeforeEnd()), ports.process.onExit(close)]
    unsubscribe = () => {
      for (const one of ends) one()
    }
  }

  const moved = (): void => {
    movedAt = clock.now()
    if (alone.size || log.size()) return
    triedAt = -Infinity
    unsubscribe?.()
    unsubscribe = undefined
  }

  /** The process has nothing else to do: what waits goes out now, as long as the service takes it. Once in vain is enough, unless it goes on meanwhile. */
  const deliverBeforeEnd = async (): Promise<void> => {
    if (isEnded || clock.now() - triedAt < IDLE_MAX_MS) return
    movedAt = triedAt = clock.now()
    const endsAt = (): number => movedAt + IDLE_MAX_MS
    const work = drain(endsAt).then(() => true)
    for (let left = IDLE_MAX_MS; left > 0; left = endsAt() - clock.now()) if (await within(left, work)) break
    if (triedAt > -Infinity) triedAt = clock.now()
    // Its connection alone would hold the process.
    delivery.giveUp()
  }

  /** Last work of the agent, and synchronous: the process may end right after it. */
  const close = (): void => {
    if (isEnded) return
    isEnded = true
    delivery.stop()
    for (const json of alone.keys()) log.append(json)
    leave()
    unsubscribe?.()
    unsubscribe = undefined
  }

  /** Leaves what waits to the next process, or reports it. */
  const leave = (): void => {
    log.writeNow()
    const waiting = log.size()
    const lost = log.close()
    if (lost.length) logger.warn(`${lost.length} events are not delivered, and end with this process`)
    else if (waiting) logger.warn(`${waiting} events are not delivered; they wait on disk for the next start`)
    for (const json of lost) drop(json, 'storage_unavailable')
  }

  /** Holds the process until the work is done. */
  const held = async <T>(work: Promise<T>): Promise<T> => {
    const release = ports.process.hold()
    try {
      return await work
    } finally {
      release()
    }
  }

  /** Undefined when the time was over before the work was done. */
  const within = async <T>(timeoutMs: number, work: Promise<T>): Promise<T | undefined> => {
    let cancel = (): void => undefined
    const tooLate = new Promise<undefined>((resolve) => {
      cancel = clock.after(timeoutMs, () => resolve(undefined))
    })
    const answer = await held(Promise.race([work, tooLate]))
    cancel()
    return answer
  }

  const flush = async (): Promise<void> => {
    await Promise.all(alone.values())
    await delivery.flush()
  }

  const drain = async (endsAt: () => number): Promise<void> => {
    await Promise.all(alone.values())
    await delivery.drain(endsAt)
  }

  const keep = (json: string): void => {
    log.append(json)
    // A listener of the process's end has captured it.
    if (isEnded) return leave()
    awaitEnd()
    delivery.added()
  }

  return {
    isClosed: () => !!closing,
    accept: keep,
    async sendNow(json) {
      if (isEnded) return keep(json)
      const work = held(delivery.sendNow(json)).then((isDone) => {
        alone.delete(json)
        // The end has looked after it.
        if (isEnded) return
        if (isDone) moved()
        else keep(json)
      })
      alone.set(json, work)
      awaitEnd()
      return work
    },
    flush: () => held(flush()),
    wake: delivery.wake,
    shutdown(timeoutMs) {
      const endsAt = clock.now() + timeoutMs
      closing ??= within(timeoutMs, drain(() => endsAt).then(log.settled)).then(close)
      return closing
    },
  }
}
