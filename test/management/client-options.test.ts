import { expect, test } from 'vitest'
import { resolveOptions } from '../../src/management/client-options.ts'
import type { ClientOptions } from '../../src/management/client-options.ts'

const VALID: ClientOptions = { host: 'https://a.test/base//', personalApiKey: ' wmx_key\n' }

test('has defaults, and tidies the host and the key', () => {
  expect(resolveOptions(VALID)).toEqual({
    host: 'https://a.test/base',
    personalApiKey: 'wmx_key',
    projectId: '@current',
    timeoutMs: 60_000,
    maxRetries: 2,
    fetch: expect.any(Function),
  })
})

test.each([
  [{ host: 'a.test' }, '"a.test" is not the URL of a service.'],
  [{ host: 'ftp://a.test' }, 'is not the URL of a service.'],
  [{ host: 'https://a.test/?x=1' }, 'is not the URL of a service.'],
  [{ host: 'https://ann:secret@a.test' }, 'must not contain a user name or password'],
  [{ personalApiKey: '' }, 'The personal API key is missing.'],
  [{ personalApiKey: undefined }, 'The personal API key is missing.'],
  [{ personalApiKey: 'wmx_sécret' }, 'contains a character that no key has'],
  [{ timeoutMs: -1 }, '"timeoutMs" must be a number of 0 or more.'],
  [{ maxRetries: NaN }, '"maxRetries" must be a number of 0 or more.'],
])('rejects %j', (options, message) => {
  const resolve = () => resolveOptions({ ...VALID, ...options } as ClientOptions)
  expect(resolve).toThrow(TypeError)
  expect(resolve).toThrow(message)
  expect(resolve).not.toThrow(/secret|sécret/)
})
