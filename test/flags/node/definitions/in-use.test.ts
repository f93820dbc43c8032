import { describe, expect, it } from 'vitest'
import { createDefinitionsInUse } from '../../../../src/flags/node/definitions/in-use.ts'
import type { FoundDefinitions } from '../../../../src/flags/node/definitions/judge.ts'
import type { Clock } from '../../../../src/port/clock.ts'
import { feedOf } from './loader-bed.ts'

const foundOf = (text: string, ...keys: readonly string[]): FoundDefinitions => ({
  definitions: feedOf(...keys),
  text,
  etag: `"${text}"`,
})

/** A clock on which each flag takes a whole turn to compile; `turn` runs the tasks that wait for the next one. */
const slowClock = () => {
  let now = 0
  let tasks: (() => void)[] = []
  const clock: Clock = { now: () => (now += 10), after: () => () => {}, defer: (task) => tasks.push(task) }
  const turn = async (): Promise<void> => {
    const due = tasks
    tasks = []
    for (const task of due) task()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { clock, turn, waiting: () => tasks.length }
}

describe('definitions in use', () => {
  it('are compiled in turns: the process does other work after each few milliseconds', async () => {
    const { clock, turn, waiting } = slowClock()
    let uses = 0
    const inUse = createDefinitionsInUse(clock, () => uses++)
    const done = inUse.use(foundOf('1', 'a', 'b', 'c'))
    expect(inUse.current()).toBeUndefined()
    let turns = 0
    for (; waiting(); turns++) await turn()
    await done
    expect(turns).toBe(3)
    expect([...inUse.current()!.set.flags.keys()]).toEqual(['a', 'b', 'c'])
    expect(uses).toBe(1)
  })

  it('are the newest, though older ones are compiled later', async () => {
    const { clock, turn, waiting } = slowClock()
    const inUse = createDefinitionsInUse(clock, () => {})
    const old = inUse.use(foundOf('1', 'a', 'b', 'c', 'd'))
    const own = inUse.use(foundOf('2', 'z'))
    while (waiting()) await turn()
    await Promise.all([old, own])
    expect([...inUse.current()!.set.flags.keys()]).toEqual(['z'])
    expect(inUse.newest()).toEqual({ text: '2', etag: '"2"' })
  })

  it('that are cleared while they are compiled do not come back', async () => {
    const { clock, turn, waiting } = slowClock()
    const inUse = createDefinitionsInUse(clock, () => {})
    const done = inUse.use(foundOf('1', 'a'))
    inUse.clear()
    while (waiting()) await turn()
    await done
    expect([inUse.current(), inUse.newest()]).toEqual([undefined, undefined])
    const again = inUse.use(foundOf('1', 'a'))
    while (waiting()) await turn()
    await again
    expect(inUse.current()).toBeDefined()
  })

  it('given twice while they are compiled are compiled once, and both wait for it', async () => {
    const { clock, turn, waiting } = slowClock()
    const inUse = createDefinitionsInUse(clock, () => {})
    const both = Promise.all([inUse.use(foundOf('1', 'a')), inUse.use(foundOf('1', 'a'))]).then(() => inUse.current())
    expect(waiting()).toBe(1)
    while (waiting()) await turn()
    expect(await both).toBeDefined()
  })
})
