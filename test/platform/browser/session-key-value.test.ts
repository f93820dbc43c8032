import { beforeEach, expect, it } from 'vitest'
import { sessionKeyValue } from '../../../src/platform/browser/session-key-value.ts'
import { keyValueContract } from '../../contract/key-value.ts'

beforeEach(() => sessionStorage.clear())

keyValueContract('session', () => {
  sessionStorage.clear()
  return sessionKeyValue()
})

it('keeps texts over a reload of the tab', () => {
  sessionKeyValue().set('window', '1')
  expect(sessionKeyValue().get('window')).toBe('1')
})
