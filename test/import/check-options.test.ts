import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { checkHistory } from '../../src/import/check-history.ts'
import { checkedTarget } from '../../src/import/check-options.ts'
import { importHistory } from '../../src/import/import-history.ts'
import type { ImportOptions } from '../../src/import/import-options.ts'

const GOOD = { source: 'events.ndjson', key: 'wm_key', host: 'https://example.com' }

test('blanks and slashes at the ends of host and key are no part of them', () => {
  expect(checkedTarget({ ...GOOD, key: ' wm_key\n', host: ' https://example.com/path// ' })).toEqual({
    key: 'wm_key',
    host: 'https://example.com/path',
  })
})

test.each([{ source: Readable.from([]) }, { format: 'csv' }, { maxRetries: 0 }, { maxRetries: Infinity }])(
  'case %#: is taken',
  (options) => expect(checkedTarget({ ...GOOD, ...options }).key).toBe('wm_key'),
)

test.each([
  [{ key: undefined }, 'key is missing'],
  [{ host: undefined }, 'is no address'],
  [{ host: 'https://example.com?a=b' }, 'is no address'],
  [{ host: 'https://example.com/#a' }, 'is no address'],
  [{ source: undefined }, '"source" must be'],
  [{ source: '' }, '"source" must be'],
  [{ source: ['{}'] }, '"source" must be'],
  [{ format: 'xml' }, '"format" must be'],
  [{ maxRetries: Number.NaN }, '"maxRetries" must be'],
  [{ maxRetries: -1 }, '"maxRetries" must be'],
])('case %#: is an invalid option: %j', async (options, problem) => {
  await expect(importHistory({ ...GOOD, ...options } as ImportOptions)).rejects.toMatchObject({
    code: 'invalid_option',
    message: expect.stringContaining(problem),
  })
})

test('a password in the address is refused, and not told', () => {
  const check = () => checkedTarget({ ...GOOD, host: 'https://me:secret@example.com' })
  expect(check).toThrow('no user and no password')
  expect(check).not.toThrow('secret')
})

test('a dry run checks its options, too', async () => {
  const options = { source: undefined } as unknown as ImportOptions
  await expect(checkHistory(options)).rejects.toMatchObject({ code: 'invalid_option' })
})
