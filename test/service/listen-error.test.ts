import { expect, it } from 'vitest'
import { StartError } from '../../src/service/data-folder.ts'
import { toListenError } from '../../src/service/listen-error.ts'

const withCode = (code: string): Error => Object.assign(new Error(code), { code })

it.each([
  ['EADDRINUSE', 'Port 80 on example.org is in use; choose another with --port.'],
  ['EACCES', 'This user may not open port 80; choose one above 1023 with --port.'],
  ['ENOTFOUND', 'example.org is not an address of this machine; choose another with --host.'],
  ['EADDRNOTAVAIL', 'example.org is not an address of this machine; choose another with --host.'],
])('tells what to do about %s', (code, message) => {
  const error = toListenError(withCode(code), { host: 'example.org', port: 80 })
  expect(error).toBeInstanceOf(StartError)
  expect(error).toMatchObject({ message, cause: { code } })
})

it('keeps every other error', () => {
  const error = withCode('EMFILE')
  expect(toListenError(error, { host: 'example.org', port: 80 })).toBe(error)
})
