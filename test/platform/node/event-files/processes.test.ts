import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, renameSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { createTempFolder } from '../../../service/support/temp-folder.ts'
import { until } from '../../../support/until.ts'
import { AGENT, createAgentGroup } from './support/agent-process.ts'
import type { AgentProcess, AgentGroup } from './support/agent-process.ts'
import { DEAD_OWNER, drain, logsIn, openHarness, rootOf } from './support/log-harness.ts'

const TIMEOUT = 600_000

/** Duration of each race test. A longer run by hand tests more interleavings. */
const RACES_MS = Number(process.env['WAYMARK_RACE_MS'] ?? 5_000)

/** A failed run prints its seed. The seed repeats the random choices, but not their timing. */
const SEED = Number(process.env['WAYMARK_RACE_SEED'] ?? Date.now() % 1e6)
const SEED_HINT = `WAYMARK_RACE_SEED=${SEED}`
let state = SEED
/** Returns an integer from 0 to below `limit` (Park and Miller's generator). */
const random = (limit: number): number => (state = (state * 48_271) % 2_147_483_647) % limit

const nameOf = (json: string): string => (JSON.parse(json) as { event: string }).event

/** Opens the logs like a further process, and returns the names of all events that it delivers. */
const drainRemaining = async ({ directory }: AgentGroup): Promise<string[]> => {
  const { log } = await openHarness({ directory })
  const names = (await drain(log)).map(nameOf)
  log.close()
  return names
}

const sorted = (names: readonly string[]): string[] => [...names].sort()

/** Finds confirmed events that were never delivered. */
const findLostEvents = (group: AgentGroup, remainingNames: readonly string[]): string[] => {
  const delivered = new Set([...group.delivered(), ...remainingNames])
  return group.confirmed().filter((name) => !delivered.has(name))
}

const canUnshare = spawnSync('unshare', ['-pf', '--mount-proc', 'true']).status === 0
const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0

describe('a process that ends', () => {
  it('leaves all events of the turns before a kill -9', { timeout: TIMEOUT }, async () => {
    const group = createAgentGroup()
    expect(await group.start('kill', 1000).ended).toBe('SIGKILL')
    const remainingNames = await drainRemaining(group)
    expect(remainingNames).toEqual(group.confirmed())
    expect(remainingNames).toHaveLength(1000)
    expect(logsIn(group.directory)).toEqual([])
  })

  it('leaves all events when it calls process.exit() in their turn', { timeout: TIMEOUT }, async () => {
    const group = createAgentGroup()
    expect(await group.start('exit', 1000).ended).toBe(0)
    const remainingNames = await drainRemaining(group)
    expect(remainingNames).toEqual(group.confirmed())
    expect(remainingNames).toHaveLength(1000)
  })

  it('leaves the events of a terminated worker, also to its own process', { timeout: TIMEOUT }, async () => {
    const group = createAgentGroup()
    const worker = new Worker(AGENT, { workerData: group.options('write') })
    await until(group.confirmed, (names) => names.length > 100)
    expect(await drainRemaining(group)).toEqual([])
    await worker.terminate()
    const remainingNames: string[] = []
    // The kernel may list the thread for a moment more, and its owner is alive that long.
    await expect
      .poll(async () => {
        remainingNames.push(...(await drainRemaining(group)))
        return findLostEvents(group, remainingNames)
      })
      .toEqual([])
    expect(new Set(remainingNames).size).toBe(remainingNames.length)
  })
})

describe('processes that share a folder', () => {
  it('deliver each event once while all end cleanly', { timeout: TIMEOUT }, async () => {
    const group = createAgentGroup()
    const started = Array.from({ length: 4 }, () => group.start('work', 400))
    expect(await Promise.all(started.map(({ ended }) => ended))).toEqual([0, 0, 0, 0])
    const remainingNames = await drainRemaining(group)
    expect(group.confirmed()).toHaveLength(1600)
    expect(sorted([...group.delivered(), ...remainingNames])).toEqual(sorted(group.confirmed()))
    expect(started.map(({ errors }) => errors()).join('')).toBe('')
    expect(logsIn(group.directory)).toEqual([])
  })

  it('lose nothing while they are killed and race for the logs', { timeout: TIMEOUT }, async () => {
    const group = createAgentGroup(SEED)
    const end = performance.now() + RACES_MS
    let running: AgentProcess[] = []
    let killCount = 0
    while (performance.now() < end || killCount < 10 || group.confirmed().length <= 100) {
      while (running.length < 4) running.push(group.start('run'))
      // Kills two processes at once, so that the other two and their successors race for both logs. Some die while they start.
      const dying = running.splice(0, 2)
      if (random(4)) await Promise.all(dying.map(({ child }) => once(child, 'message')))
      await wait(random(100))
      for (const { child } of dying) child.kill('SIGKILL')
      await Promise.all(dying.map(({ ended }) => ended))
      killCount += dying.length
    }
    for (const { child } of running) child.kill('SIGKILL')
    await Promise.all(running.map(({ ended }) => ended))
    running = []
    const remainingNames = await drainRemaining(group)
    expect(group.confirmed().length).toBeGreaterThan(100)
    expect(findLostEvents(group, remainingNames), SEED_HINT).toEqual([])
    expect(group.dropped()).toEqual([])
    expect(logsIn(group.directory)).toEqual([])
  })

  it('take over each log of a dead owner only once', { timeout: TIMEOUT }, async () => {
    for (let round = 0; round < 2; round++) {
      const group = createAgentGroup()
      await Promise.all(Array.from({ length: 3 }, () => group.start('kill', 100).ended))
      await Promise.all(Array.from({ length: 4 }, () => group.start('work', 0).ended))
      const remainingNames = await drainRemaining(group)
      expect(sorted([...group.delivered(), ...remainingNames])).toEqual(sorted(group.confirmed()))
      expect(group.confirmed()).toHaveLength(300)
    }
  })

  it('lose nothing of an owner that is declared dead while it writes', { timeout: TIMEOUT }, async () => {
    const group = createAgentGroup()
    const writers = [group.start('write'), group.start('write')]
    const remainingNames: string[] = []
    let takeOverCount = 0
    const end = performance.now() + RACES_MS
    while (performance.now() < end || takeOverCount < 20 || group.confirmed().length <= 1000) {
      await wait(random(20))
      for (const name of logsIn(group.directory)) {
        const root = rootOf(group.directory)
        renameSync(join(root, name), join(root, name.replace(/~.*/, `~${DEAD_OWNER}`)))
        takeOverCount++
      }
      // Reads each log to its end at once, like a process for which the writer is dead.
      const { log } = await openHarness({ directory: group.directory })
      for (const json of await drain(log)) remainingNames.push(nameOf(json))
      log.close()
    }
    for (const { child } of writers) child.kill('SIGKILL')
    await Promise.all(writers.map(({ ended }) => ended))
    for (const name of await drainRemaining(group)) remainingNames.push(name)
    expect(group.confirmed().length).toBeGreaterThan(1000)
    expect(findLostEvents(group, remainingNames), SEED_HINT).toEqual([])
  })
})

describe('a process that is stopped (SIGSTOP)', () => {
  it('keeps its log, and continues where it was', { timeout: TIMEOUT }, async () => {
    const group = createAgentGroup()
    const owner = group.start('obey')
    await once(owner.child, 'message')
    owner.child.send(10)
    await once(owner.child, 'message')
    owner.child.kill('SIGSTOP')
    // Makes its last heartbeat look a day old.
    const root = rootOf(group.directory)
    for (const name of logsIn(group.directory)) utimesSync(join(root, name), Date.now() / 1000 - 86_400, 1)
    expect(await drainRemaining(group)).toEqual([])
    await group.start('work', 0).ended
    expect(group.delivered()).toEqual([])
    owner.child.kill('SIGCONT')
    owner.child.send(10)
    await once(owner.child, 'message')
    owner.child.kill('SIGKILL')
    await owner.ended
    expect(await drainRemaining(group)).toEqual(group.confirmed())
    expect(group.confirmed()).toHaveLength(20)
  })

  it.skipIf(!canUnshare)(
    'loses nothing when it continues in its container after a take-over from outside',
    { timeout: TIMEOUT },
    async () => {
      const group = createAgentGroup()
      const options = group.options('obey')
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
      const containedPid = Number(readFileSync(`/proc/${shell.pid}/task/${shell.pid}/children`, 'utf8'))
      process.kill(containedPid, 'SIGSTOP')
      expect(await drainRemaining(group)).toEqual([])
      const root = rootOf(group.directory)
      for (const name of logsIn(group.directory)) utimesSync(join(root, name), 1, 1)
      const remainingNames = await drainRemaining(group)
      expect(remainingNames).toEqual(group.confirmed())
      process.kill(containedPid, 'SIGCONT')
      shell.send(10)
      await once(shell, 'message')
      process.kill(containedPid, 'SIGKILL')
      await once(shell, 'exit')
      for (const name of logsIn(group.directory)) utimesSync(join(root, name), 1, 1)
      expect([...remainingNames, ...(await drainRemaining(group))]).toEqual(group.confirmed())
      expect(group.confirmed()).toHaveLength(20)
    },
  )
})

it.skipIf(!canTrace)('whenDurable() resolves after files and folders are synced', { timeout: TIMEOUT }, async () => {
  const group = createAgentGroup()
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
      JSON.stringify(group.options('sync', 3)),
    ],
    { encoding: 'utf8' },
  )
  expect(stdout).toBe('synced\n')
  const calls = readFileSync(trace, 'utf8').split('\n')
  const findCall = (call: RegExp): number => calls.findIndex((line) => call.test(line))
  const writeIndex = findCall(/ write\(\d+<.*00000000\.jsonl>/)
  const printIndex = findCall(/ write\(1<.*"synced/)
  for (const call of [
    / fdatasync\(\d+<.*00000000\.jsonl>/,
    / fsync\(\d+<.*~k[^/]*>/,
    / fsync\(\d+<.*waymark-[0-9a-f]{16}>/,
  ]) {
    const syncIndex = findCall(call)
    expect(syncIndex).toBeGreaterThan(writeIndex)
    expect(syncIndex).toBeLessThan(printIndex)
  }
})
