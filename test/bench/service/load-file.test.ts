import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readLoadFile, writeLoadFile } from './load-file.mjs'
import { createSiteRequests } from './site-load.mjs'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-load-file-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

// More than the block in which a file is read.
const requests = [...createSiteRequests({ apiKey: 'wm_key', eventCount: 8000, startMs: 0, eventsPerMs: 1 })]

const describeRequest = ({ body, eventCount, lastUuid }: (typeof requests)[number]): string =>
  `${eventCount} ${lastUuid} ${createHash('md5').update(body).digest('hex')}`

it('returns the requests that were written, in order', () => {
  const file = writeLoadFile(join(folder, 'load'), requests)
  expect(file).toMatchObject({ eventCount: 8000, requestCount: requests.length })
  expect(file.bytes).toBeGreaterThan(2 ** 20)
  const read = [...readLoadFile(file.path)]
  expect(read.map(describeRequest)).toEqual(requests.map(describeRequest))
})

it('refuses a file that was not written to its end', () => {
  const { path, bytes } = writeLoadFile(join(folder, 'load'), requests)
  truncateSync(path, bytes)
  expect(() => [...readLoadFile(path)]).toThrow('ends in the middle of a request')
})
