import { describe, expect, it } from 'vitest'
import { createSilence } from '../../../../src/platform/node/event-files/silence.ts'

const NOW = 1e12

describe('an owner of whom only its folder is seen', () => {
  it('is dead after ten looks in a row without a change', () => {
    const silence = createSilence()
    const looks = Array.from({ length: 12 }, () => silence.isSilent('a', NOW, NOW))
    expect(looks.indexOf(true)).toBe(10)
  })

  it('lives on with each change, also with one into the past', () => {
    const silence = createSilence()
    for (let look = 0; look < 9; look++) silence.isSilent('a', NOW, NOW)
    expect(silence.isSilent('a', NOW - 5, NOW)).toBe(false)
    for (let look = 0; look < 9; look++) expect(silence.isSilent('a', NOW - 5, NOW)).toBe(false)
    expect(silence.isSilent('a', NOW - 5, NOW)).toBe(true)
  })

  it('is dead at first sight when it has not moved for ten minutes', () => {
    expect(createSilence().isSilent('a', NOW - 600_000, NOW)).toBe(true)
    expect(createSilence().isSilent('a', NOW - 599_999, NOW)).toBe(false)
    expect(createSilence().isSilent('a', NOW + 1e9, NOW)).toBe(false)
  })

  it('is counted anew when its folder was gone meanwhile, and each for itself', () => {
    const silence = createSilence()
    for (let look = 0; look < 10; look++) {
      silence.isSilent('a', NOW, NOW)
      silence.isSilent('b', NOW, NOW)
    }
    silence.keep(new Set(['b']))
    expect(silence.isSilent('a', NOW, NOW)).toBe(false)
    expect(silence.isSilent('b', NOW, NOW)).toBe(true)
  })
})
