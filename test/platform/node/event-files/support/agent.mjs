/**
 * An agent in a process or a thread of its own: writes events into a log and delivers them to a file.
 *
 * It notes the name of each event in `<notes>/confirmed-<id>` once the turn has ended in which it was appended, and in
 * `<notes>/delivered-<id>` when it has been taken for delivery.
 */
import { randomBytes } from 'node:crypto'
import { openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as endOfTurn, setTimeout as wait } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'

const { module, directory, notes, id, mode, events = 0, seed } = workerData ?? JSON.parse(process.argv[2])
const { openEventFiles } = await import(module)
const { browserClock } = await import(module.replace('node/event-files/event-files', 'browser/clock'))

const noteFile = (name) => openSync(join(notes, `${name}-${id}`), 'a')
const confirmed = noteFile('confirmed')
const delivered = noteFile('delivered')
const dropped = noteFile('dropped')
const note = (file, names) => names.length && writeSync(file, `${names.join('\n')}\n`)
const nameOf = (json) => JSON.parse(json).event

const log = openEventFiles({
  directory,
  project: 'http://localhost key',
  bounds: { maxEvents: Infinity, maxLength: 2 ** 30 },
  memoryBounds: { maxEvents: 100_000, maxLength: 2 ** 26 },
  clock: browserClock(),
  random: randomBytes,
  onDrop: (json) => note(dropped, [nameOf(json)]),
  onFound: () => {},
  warn: (message) => process.stderr.write(`${message}\n`),
})

let count = 0
const append = (many) => {
  const names = Array.from({ length: many }, () => `${id}:${count++}`)
  for (const event of names) log.append(JSON.stringify({ event, text: 'x'.repeat(event.length * 20) }))
  return names
}

const deliver = async (most) => {
  const run = await log.take(most, 2 ** 20)
  if (run) note(delivered, run.events.map(nameOf))
  run?.remove()
  return !!run
}

let state = seed
/** Steele's and Vigna's splitmix32: what an agent does can be had again, though not when. */
const random = (below) => {
  state = (state + 0x9e3779b9) | 0
  let z = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
  z = Math.imul(z ^ (z >>> 15), 0x735a2d97)
  return ((z ^ (z >>> 15)) >>> 0) % below
}

const modes = {
  /** Dies as soon as it may be expected that the events are kept. */
  async kill() {
    const names = append(events)
    await endOfTurn()
    note(confirmed, names)
    process.kill(process.pid, 'SIGKILL')
  },
  /** Ends within the turn of the capture. */
  async exit() {
    process.once('exit', () => log.writeNow())
    note(confirmed, append(events))
    process.exit()
  },
  /** Writes and delivers at once, and ends in order. */
  async work() {
    for (let left = events; left > 0;) {
      const names = append(Math.min(left, 1 + random(9)))
      left -= names.length
      await endOfTurn()
      note(confirmed, names)
      if (random(3) === 0) await deliver(1 + random(20))
      if (random(5) === 0) await wait(1)
    }
    while (await deliver(1 + random(50)));
    if (log.close().length) throw new Error('not all was written')
  },
  /** Writes and delivers until it is killed. */
  async run() {
    for (;;) {
      const names = append(random(4))
      await endOfTurn()
      note(confirmed, names)
      if (random(3) === 0) await deliver(1 + random(20))
      await wait(random(2))
      if (count > 10) process.send('at work')
    }
  },
  /** Writes as fast as it can, and delivers nothing, until it is killed. */
  async write() {
    for (;;) {
      const names = append(1 + random(4))
      await endOfTurn()
      note(confirmed, names)
      if (count % 50 === 0) await wait(1)
    }
  },
  /** Writes on demand. */
  async obey() {
    await log.take(1, 1)
    process.on('message', (many) => {
      const names = append(many)
      setImmediate(() => {
        note(confirmed, names)
        process.send(names)
      })
    })
    process.send([])
  },
  /** Makes its events safe, and says so. */
  async settle() {
    append(events)
    await log.settled()
    writeSync(1, 'settled\n')
  },
}
await modes[mode]()
