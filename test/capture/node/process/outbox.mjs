/**
 * A server's outbox over a log in memory, in a process of its own.
 *
 * Speaks in lines on its standard output: `end <ms>`, how long after the first capture the process ended; `dropped <name> <reason>`.
 */
import { writeSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'

const { source, url, mode, events } = JSON.parse(process.argv[2])
const load = (file) => import(`${source}/${file}.js`)
const { createNodeOutbox } = await load('capture/node/outbox')
const { browserClock } = await load('platform/browser/clock')
const { createMemoryEventLog } = await load('platform/memory/memory-event-log')
const { memoryKeyValue } = await load('platform/memory/memory-key-value')
const { nodeCompressor } = await load('platform/node/compressor')
const { openNodeProcess } = await load('platform/node/process')
const { createFetchSend } = await load('platform/edge/fetch-send')

const say = (line) => writeSync(1, `${line}\n`)
const drop = (json, reason) => say(`dropped ${JSON.parse(json).event} ${reason}`)
const clock = browserClock()

const outbox = createNodeOutbox(
  {
    url,
    apiKey: 'key',
    flushAt: 100,
    flushInterval: 3_000,
    maxBatchSize: 1_000,
    fetchRetryCount: 3,
    fetchRetryDelay: 3_000,
    requestTimeout: 10_000,
    disableCompression: false,
    historicalMigration: false,
    onSend() {},
  },
  {
    clock,
    log: createMemoryEventLog({ maxEvents: 250_000, maxLength: 96 * 2 ** 20 }, drop),
    storage: memoryKeyValue(),
    send: createFetchSend({ clock }),
    compressor: nodeCompressor,
    process: openNodeProcess(),
    random: Math.random,
    logger: console,
    isOptedOut: () => false,
  },
  drop,
)

let count = 0
/** An event of about 350 characters, as the pipeline writes it. */
const event = () => {
  const name = `e${count++}`
  const id = Math.random().toString(16).slice(2).padEnd(13, '0')
  return `{"uuid":"018f0000-0000-7000-${id}","event":"${name}","distinct_id":"user-${count % 1000}","timestamp":"2026-01-01T00:00:00.000Z","properties":{"amount":${count},"plan":"pro","path":"/invoices/${id}/paid","currency":"EUR","items":${count % 7},"distinct_id":"user-${count % 1000}","$lib":"waymark-node","$lib_version":"0.1.0","$is_server":true,"$geoip_disable":true}}`
}
const accept = (many) => {
  for (let left = many; left > 0; left--) outbox.accept(event())
}

const start = performance.now()
process.on('exit', () => say(`end ${Math.round(performance.now() - start)}`))

const modes = {
  /** Captures, and has nothing else to do. */
  natural: () => accept(events),
  /** Captures, and ends in the same turn. */
  exit() {
    accept(events)
    process.exit()
  },
  /** Ends while an event is under way by itself. */
  async exitAlone() {
    void outbox.sendNow(event())
    await nextTurn()
    process.exit()
  },
  async shutdown() {
    accept(events)
    await outbox.shutdown(1_000)
    say('shut down')
  },
  /** All in one task, then delivered; tells the peak of this process's memory in MB. */
  async flood() {
    accept(events)
    await outbox.flush()
    say(process.resourceUsage().maxRSS / 1_024)
  },
}
await modes[mode]()
