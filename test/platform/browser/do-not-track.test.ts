import { afterEach, expect, it, vi } from 'vitest'
import { isDoNotTrackEnabled } from '../../../src/platform/browser/do-not-track.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

it.each([
  [{ globalPrivacyControl: true }, true],
  [{ doNotTrack: '1' }, true],
  [{ globalPrivacyControl: false, doNotTrack: '0' }, false],
  [{ doNotTrack: null }, false],
  [{ doNotTrack: 'unspecified' }, false],
  [{}, false],
  [undefined, false],
])('isDoNotTrackEnabled with %j is %s', (navigator, expected) => {
  vi.stubGlobal('navigator', navigator)
  expect(isDoNotTrackEnabled()).toBe(expected)
})
