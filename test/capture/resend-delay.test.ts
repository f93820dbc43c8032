import { expect, it } from 'vitest'
import { RESEND_DELAY_MS, createResendDelay } from '../../src/capture/resend-delay.ts'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'

const NOW = Date.UTC(2026, 0, 1)

it('delays the events of the last page for 30 s, in every tab', () => {
  const storage = createMemoryKeyValue()
  createResendDelay(storage, 'l').start(NOW, ['e/1', 'e/2'])
  const resendDelay = createResendDelay(storage, 'l')
  expect([resendDelay.keys(NOW + 1).has('e/1'), resendDelay.remainingMs(NOW + 1)]).toEqual([true, RESEND_DELAY_MS - 1])
  expect([resendDelay.keys(NOW + RESEND_DELAY_MS).size, resendDelay.remainingMs(NOW + RESEND_DELAY_MS)]).toEqual([0, 0])
})

it('delays nothing before a page was left, or when the clock was set back', () => {
  const resendDelay = createResendDelay(createMemoryKeyValue(), 'l')
  expect([resendDelay.keys(NOW).size, resendDelay.remainingMs(NOW)]).toEqual([0, 0])
  resendDelay.start(NOW, ['e/1'])
  expect([resendDelay.keys(NOW - 3_600_000).size, resendDelay.remainingMs(NOW - 3_600_000)]).toEqual([0, 0])
})
