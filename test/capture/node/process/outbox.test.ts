import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { compiledSource } from '../../../support/compiled-source.ts'
import { startSink } from './sink.ts'

const PROGRAM = fileURLToPath(new URL('outbox.mjs', import.meta.url))

/** The tests start processes, which share the machine with others. */
const TIMEOUT_MS = 60_000

/** No process listens on this port: every connection is refused. */
const UNREACHABLE_URL = 'http://127.0.0.1:9/batch/'

const source = compiledSource('port', 'wire', 'codec', 'capture', 'platform')
const names = (count: number): string[] => Array.from({ length: count }, (_, n) => `e${n}`)

interface ProcessResult {
  readonly lines: readonly string[]
  /** `<name> <reason>` of each dropped event. */
  readonly dropped: readonly string[]
  readonly warnings: string
  /** Time from the first capture to the end of the process. */
  readonly ms: number
}

const run = (mode: string, url: string, events = 0): Promise<ProcessResult> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify({ source, url, mode, events })])
    onTestFinished(() => void child.kill('SIGKILL'))
    let out = ''
    let warnings = ''
    child.stdout.on('data', (text) => (out += String(text)))
    child.stderr.on('data', (text) => (warnings += String(text)))
    child.once('close', () => {
      const lines = out.split('\n')
      const dropped = lines.filter((line) => line.startsWith('dropped ')).map((line) => line.slice('dropped '.length))
      resolve({ lines, dropped, warnings, ms: Number(/^end (\d+)$/m.exec(out)?.[1]) })
    })
  })

describe('the end of a process', { timeout: TIMEOUT_MS }, () => {
  it('waits until 1,000 captured events are delivered, and no longer', async () => {
    const sink = await startSink()
    const { dropped, ms } = await run('natural', sink.url, 1_000)
    expect(sink.names).toEqual(names(1_000))
    expect(dropped).toEqual([])
    // `flushInterval` is 3,000 ms: the process did not wait for it.
    expect(ms).toBeLessThan(2_900)
  })

  it('waits for fewer events than a batch', async () => {
    const sink = await startSink()
    const { ms } = await run('natural', sink.url, 7)
    expect(sink.names).toEqual(names(7))
    expect(ms).toBeLessThan(2_900)
  })

  it.each([
    ['is down', async () => UNREACHABLE_URL],
    ['responds 503', async () => (await startSink(503)).url],
  ])('waits at most five seconds if the service %s, and reports drops', async (_title, open) => {
    const { dropped, warnings, ms } = await run('natural', await open(), 250)
    expect(dropped).toEqual(names(250).map((name) => `${name} storage_unavailable`))
    expect(warnings).toContain('the service cannot be reached')
    expect(warnings).toContain('250 events are not delivered')
    expect(ms).toBeGreaterThanOrEqual(5_000)
    expect(ms).toBeLessThan(12_000)
  })

  it('by process.exit() reports the events in memory', async () => {
    const sink = await startSink()
    const { dropped, warnings } = await run('exit', sink.url, 1_000)
    expect(sink.requests).toBe(0)
    expect(dropped).toEqual(names(1_000).map((name) => `${name} storage_unavailable`))
    expect(warnings).toContain('1000 events are not delivered and are lost with this process')
  })

  it('reports an event of sendNow in flight', async () => {
    const { dropped } = await run('exitInFlight', UNREACHABLE_URL)
    expect(dropped).toEqual(['e0 storage_unavailable'])
  })

  it('does not wait after shutdown(), even if the service is down', async () => {
    const { lines, dropped, ms } = await run('shutdown', UNREACHABLE_URL, 3)
    expect(lines).toContain('shut down')
    expect(dropped).toHaveLength(3)
    expect(ms).toBeLessThan(4_000)
  })
})

describe('a burst of events', { timeout: TIMEOUT_MS }, () => {
  it('"200k captured in one loop": "every one delivered", with at most 300 MB of memory', async () => {
    const sink = await startSink()
    const { lines, dropped } = await run('flood', sink.url, 200_000)
    expect(dropped).toEqual([])
    expect(sink.names.length).toBe(200_000)
    expect(sink.names.findIndex((name, index) => name !== `e${index}`)).toBe(-1)
    expect(Number(lines[0])).toBeLessThan(300)
  })
})
