import { expect, test } from 'vitest'
import { compile } from '../../../../src/evaluate/compile.ts'
import { compileInSlices } from '../../../../src/service/flags/definitions/compile-in-chunks.ts'

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

test('lets others run while a large set is compiled, and comes to the same', async () => {
  let turns = 0
  let isDone = false
  const takeTurns = (): void => {
    turns++
    if (!isDone) setImmediate(takeTurns)
  }
  setImmediate(takeTurns)
  const compiled = await compileInSlices(definitions)
  isDone = true
  expect(turns).toBeGreaterThan(1)
  const { flags, personKeys, chains } = compile(definitions)
  expect([...compiled.flags.keys()]).toEqual([...flags.keys()])
  expect([compiled.personKeys, compiled.chains]).toEqual([personKeys, chains])
})

test('answers a small set as it is', async () => {
  const [flag] = definitions.flags
  expect([...(await compileInSlices({ flags: [flag!] })).flags.keys()]).toEqual(['f0'])
})
