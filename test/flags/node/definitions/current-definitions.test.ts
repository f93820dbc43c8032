import { describe, expect, it } from 'vitest'
import { createCurrentDefinitions } from '../../../../src/flags/node/definitions/current-definitions.ts'
import type { ReceivedDefinitions } from '../../../../src/flags/node/definitions/classify-definitions-response.ts'
import type { Clock } from '../../../../src/port/clock.ts'
import { definitionsOf } from './loader-fixture.ts'

const createReceived = (json: string, ...keys: readonly string[]): ReceivedDefinitions => ({
  definitions: definitionsOf(...keys),
  json,
  etag: `"${json}"`,
})

/** A clock on which each flag takes a whole chunk to compile; `runTasks` runs the deferred tasks. */
const slowClock = () => {
  let now = 0
  let tasks: (() => void)[] = []
  const clock: Clock = { now: () => (now += 10), after: () => () => {}, defer: (task) => tasks.push(task) }
  const runTasks = async (): Promise<void> => {
    const due = tasks
    tasks = []
    for (const task of due) task()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { clock, runTasks, waiting: () => tasks.length }
}

describe('current definitions', () => {
  it('are compiled in chunks and yield to the event loop in between', async () => {
    const { clock, runTasks, waiting } = slowClock()
    let uses = 0
    const inUse = createCurrentDefinitions(clock, () => uses++)
    const done = inUse.use(createReceived('1', 'a', 'b', 'c'))
    expect(inUse.current()).toBeUndefined()
    let chunks = 0
    for (; waiting(); chunks++) await runTasks()
    await done
    expect(chunks).toBe(3)
    expect([...inUse.current()!.compiled.flags.keys()]).toEqual(['a', 'b', 'c'])
    expect(uses).toBe(1)
  })

  it('are the latest ones, even if older ones finish compiling later', async () => {
    const { clock, runTasks, waiting } = slowClock()
    const inUse = createCurrentDefinitions(clock, () => {})
    const old = inUse.use(createReceived('1', 'a', 'b', 'c', 'd'))
    const own = inUse.use(createReceived('2', 'z'))
    while (waiting()) await runTasks()
    await Promise.all([old, own])
    expect([...inUse.current()!.compiled.flags.keys()]).toEqual(['z'])
    expect(inUse.latest()).toEqual({ json: '2', etag: '"2"' })
  })

  it('stay cleared if they were cleared while compiling', async () => {
    const { clock, runTasks, waiting } = slowClock()
    const inUse = createCurrentDefinitions(clock, () => {})
    const done = inUse.use(createReceived('1', 'a'))
    inUse.clear()
    while (waiting()) await runTasks()
    await done
    expect([inUse.current(), inUse.latest()]).toEqual([undefined, undefined])
    const again = inUse.use(createReceived('1', 'a'))
    while (waiting()) await runTasks()
    await again
    expect(inUse.current()).toBeDefined()
  })

  it('are compiled once if they arrive twice while compiling', async () => {
    const { clock, runTasks, waiting } = slowClock()
    const inUse = createCurrentDefinitions(clock, () => {})
    const both = Promise.all([inUse.use(createReceived('1', 'a')), inUse.use(createReceived('1', 'a'))]).then(() =>
      inUse.current(),
    )
    expect(waiting()).toBe(1)
    while (waiting()) await runTasks()
    expect(await both).toBeDefined()
  })
})
