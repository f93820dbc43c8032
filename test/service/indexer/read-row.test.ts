import { expect, test } from 'vitest'
import { rowOptions } from '../support/row-options.ts'
import { createRowReader } from '../support/row-reader.ts'

const events = [
  { event: 'a', distinct_id: 'ada' },
  { event: 'b', distinct_id: 'ada' },
]

/** The uuids that a node gives to events without one, all in the same row of its inbox. */
const uuidsOf = (nodeId?: string): string[] => {
  const read = createRowReader({ ...rowOptions, ...(nodeId !== undefined && { nodeId }) })
  return read(events, { address: null }).map(({ event }) => event.uuid)
}

test('the only node gives events without a uuid the same ones as earlier releases', () => {
  expect(uuidsOf()).toEqual(['7d5fe9a6-9ed9-8f0a-ac0d-7e9c72baaf95', '0fc8e0ec-de91-86ce-9384-0d9efb8b6d2b'])
})

test('two nodes give events in rows of the same number different uuids, and each the same again', () => {
  const [a, b] = ['3f8c7f0e-0000-4000-8000-00000000000a', '3f8c7f0e-0000-4000-8000-00000000000b']
  expect(new Set([...uuidsOf(), ...uuidsOf(a), ...uuidsOf(b)]).size).toBe(6)
  expect(uuidsOf(a)).toEqual(uuidsOf(a))
})
