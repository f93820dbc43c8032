/**
 * An agent in its own process or thread: appends events to a log and delivers them to a file.
 *
 * It records the name of each event in `<records>/confirmed-<id>` when the turn of its append has ended, and in
 * `<records>/delivered-<id>` when the event was read for delivery.
 */
import { randomBytes } from 'node:crypto'
import { openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as endOfTurn, setTimeout as wait } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'

const { module, directory, records, id, mode, events = 0, seed } = workerData ?? JSON.parse(process.argv[2])
const { openEventFiles } = await import(module)
const { createClock } = await import(module.replace('node/event-files/event-files', 'web/clock'))

const openRecords = (name) => openSync(join(records, `${name}-${id}`), 'a')
const confirmed = openRecords('confirmed')
const delivered = openRecords('delivered')
const dropped = openRecords('dropped')
const record = (file, names) => names.length && writeSync(file, `${names.join('\n')}\n`)
const nameOf = (json) => JSON.parse(json).event

const log = openEventFiles({
  directory,
  project: 'http://localhost key',
  limits: { maxEvents: Infinity, maxBytes: 2 ** 30 },
  memoryLimits: { maxEvents: 100_000, maxBytes: 2 ** 26 },
  clock: createClock(),
  random: randomBytes,
  onDrop: (json) => record(dropped, [nameOf(json)]),
  onTakeOver: () => {},
  warn: (message) => process.stderr.write(`${message}\n`),
})

let count = 0
const append = (length) => {
  const names = Array.from({ length }, () => `${id}:${count++}`)
  for (const event of names) log.append(JSON.stringify({ event, text: 'x'.repeat(event.length * 20) }))
  return names
}

const deliver = async (maxEvents) => {
  const batch = await log.readOldest(maxEvents, 2 ** 20)
  if (batch) record(delivered, batch.events.map(nameOf))
  batch?.remove()
  return !!batch
}

let state = seed
/** Steele's and Vigna's splitmix32. A seed repeats an agent's choices, but not their timing. */
const random = (limit) => {
  state = (state + 0x9e3779b9) | 0
  let z = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
  z = Math.imul(z ^ (z >>> 15), 0x735a2d97)
  return ((z ^ (z >>> 15)) >>> 0) % limit
}

const modes = {
  /** Dies as soon as the events must be durable. */
  async kill() {
    const names = append(events)
    await endOfTurn()
    record(confirmed, names)
    process.kill(process.pid, 'SIGKILL')
  },
  /** Exits in the turn of the capture. */
  async exit() {
    process.once('exit', () => log.writeSync())
    record(confirmed, append(events))
    process.exit()
  },
  /** Writes and delivers, and ends cleanly. */
  async work() {
    for (let remaining = events; remaining > 0;) {
      const names = append(Math.min(remaining, 1 + random(9)))
      remaining -= names.length
      await endOfTurn()
      record(confirmed, names)
      if (random(3) === 0) await deliver(1 + random(20))
      if (random(5) === 0) await wait(1)
    }
    while (await deliver(1 + random(50)));
    if (log.close().length) throw new Error('close() returned unwritten events')
  },
  /** Writes and delivers until it is killed. */
  async run() {
    for (;;) {
      const names = append(random(4))
      await endOfTurn()
      record(confirmed, names)
      if (random(3) === 0) await deliver(1 + random(20))
      await wait(random(2))
      if (count > 10) process.send('running')
    }
  },
  /** Writes as fast as possible without delivery, until it is killed. */
  async write() {
    for (;;) {
      const names = append(1 + random(4))
      await endOfTurn()
      record(confirmed, names)
      if (count % 50 === 0) await wait(1)
    }
  },
  /** Writes on demand. */
  async obey() {
    await log.readOldest(1, 1)
    process.on('message', (length) => {
      const names = append(length)
      setImmediate(() => {
        record(confirmed, names)
        process.send(names)
      })
    })
    process.send([])
  },
  /** Syncs its events to the disk, and prints a line. */
  async sync() {
    append(events)
    await log.whenDurable()
    writeSync(1, 'synced\n')
  },
}
await modes[mode]()
