import { expect, test } from 'vitest'
import { compile, compileSteps } from '../../../../src/evaluate/compile.ts'
import { workInChunks } from '../../../../src/service/work-in-chunks.ts'

const properties = Array.from({ length: 200 }, (_, n) => ({
  key: `p${n}`,
  value: [`a${n}`, `b${n}`],
  operator: 'exact',
}))
const definitions = {
  flags: Array.from({ length: 500 }, (_, id) => ({
    id,
    key: `f${id}`,
    active: true,
    filters: { groups: [{ properties }] },
  })),
}

test('yields to the event loop and returns the same result as compile()', async () => {
  let turns = 0
  let isDone = false
  const countTurns = (): void => {
    turns++
    if (!isDone) setImmediate(countTurns)
  }
  setImmediate(countTurns)
  const compiled = await workInChunks(compileSteps(definitions))
  isDone = true
  expect(turns).toBeGreaterThan(1)
  const { flags, personKeys, chains } = compile(definitions)
  expect([...compiled.flags.keys()]).toEqual([...flags.keys()])
  expect([compiled.personKeys, compiled.chains]).toEqual([personKeys, chains])
})

test('compiles a small set of flags', async () => {
  const [flag] = definitions.flags
  expect([...(await workInChunks(compileSteps({ flags: [flag!] }))).flags.keys()]).toEqual(['f0'])
})
