import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createIndexerLifecycle } from '../../../src/service/indexer/indexer-lifecycle.ts'
import type { IndexerLifecycle } from '../../../src/service/indexer/indexer-lifecycle.ts'
import type { ProcessExit, ProcessListener } from '../../../src/service/indexer/indexer-process.ts'
import type { ToIndexer } from '../../../src/service/indexer/protocol.ts'

const KILLED: ProcessExit = { code: null, signal: 'SIGKILL', failure: null }
const CRASHED: ProcessExit = { code: 134, signal: null, failure: null }
const ORDERLY: ProcessExit = { code: 0, signal: null, failure: null }
const NOT_STARTED: ProcessExit = { code: null, signal: null, failure: new Error('spawn ENOENT') }

interface FakeProcess {
  readonly sent: ToIndexer[]
  kills: number
  ready(): void
  end(exit: ProcessExit): void
}

describe('the life of the indexer process', () => {
  let processes: FakeProcess[] = []
  let calls: string[] = []
  let messages: string[] = []
  let hasQueries = false
  let lifecycle: IndexerLifecycle

  const startProcess = ({ onMessage, onExit }: ProcessListener) => {
    let resolveEnded = (): void => undefined
    const ended = new Promise<void>((resolve) => {
      resolveEnded = resolve
    })
    const fake: FakeProcess = {
      sent: [],
      kills: 0,
      ready: () => onMessage({ type: 'ready', pid: 0 }),
      end(exit) {
        onExit(exit)
        resolveEnded()
      },
    }
    processes.push(fake)
    return {
      pid: processes.length,
      send: (message: ToIndexer) => void fake.sent.push(message),
      kill() {
        fake.kills += 1
      },
      ended,
    }
  }

  beforeEach(() => {
    vi.useFakeTimers()
    processes = []
    calls = []
    messages = []
    hasQueries = false
    lifecycle = createIndexerLifecycle({
      startProcess,
      onStart: (previousExit) => calls.push(`start after ${previousExit}`),
      onMessage: () => undefined,
      onEnd: () => calls.push('end'),
      onFailure: (description) => calls.push(description),
      hasQueries: () => hasQueries,
      logger: { info: (message) => messages.push(message), warn: (message) => messages.push(message) },
    })
  })
  afterEach(() => vi.useRealTimers())

  const startFirst = async (): Promise<void> => {
    const started = lifecycle.start()
    processes[0]!.ready()
    await started
    calls = []
  }

  it('begins with the first process that is ready', async () => {
    const started = lifecycle.start()
    expect([lifecycle.isReady(), calls]).toEqual([false, ['start after killed']])
    processes[0]!.ready()
    await started
    expect(lifecycle.isReady()).toBe(true)
  })

  it('fails if the first process ends before it is ready, and starts no other one', async () => {
    const started = lifecycle.start()
    processes[0]!.end(NOT_STARTED)
    await expect(started).rejects.toThrow('The indexer process could not be started (spawn ENOENT).')
    vi.advanceTimersByTime(60_000)
    expect(processes).toHaveLength(1)
  })

  it('starts the next process after a delay that doubles up to five seconds', async () => {
    await startFirst()
    const delays = [100, 200, 400, 800, 1600, 3200, 5000, 5000]
    for (const [index, delayMs] of delays.entries()) {
      processes.at(-1)!.end(KILLED)
      vi.advanceTimersByTime(delayMs - 1)
      expect(processes).toHaveLength(index + 1)
      vi.advanceTimersByTime(1)
      expect(processes).toHaveLength(index + 2)
    }
    lifecycle.onProgress()
    processes.at(-1)!.end(KILLED)
    vi.advanceTimersByTime(100)
    expect(processes).toHaveLength(delays.length + 2)
  })

  it('forgets the delay after a run of more than ten seconds', async () => {
    await startFirst()
    processes[0]!.end(KILLED)
    vi.advanceTimersByTime(100)
    vi.advanceTimersByTime(10_001)
    processes[1]!.end(KILLED)
    vi.advanceTimersByTime(100)
    expect(processes).toHaveLength(3)
  })

  it.each([
    ['killed', KILLED, false],
    ['crashed', CRASHED, false],
    ['killed', CRASHED, true],
    ['requested', ORDERLY, false],
    // Nothing ran, so the exit before it still counts.
    ['killed', NOT_STARTED, false],
  ] as const)('tells the next process that the last one was %s', async (kind, exit, queriesRun) => {
    await startFirst()
    hasQueries = queriesRun
    processes[0]!.end(exit)
    vi.advanceTimersByTime(100)
    expect(calls.at(-1)).toBe(`start after ${kind}`)
  })

  it('tells a kill on purpose from one of a hung process', async () => {
    await startFirst()
    lifecycle.kill('requested')
    processes[0]!.end(KILLED)
    vi.advanceTimersByTime(100)
    lifecycle.kill('hung')
    processes[1]!.end(KILLED)
    vi.advanceTimersByTime(200)
    expect(calls.filter((call) => call.startsWith('start'))).toEqual(['start after requested', 'start after killed'])
    expect(processes.map(({ kills }) => kills)).toEqual([1, 1, 0])
  })

  it('replaces a process at once, without a failure', async () => {
    await startFirst()
    lifecycle.replace('It was idle and had 300 MB')
    expect([lifecycle.isReady(), lifecycle.isBeingReplaced()]).toEqual([false, true])
    expect(processes[0]!.sent).toEqual([{ type: 'stop' }])
    processes[0]!.end(ORDERLY)
    expect(calls).toEqual(['end', 'start after requested'])
    processes[1]!.ready()
    expect([lifecycle.isReady(), lifecycle.isBeingReplaced()]).toEqual([true, false])
    expect(messages).toEqual([
      expect.stringMatching(/^It was idle and had 300 MB: process \d+ replaces it, as planned\.$/),
    ])
  })

  it('asks the process to end at a stop, kills it after five seconds, and starts no other one', async () => {
    await startFirst()
    const stopped = lifecycle.stop()
    expect([processes[0]!.sent, lifecycle.isStopping()]).toEqual([[{ type: 'stop' }], true])
    vi.advanceTimersByTime(5000)
    expect(processes[0]!.kills).toBe(1)
    processes[0]!.end(KILLED)
    await stopped
    vi.advanceTimersByTime(60_000)
    expect([processes.length, calls]).toEqual([1, ['end']])
  })

  it('starts no process after a stop between two', async () => {
    await startFirst()
    processes[0]!.end(KILLED)
    await lifecycle.stop()
    vi.advanceTimersByTime(60_000)
    expect([processes.length, lifecycle.send({ type: 'ping' })]).toEqual([1, false])
  })
})
