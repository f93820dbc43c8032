import { expect, onTestFinished, test } from 'vitest'
import { claimMetadata } from '../../../../src/service/store/metadata/claim-metadata.ts'
import { readInboxWatermark, saveInboxWatermark } from '../../../../src/service/store/metadata/inbox-watermark.ts'
import { openTestMetadata } from '../../support/open-test-metadata.ts'

test('metadata serves the node that claimed it first, whose watermark stays', async () => {
  const metadata = await openTestMetadata()
  onTestFinished(() => metadata.destroy())
  await claimMetadata(metadata, 'a')
  await saveInboxWatermark(metadata, 'a', 100_000)
  await claimMetadata(metadata, 'a')
  expect(await readInboxWatermark(metadata, 'a')).toBe(100_000)
  expect(await readInboxWatermark(metadata, 'b')).toBe(0)
  await expect(claimMetadata(metadata, 'b')).rejects.toThrow('belongs to the data folder with the node id a')
})
