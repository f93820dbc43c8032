import type { Compressor } from '../../port/compressor.ts'
import type { EventLog } from '../../port/event-log.ts'
import type { Send, SendAnswer } from '../../port/send.ts'
import { BATCH_MAX_LENGTH } from '../../wire/limits.ts'
import { backoffMs } from '../backoff.ts'
import { batchBody } from '../batch.ts'
import type { SendReport } from '../delivery.ts'
import type { DropReason } from '../drop-reason.ts'
import { outcomeOf } from '../outcome.ts'
import { createJudge } from '../judge.ts'
import type { Fate, Judge, JudgeOptions, JudgePorts } from '../judge.ts'
import { createRounds, DONE } from '../rounds.ts'
import type { PassEnd, Rounds, RoundsOptions, RoundsPorts } from '../rounds.ts'
import { encodeBody } from './encode-body.ts'

export interface NodeDeliveryOptions extends RoundsOptions, JudgeOptions {
  /** Where batches go. */
  readonly url: string
  readonly apiKey: string
  readonly requestTimeout: number
  readonly disableCompression: boolean
  readonly historicalMigration: boolean
}

/** `mayDeliver`: false while opted out. */
export interface NodeDeliveryPorts extends RoundsPorts, JudgePorts {
  readonly log: EventLog
  readonly send: Send
  readonly compressor: Compressor
  /** Events of the log are done with: delivered, or dropped. */
  readonly onProgress: () => void
  readonly onDrop: (json: string, reason: DropReason) => void
  readonly onSend: (report: SendReport) => void
}

export interface NodeDelivery extends Pick<Rounds, 'added' | 'wake' | 'flush' | 'stop'> {
  /**
   * Sends one event by itself, whatever waits. False when it has to wait with the others: a back-off or a `Retry-After` runs, nothing may
   * leave, or the service could not be reached.
   */
  sendNow(json: string): Promise<boolean>
  /**
   * Delivers all that waits: tries at once, and then after pauses that begin anew, however long the back-off was. Resolves when nothing waits any
   * more, when nothing may leave, when the service has asked for a pause beyond the end, or at `giveUp()`.
   *
   * @param endsAt When it ends, in ms since 1970: looked up after each try.
   */
  drain(endsAt: () => number): Promise<void>
  /** Lets requests under way fail, and ends every `drain()`. What waits goes on with the back-off. */
  giveUp(): void
}

/** Brings the log to the service, oldest first, one request at a time. A retryable failure never removes an event. */
export const createNodeDelivery = (options: NodeDeliveryOptions, ports: NodeDeliveryPorts): NodeDelivery => {
  const { clock, log, nextTry, onDrop } = ports
  const rounds = createRounds(options, ports, (isForced) => pass(isForced))
  const { batchSize, judge } = createJudge(options, ports)
  // What cuts requests and pauses short.
  const ends = new Set<() => void>()
  let flushes = 0
  let givenUp = 0

  const pass = async (isForced?: boolean): Promise<PassEnd> => {
    if (!rounds.mayGoOn()) return DONE
    const waitMs = nextTry.remainingMs(clock.now(), isForced)
    if (waitMs) return { waitMs }
    for (;;) {
      rounds.isMore()
      const startedAt = clock.now()
      const run = await log.take(batchSize(), BATCH_MAX_LENGTH)
      if (!rounds.mayGoOn()) return DONE
      if (run) {
        const waited = log.size()
        let gone = 0
        const answer = await post(run.events)
        const end = act(answer, run.events.length, (fate) => {
          gone = run.events.length
          run.remove()
          report(run.events, fate)
          ports.onProgress()
        })
        if (end) return end
        // What came during the request waits for its own `flushAt` or `flushInterval`: a trickle must not become a request per few events.
        if (gone >= waited && log.size() < options.flushAt && !flushes) {
          return log.size() ? { waitMs: Math.max(0, startedAt + options.flushInterval - clock.now()) } : DONE
        }
      } else if (!rounds.isMore()) return DONE
    }
  }

  /** One request, and what came back. */
  const post = async (events: readonly string[]): Promise<SendAnswer> => {
    const { url, apiKey, requestTimeout: timeoutMs } = options
    const json = batchBody(apiKey, events, clock.now(), options.historicalMigration)
    const { encoding, bytesBefore, bytesAfter, ...body } = await encodeBody(
      json,
      options.disableCompression,
      ports.compressor,
    )
    const answer = await ports.send({ url, timeoutMs, ends, ...body })
    ports.onSend({ url, encoding, events: events.length, bytesBefore, bytesAfter, status: answer.status })
    return answer
  }

  /** A request that failed because all work has ended is no news. */
  const act: Judge['judge'] = (answer, events, forget) =>
    answer.status || rounds.mayGoOn() ? judge(answer, events, forget) : DONE

  const report = (events: readonly string[], fate: Fate): void => {
    if (fate !== 'accepted') for (const json of events) onDrop(json, fate)
  }

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        cancel()
        ends.delete(end)
        resolve()
      }
      const cancel = clock.after(ms, end)
      ends.add(end)
    })

  const giveUp = (): void => {
    givenUp++
    for (const end of ends) end()
  }

  return {
    ...rounds,
    async flush(isForced) {
      flushes++
      await rounds.flush(isForced)
      flushes--
    },
    async sendNow(json) {
      if (!rounds.mayGoOn() || nextTry.remainingMs(clock.now())) return false
      const failures = nextTry.failures()
      const answer = await post([json])
      // Requests side by side fail side by side, and count as one failure.
      if (nextTry.failures() > failures && ['retry', 'wait'].includes(outcomeOf(answer))) return false
      return !act(answer, 1, (fate) => report([json], fate))
    },
    async drain(endsAt) {
      const before = givenUp
      flushes++
      for (let tries = 1; ; tries++) {
        const size = log.size()
        const { waitMs } = await rounds.deliver(true)
        const now = clock.now()
        if (waitMs === Infinity || givenUp !== before || now + nextTry.remainingMs(now, true) > endsAt()) break
        if (log.size() < size) tries = 1
        await pause(Math.min(waitMs, backoffMs(tries, options.fetchRetryDelay, ports.random())))
      }
      flushes--
    },
    giveUp,
    stop() {
      rounds.stop()
      giveUp()
    },
  }
}
