import { expect, onTestFinished, test } from 'vitest'
import { claimMetadata } from '../../../../src/service/store/metadata/claim-metadata.ts'
import { readInboxWatermark, saveInboxWatermark } from '../../../../src/service/store/metadata/inbox-watermark.ts'
import { openTestMetadata } from '../../support/open-test-metadata.ts'

const open = async () => {
  const metadata = await openTestMetadata()
  onTestFinished(() => metadata.destroy())
  const claim = (nodeId: string, events: 'embedded' | 'shared'): Promise<void> =>
    claimMetadata(metadata, { nodeId, embedsEvents: events === 'embedded' })
  return { metadata, claim }
}

test('metadata serves the node that claimed it first, whose watermark stays', async () => {
  const { metadata, claim } = await open()
  await claim('a', 'embedded')
  await saveInboxWatermark(metadata, 'a', 100_000)
  await claim('a', 'embedded')
  expect(await readInboxWatermark(metadata, 'a')).toBe(100_000)
  expect(await readInboxWatermark(metadata, 'b')).toBe(0)
  await expect(claim('b', 'embedded')).rejects.toThrow('belongs to the data folder with the node id a')
})

test('metadata serves several nodes while their events are in a store that they share', async () => {
  const { claim } = await open()
  await claim('a', 'embedded')
  await expect(claim('b', 'shared')).rejects.toThrow('belongs to the data folder with the node id a')
  await claim('a', 'shared')
  await claim('b', 'shared')
  await expect(claim('a', 'embedded')).rejects.toThrow('belongs to the data folder with the node id b')
})
