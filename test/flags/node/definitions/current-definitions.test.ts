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
  return { clock, runTasks, pendingTasks: () => tasks.length }
}

describe('current definitions', () => {
  it('are compiled in chunks that yield to the event loop', async () => {
    const { clock, runTasks, pendingTasks } = slowClock()
    let uses = 0
    const definitions = createCurrentDefinitions(clock, () => uses++)
    const firstUse = definitions.use(createReceived('1', 'a', 'b', 'c'))
    expect(definitions.current()).toBeUndefined()
    let chunks = 0
    for (; pendingTasks(); chunks++) await runTasks()
    await firstUse
    expect(chunks).toBe(3)
    expect([...definitions.current()!.compiled.flags.keys()]).toEqual(['a', 'b', 'c'])
    expect(uses).toBe(1)
  })

  it('are the latest definitions, even if older ones finish compiling later', async () => {
    const { clock, runTasks, pendingTasks } = slowClock()
    const definitions = createCurrentDefinitions(clock, () => {})
    const oldUse = definitions.use(createReceived('1', 'a', 'b', 'c', 'd'))
    const newUse = definitions.use(createReceived('2', 'z'))
    while (pendingTasks()) await runTasks()
    await Promise.all([oldUse, newUse])
    expect([...definitions.current()!.compiled.flags.keys()]).toEqual(['z'])
    expect(definitions.latest()).toEqual({ json: '2', etag: '"2"' })
  })

  it('stay cleared if they were cleared while compiling', async () => {
    const { clock, runTasks, pendingTasks } = slowClock()
    const definitions = createCurrentDefinitions(clock, () => {})
    const firstUse = definitions.use(createReceived('1', 'a'))
    definitions.clear()
    while (pendingTasks()) await runTasks()
    await firstUse
    expect([definitions.current(), definitions.latest()]).toEqual([undefined, undefined])
    const secondUse = definitions.use(createReceived('1', 'a'))
    while (pendingTasks()) await runTasks()
    await secondUse
    expect(definitions.current()).toBeDefined()
  })

  it('are compiled once if they arrive twice while compiling', async () => {
    const { clock, runTasks, pendingTasks } = slowClock()
    const definitions = createCurrentDefinitions(clock, () => {})
    const both = Promise.all([
      definitions.use(createReceived('1', 'a')),
      definitions.use(createReceived('1', 'a')),
    ]).then(() => definitions.current())
    expect(pendingTasks()).toBe(1)
    while (pendingTasks()) await runTasks()
    expect(await both).toBeDefined()
  })
})
