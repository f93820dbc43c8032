import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { compileSource } from '../../../support/compiled-source.ts'
import { startSink } from './sink.ts'

const PROGRAM = fileURLToPath(new URL('outbox.mjs', import.meta.url))

/** Long, because each test starts a process, and other tests run at the same time. */
const TIMEOUT_MS = 60_000

/** No process listens on this port: every connection is refused. */
const UNREACHABLE_URL = 'http://127.0.0.1:9/batch/'

const source = compileSource('port', 'lib', 'wire', 'codec', 'capture', 'platform')
const eventNames = (count: number): string[] => Array.from({ length: count }, (_, n) => `e${n}`)

interface ProcessResult {
  readonly lines: readonly string[]
  /** `<name> <reason>` of each dropped event. */
  readonly dropped: readonly string[]
  readonly warnings: string
  /** Time from the first capture until `shutdown()` resolved, and until the process ended. */
  readonly shutDownMs: number
  readonly ms: number
}

/** @param mode One of `modes` in outbox.mjs. */
const runProcess = (mode: string, url: string, eventCount = 0): Promise<ProcessResult> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify({ source, url, mode, eventCount })])
    onTestFinished(() => void child.kill('SIGKILL'))
    let output = ''
    let warnings = ''
    child.stdout.on('data', (chunk) => (output += String(chunk)))
    child.stderr.on('data', (chunk) => (warnings += String(chunk)))
    child.once('close', () => {
      const lines = output.split('\n')
      const dropped = lines.filter((line) => line.startsWith('dropped ')).map((line) => line.slice('dropped '.length))
      const read = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(output)?.[1])
      resolve({ lines, dropped, warnings, shutDownMs: read('shut down'), ms: read('end') })
    })
  })

describe('the end of a process', { timeout: TIMEOUT_MS }, () => {
  it('waits until 1,000 captured events are delivered, and no longer', async () => {
    const sink = await startSink()
    const { dropped, ms } = await runProcess('natural', sink.url, 1_000)
    expect(sink.names).toEqual(eventNames(1_000))
    expect(dropped).toEqual([])
    // The process did not wait for `flushInterval`, which is a minute.
    expect(ms).toBeLessThan(30_000)
  })

  it('waits until fewer events than a batch are delivered', async () => {
    const sink = await startSink()
    const { ms } = await runProcess('natural', sink.url, 7)
    expect(sink.names).toEqual(eventNames(7))
    expect(ms).toBeLessThan(30_000)
  })

  it.each([
    ['is down', async () => UNREACHABLE_URL],
    ['responds 503', async () => (await startSink(503)).url],
  ])('waits at most five seconds if the service %s, and reports drops', async (_title, open) => {
    const { dropped, warnings, ms } = await runProcess('natural', await open(), 250)
    expect(dropped).toEqual(eventNames(250).map((name) => `${name} storage_unavailable`))
    expect(warnings).toContain('events not delivered')
    expect(warnings).toContain('250 events are not delivered')
    expect(ms).toBeGreaterThanOrEqual(5_000)
    expect(ms).toBeLessThan(30_000)
  })

  it('reports the events in memory when process.exit() was called', async () => {
    const sink = await startSink()
    const { dropped, warnings } = await runProcess('exit', sink.url, 1_000)
    expect(sink.requests).toBe(0)
    expect(dropped).toEqual(eventNames(1_000).map((name) => `${name} storage_unavailable`))
    expect(warnings).toContain('1000 events are not delivered and are lost with this process')
  })

  it('reports an event of sendNow() whose request is in flight', async () => {
    const { dropped } = await runProcess('exitInFlight', UNREACHABLE_URL)
    expect(dropped).toEqual(['e0 storage_unavailable'])
  })

  it('does not wait longer than shutdown(), even if the service is down', async () => {
    const { dropped, shutDownMs, ms } = await runProcess('shutdown', UNREACHABLE_URL, 3)
    expect(dropped).toHaveLength(3)
    expect(shutDownMs).toBeLessThan(10_000)
    // If events remained, the process would wait for five seconds more.
    expect(ms - shutDownMs).toBeLessThan(4_000)
  })
})

describe('a burst of events', { timeout: TIMEOUT_MS }, () => {
  it.runIf(process.platform === 'linux')(
    'delivers 200,000 events that one loop captures, with at most 300 MB of memory',
    async () => {
      const sink = await startSink()
      const { lines, dropped } = await runProcess('flood', sink.url, 200_000)
      expect(dropped).toEqual([])
      expect(sink.names.length).toBe(200_000)
      expect(sink.names.findIndex((name, index) => name !== `e${index}`)).toBe(-1)
      expect(Number(lines[0])).toBeLessThan(300)
    },
  )
})
