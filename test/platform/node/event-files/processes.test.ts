import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, renameSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../service/support/temp-folder.ts'
import { until } from '../../../support/until.ts'
import { AGENT, agents } from './support/agent-process.ts'
import type { AgentProcess, Agents } from './support/agent-process.ts'
import { DEAD_OWNER, drain, logsIn, openHarness, rootOf } from './support/log-harness.ts'

const TIMEOUT = 600_000

/** Rounds of races go on so long, for there is always one more interleaving; longer by hand. */
const RACES_MS = Number(process.env['WAYMARK_RACE_MS'] ?? 5_000)

/** Set it to what a failed run said, and the same choices are made. When what happens is up to the machine. */
const SEED = Number(process.env['WAYMARK_RACE_SEED'] ?? Date.now() % 1e6)
const seeded = `WAYMARK_RACE_SEED=${SEED}`
let state = SEED
const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below

const nameOf = (json: string): string => (JSON.parse(json) as { event: string }).event

/** What a further process finds when all others have ended. */
const leftBy = async ({ directory }: Agents): Promise<string[]> => {
  const { log } = await openHarness({ directory })
  const names = (await drain(log)).map(nameOf)
  log.close()
  return names
}

const sorted = (names: readonly string[]): string[] => [...names].sort()

/** What was confirmed and never delivered. */
const missing = (run: Agents, left: readonly string[]): string[] => {
  const delivered = new Set([...run.delivered(), ...left])
  return run.confirmed().filter((name) => !delivered.has(name))
}

const mayUnshare = spawnSync('unshare', ['-pf', '--mount-proc', 'true']).status === 0
const mayTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0

describe('a process that ends', () => {
  it('leaves all events of a turn that was over when it was killed (kill -9)', { timeout: TIMEOUT }, async () => {
    const run = agents()
    expect(await run.start('kill', 1000).ended).toBe('SIGKILL')
    const left = await leftBy(run)
    expect(left).toEqual(run.confirmed())
    expect(left).toHaveLength(1000)
    expect(logsIn(run.directory)).toEqual([])
  })

  it('leaves all events when it calls process.exit in the turn of their capture', { timeout: TIMEOUT }, async () => {
    const run = agents()
    expect(await run.start('exit', 1000).ended).toBe(0)
    const left = await leftBy(run)
    expect(left).toEqual(run.confirmed())
    expect(left).toHaveLength(1000)
  })

  it('leaves what a worker thread wrote that was ended, to its own process too', { timeout: TIMEOUT }, async () => {
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
  it('deliver each event, and none twice, while all end in order', { timeout: TIMEOUT }, async () => {
    const run = agents()
    const started = Array.from({ length: 4 }, () => run.start('work', 400))
    expect(await Promise.all(started.map(({ ended }) => ended))).toEqual([0, 0, 0, 0])
    const left = await leftBy(run)
    expect(run.confirmed()).toHaveLength(1600)
    expect(sorted([...run.delivered(), ...left])).toEqual(sorted(run.confirmed()))
    expect(started.map(({ errors }) => errors()).join('')).toBe('')
    expect(logsIn(run.directory)).toEqual([])
  })

  it('lose nothing while they are killed, and race for what is left', { timeout: TIMEOUT }, async () => {
    const run = agents(SEED)
    const end = performance.now() + RACES_MS
    let running: AgentProcess[] = []
    let kills = 0
    while (performance.now() < end || kills < 10) {
      while (running.length < 4) running.push(run.start('run'))
      // Two at once, so that the others and the next ones race for both; now and then they have hardly begun.
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

  it('let one of many take a dead one over, and none of them twice', { timeout: TIMEOUT }, async () => {
    for (let round = 0; round < 2; round++) {
      const run = agents()
      await Promise.all(Array.from({ length: 3 }, () => run.start('kill', 100).ended))
      await Promise.all(Array.from({ length: 4 }, () => run.start('work', 0).ended))
      const left = await leftBy(run)
      expect(sorted([...run.delivered(), ...left])).toEqual(sorted(run.confirmed()))
      expect(run.confirmed()).toHaveLength(300)
    }
  })

  it('lose nothing of one that is taken for dead while it writes', { timeout: TIMEOUT }, async () => {
    const run = agents()
    const writers = [run.start('write'), run.start('write')]
    const left: string[] = []
    let robberies = 0
    for (const end = performance.now() + RACES_MS; performance.now() < end || robberies < 20;) {
      await wait(random(20))
      for (const name of logsIn(run.directory)) {
        const root = rootOf(run.directory)
        renameSync(join(root, name), join(root, name.replace(/~.*/, `~${DEAD_OWNER}`)))
        robberies++
      }
      // Reads each to its end, at once, as somebody would who believes that its writer is dead.
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
  it('keeps its log however long, and goes on where it was', { timeout: TIMEOUT }, async () => {
    const run = agents()
    const owner = run.start('obey')
    await once(owner.child, 'message')
    owner.child.send(10)
    await once(owner.child, 'message')
    owner.child.kill('SIGSTOP')
    // Its folder looks as if it had not moved for a day.
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

  it.skipIf(!mayUnshare)(
    'loses nothing when it wakes up in its container after its log was taken over from another one',
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

it.skipIf(!mayTrace)(
  'says that events are safe after the disk has them, and their folders their names',
  { timeout: TIMEOUT },
  async () => {
    const run = agents()
    const trace = join(tempFolder(), 'trace')
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
        JSON.stringify(run.options('settle', 3)),
      ],
      { encoding: 'utf8' },
    )
    expect(stdout).toBe('settled\n')
    const calls = readFileSync(trace, 'utf8').split('\n')
    const at = (call: RegExp): number => calls.findIndex((line) => call.test(line))
    const written = at(/ write\(\d+<.*00000000\.jsonl>/)
    const said = at(/ write\(1<.*"settled/)
    for (const call of [
      / fdatasync\(\d+<.*00000000\.jsonl>/,
      / fsync\(\d+<.*~k[^/]*>/,
      / fsync\(\d+<.*waymark-[0-9a-f]{16}>/,
    ]) {
      const synced = at(call)
      expect(synced).toBeGreaterThan(written)
      expect(synced).toBeLessThan(said)
    }
  },
)
