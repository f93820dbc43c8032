import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { DELIVERY_CONTRACT } from '../../src/entry/delivery-contract.ts'
import { readContract } from '../config/read-contract.mjs'

// A change of the file breaks the pages that have the script in their cache, if script or chunk use what has changed. Then it needs a new number.
it('the script and the chunk of its delivery have the members of their contract, and no other', async () => {
  const { members } = readContract('src/entry/delivery-chunk.ts')
  await expect(`${members.join('\n')}\n`).toMatchFileSnapshot(`delivery-contract-${DELIVERY_CONTRACT}.txt`)
})

it('the build has a chunk of this contract', () => {
  expect(existsSync(`dist/waymark-delivery-${DELIVERY_CONTRACT}.js`)).toBe(true)
})
