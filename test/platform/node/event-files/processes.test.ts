import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, renameSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { createTempFolder } from '../../../service/support/temp-folder.ts'
import { until } from '../../../support/until.ts'
import { AGENT, agents } from './support/agent-process.ts'
import type { AgentProcess, Agents } from './support/agent-process.ts'
import { DEAD_OWNER, drain, logsIn, openHarness, rootOf } from './support/log-harness.ts'

const TIMEOUT = 600_000

/** Duration of each race test. There is always another interleaving: run longer by hand. */
const RACES_MS = Number(process.env['WAYMARK_RACE_MS'] ?? 5_000)

/** The seed that a failed run prints repeats its choices. Their timing still depends on the machine. */
const SEED = Number(process.env['WAYMARK_RACE_SEED'] ?? Date.now() % 1e6)
const seeded = `WAYMARK_RACE_SEED=${SEED}`
let state = SEED
const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below

const nameOf = (json: string): string => (JSON.parse(json) as { event: string }).event

/** Names of the events that a further process finds. */
const leftBy = async ({ directory }: Agents): Promise<string[]> => {
  const { log } = await openHarness({ directory })
  const names = (await drain(log)).map(nameOf)
  log.close()
  return names
}

const sorted = (names: readonly string[]): string[] => [...names].sort()

/** Confirmed events that were never delivered. */
const missing = (run: Agents, left: readonly string[]): string[] => {
  const delivered = new Set([...run.delivered(), ...left])
  return run.confirmed().filter((name) => !delivered.has(name))
}

const canUnshare = spawnSync('unshare', ['-pf', '--mount-proc', 'true']).status === 0
const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0

describe('a process that ends', () => {
  it('leaves all events of the turns before a kill -9', { timeout: TIMEOUT }, async () => {
    const run = agents()
    expect(await run.start('kill', 1000).ended).toBe('SIGKILL')
    const left = await leftBy(run)
    expect(left).toEqual(run.confirmed())
    expect(left).toHaveLength(1000)
    expect(logsIn(run.directory)).toEqual([])
  })

  it('leaves all events when it calls process.exit() in their turn', { timeout: TIMEOUT }, async () => {
    const run = agents()
    expect(await run.start('exit', 1000).ended).toBe(0)
    const left = await leftBy(run)
    expect(left).toEqual(run.confirmed())
    expect(left).toHaveLength(1000)
  })

  it('leaves the events of a terminated worker, also to its own process', { timeout: TIMEOUT }, async () => {
    const run = agents()
    const worker = new Worker(AGENT, { workerData: run.options('write') })
    await until(run.confirmed, (names) => names.length > 100)
    expect(await leftBy(run)).toEqual([])
    await worker.terminate()
    const left = await leftBy(run)
    expect(missing(run, left)).toEqual([])
    expect(new Set(left).size).toBe(left.length)
  })
})

describe('processes that share a folder', () => {
  it('deliver each event once while all end cleanly', { timeout: TIMEOUT }, async () => {
    const run = agents()
    const started = Array.from({ length: 4 }, () => run.start('work', 400))
    expect(await Promise.all(started.map(({ ended }) => ended))).toEqual([0, 0, 0, 0])
    const left = await leftBy(run)
    expect(run.confirmed()).toHaveLength(1600)
    expect(sorted([...run.delivered(), ...left])).toEqual(sorted(run.confirmed()))
    expect(started.map(({ errors }) => errors()).join('')).toBe('')
    expect(logsIn(run.directory)).toEqual([])
  })

  it('lose nothing while they are killed and race for the logs', { timeout: TIMEOUT }, async () => {
    const run = agents(SEED)
    const end = performance.now() + RACES_MS
    let running: AgentProcess[] = []
    let kills = 0
    while (performance.now() < end || kills < 10) {
      while (running.length < 4) running.push(run.start('run'))
      // Kills two at once, so that the others and the next ones race for both logs; some die during their start.
      const dying = running.splice(0, 2)
      if (random(4)) await Promise.all(dying.map(({ child }) => once(child, 'message')))
      await wait(random(100))
      for (const { child } of dying) child.kill('SIGKILL')
      await Promise.all(dying.map(({ ended }) => ended))
      kills += dying.length
    }
    for (const { child } of running) child.kill('SIGKILL')
    await Promise.all(running.map(({ ended }) => ended))
    running = []
    const left = await leftBy(run)
    expect(run.confirmed().length).toBeGreaterThan(100)
    expect(missing(run, left), seeded).toEqual([])
    expect(run.dropped()).toEqual([])
    expect(logsIn(run.directory)).toEqual([])
  })

  it('take over each log of a dead owner only once', { timeout: TIMEOUT }, async () => {
    for (let round = 0; round < 2; round++) {
      const run = agents()
      await Promise.all(Array.from({ length: 3 }, () => run.start('kill', 100).ended))
      await Promise.all(Array.from({ length: 4 }, () => run.start('work', 0).ended))
      const left = await leftBy(run)
      expect(sorted([...run.delivered(), ...left])).toEqual(sorted(run.confirmed()))
      expect(run.confirmed()).toHaveLength(300)
    }
  })

  it('lose nothing of an owner that is declared dead while it writes', { timeout: TIMEOUT }, async () => {
    const run = agents()
    const writers = [run.start('write'), run.start('write')]
    const left: string[] = []
    let takeOvers = 0
    for (const end = performance.now() + RACES_MS; performance.now() < end || takeOvers < 20;) {
      await wait(random(20))
      for (const name of logsIn(run.directory)) {
        const root = rootOf(run.directory)
        renameSync(join(root, name), join(root, name.replace(/~.*/, `~${DEAD_OWNER}`)))
        takeOvers++
      }
      // Reads each log to its end at once, like a process that believes its writer is dead.
      const { log } = await openHarness({ directory: run.directory })
      for (const json of await drain(log)) left.push(nameOf(json))
      log.close()
    }
    for (const { child } of writers) child.kill('SIGKILL')
    await Promise.all(writers.map(({ ended }) => ended))
    for (const name of await leftBy(run)) left.push(name)
    expect(run.confirmed().length).toBeGreaterThan(1000)
    expect(missing(run, left), seeded).toEqual([])
  })
})

describe('a process that is stopped (SIGSTOP)', () => {
  it('keeps its log, and continues where it was', { timeout: TIMEOUT }, async () => {
    const run = agents()
    const owner = run.start('obey')
    await once(owner.child, 'message')
    owner.child.send(10)
    await once(owner.child, 'message')
    owner.child.kill('SIGSTOP')
    // Its last heartbeat looks a day old.
    const root = rootOf(run.directory)
    for (const name of logsIn(run.directory)) utimesSync(join(root, name), Date.now() / 1000 - 86_400, 1)
    expect(await leftBy(run)).toEqual([])
    await run.start('work', 0).ended
    expect(run.delivered()).toEqual([])
    owner.child.kill('SIGCONT')
    owner.child.send(10)
    await once(owner.child, 'message')
    owner.child.kill('SIGKILL')
    await owner.ended
    expect(await leftBy(run)).toEqual(run.confirmed())
    expect(run.confirmed()).toHaveLength(20)
  })

  it.skipIf(!canUnshare)(
    'loses nothing when it continues in its container after a take-over from outside',
    { timeout: TIMEOUT },
    async () => {
      const run = agents()
      const options = run.options('obey')
      const shell = spawn(
        'unshare',
        ['-pf', '--mount-proc', '--kill-child', process.execPath, AGENT, JSON.stringify(options)],
        {
          stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
        },
      )
      await once(shell, 'message')
      shell.send(10)
      await once(shell, 'message')
      const inside = Number(readFileSync(`/proc/${shell.pid}/task/${shell.pid}/children`, 'utf8'))
      process.kill(inside, 'SIGSTOP')
      expect(await leftBy(run)).toEqual([])
      const root = rootOf(run.directory)
      for (const name of logsIn(run.directory)) utimesSync(join(root, name), 1, 1)
      const left = await leftBy(run)
      expect(left).toEqual(run.confirmed())
      process.kill(inside, 'SIGCONT')
      shell.send(10)
      await once(shell, 'message')
      process.kill(inside, 'SIGKILL')
      await once(shell, 'exit')
      for (const name of logsIn(run.directory)) utimesSync(join(root, name), 1, 1)
      expect([...left, ...(await leftBy(run))]).toEqual(run.confirmed())
      expect(run.confirmed()).toHaveLength(20)
    },
  )
})

it.skipIf(!canTrace)('whenDurable() resolves after files and folders are synced', { timeout: TIMEOUT }, async () => {
  const run = agents()
  const trace = join(createTempFolder(), 'trace')
  const { stdout } = spawnSync(
    'strace',
    [
      '-f',
      '-y',
      '-o',
      trace,
      '-e',
      'trace=write,fsync,fdatasync',
      process.execPath,
      AGENT,
      JSON.stringify(run.options('sync', 3)),
    ],
    { encoding: 'utf8' },
  )
  expect(stdout).toBe('synced\n')
  const calls = readFileSync(trace, 'utf8').split('\n')
  const at = (call: RegExp): number => calls.findIndex((line) => call.test(line))
  const written = at(/ write\(\d+<.*00000000\.jsonl>/)
  const printed = at(/ write\(1<.*"synced/)
  for (const call of [
    / fdatasync\(\d+<.*00000000\.jsonl>/,
    / fsync\(\d+<.*~k[^/]*>/,
    / fsync\(\d+<.*waymark-[0-9a-f]{16}>/,
  ]) {
    const synced = at(call)
    expect(synced).toBeGreaterThan(written)
    expect(synced).toBeLessThan(printed)
  }
})
