import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { checkHistory } from '../../src/import/check-history.ts'
import { checkImportOptions } from '../../src/import/check-options.ts'
import { importHistory } from '../../src/import/import-history.ts'
import type { ImportOptions } from '../../src/import/import-options.ts'

const VALID_OPTIONS = { source: 'events.ndjson', key: 'wm_key', host: 'https://example.com' }

test('removes spaces around host and key, and slashes at the end of the host', () => {
  expect(checkImportOptions({ ...VALID_OPTIONS, key: ' wm_key\n', host: ' https://example.com/path// ' })).toEqual({
    key: 'wm_key',
    host: 'https://example.com/path',
  })
})

test.each([{ source: Readable.from([]) }, { format: 'csv' }, { maxRetries: 0 }, { maxRetries: Infinity }])(
  'accepts valid options (case %#)',
  (options) => expect(checkImportOptions({ ...VALID_OPTIONS, ...options }).key).toBe('wm_key'),
)

test.each([
  [{ key: undefined }, 'key is missing'],
  [{ host: undefined }, 'is not the URL'],
  [{ host: 'https://example.com?a=b' }, 'is not the URL'],
  [{ host: 'https://example.com/#a' }, 'is not the URL'],
  [{ source: undefined }, '"source" must be'],
  [{ source: '' }, '"source" must be'],
  [{ source: ['{}'] }, '"source" must be'],
  [{ format: 'xml' }, '"format" must be'],
  [{ maxRetries: Number.NaN }, '"maxRetries" must be'],
  [{ maxRetries: -1 }, '"maxRetries" must be'],
])('rejects the invalid option %j', async (options, problem) => {
  await expect(importHistory({ ...VALID_OPTIONS, ...options } as ImportOptions)).rejects.toMatchObject({
    code: 'invalid_option',
    message: expect.stringContaining(problem),
  })
})

test('rejects a URL with a password without repeating the password', () => {
  const checkOptions = () => checkImportOptions({ ...VALID_OPTIONS, host: 'https://me:secret@example.com' })
  expect(checkOptions).toThrow('must not contain a user name or password')
  expect(checkOptions).not.toThrow('secret')
})

test('checks the options of checkHistory like those of importHistory', async () => {
  const options = { source: undefined } as unknown as ImportOptions
  await expect(checkHistory(options)).rejects.toMatchObject({ code: 'invalid_option' })
})
