/**
 * A Node outbox with a log in memory, in its own process.
 *
 * Prints lines: `shut down <ms>` and `end <ms>`, the time from the first capture to these; `dropped <name> <reason>`.
 */
import { readFileSync, writeSync } from 'node:fs'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

const { source, url, mode, eventCount } = JSON.parse(process.argv[2])
const load = (file) => import(`${source}/${file}.js`)
const { createNodeOutbox } = await load('capture/node/outbox')
const { createClock } = await load('platform/web/clock')
const { createMemoryEventLog } = await load('platform/memory/memory-event-log')
const { createMemoryKeyValue } = await load('platform/memory/memory-key-value')
const { nodeCompressor } = await load('platform/node/compressor')
const { openProcessLifecycle } = await load('platform/node/process-lifecycle')
const { createFetchSend } = await load('platform/web/fetch-send')
const { readBody } = await load('platform/web/read-body')

const print = (line) => writeSync(1, `${line}\n`)
const drop = (json, reason) => print(`dropped ${JSON.parse(json).event} ${reason}`)
const clock = createClock()

const outbox = createNodeOutbox(
  {
    url,
    apiKey: 'key',
    flushAt: 100,
    flushInterval: 60_000,
    maxBatchSize: 1_000,
    fetchRetryCount: 100,
    fetchRetryDelay: 3_000,
    requestTimeout: 10_000,
    disableCompression: false,
    historicalMigration: false,
    onSend() {},
  },
  {
    clock,
    log: createMemoryEventLog({ maxEvents: 250_000, maxBytes: 96 * 2 ** 20 }, drop),
    storage: createMemoryKeyValue(),
    send: createFetchSend({ clock, readBody }),
    compressor: nodeCompressor,
    process: openProcessLifecycle(),
    random: Math.random,
    logger: { warn: console.warn, debug: () => undefined },
    isOptedOut: () => false,
  },
  drop,
)

let count = 0
/** An event of about 350 characters, as the pipeline creates it. */
const createEvent = () => {
  const name = `e${count++}`
  const id = Math.random().toString(16).slice(2).padEnd(13, '0')
  return `{"uuid":"018f0000-0000-7000-${id}","event":"${name}","distinct_id":"user-${count % 1000}","timestamp":"2026-01-01T00:00:00.000Z","properties":{"amount":${count},"plan":"pro","path":"/invoices/${id}/paid","currency":"EUR","items":${count % 7},"distinct_id":"user-${count % 1000}","$lib":"waymark-node","$lib_version":"0.1.0","$is_server":true,"$geoip_disable":true}}`
}
const accept = (count) => {
  for (let remaining = count; remaining > 0; remaining--) outbox.accept(createEvent())
}

const start = performance.now()
process.on('exit', () => print(`end ${Math.round(performance.now() - start)}`))

const modes = {
  /** Captures events, and has no other work after that. */
  natural: () => accept(eventCount),
  /** Captures events and exits in the same event-loop turn. */
  exit() {
    accept(eventCount)
    process.exit()
  },
  /** Exits while a `sendNow` request is in flight. */
  async exitInFlight() {
    void outbox.sendNow(createEvent())
    await yieldToEventLoop()
    process.exit()
  },
  async shutdown() {
    accept(eventCount)
    await outbox.shutdown(1_000)
    print(`shut down ${Math.round(performance.now() - start)}`)
  },
  /** Captures all events in one task and delivers them; prints the peak memory of this process in MB. */
  async flood() {
    accept(eventCount)
    await outbox.flush()
    // Not `resourceUsage().maxRSS`, which on Linux includes the memory of the process that started this one.
    print(Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1_024)
  },
}
await modes[mode]()
