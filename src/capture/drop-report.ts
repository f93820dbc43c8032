import { callSafely } from '../port/call-safely.ts'
import type { Logger } from '../port/logger.ts'
import { createWarnOnce } from '../port/warn-once.ts'
import type { OutgoingEvent } from './before-send.ts'
import type { DropReason } from './drop-reason.ts'

/** Called for each event that will never be delivered, with the reason. */
export type OnDrop = (event: OutgoingEvent, reason: DropReason) => void

/** Reports dropped events: to `onDrop` always, and as a warning for the first event of each reason. Never throws. */
export const createDropReport = (onDrop: OnDrop | undefined, logger: Logger): OnDrop => {
  let isReporting: boolean | undefined
  // `before_send` drops events on purpose, so it is never a warning.
  const warnOnce = createWarnOnce(logger, new Set(['before_send']))

  return (event, reason) => {
    warnOnce(reason, `event dropped (${reason}):`, event.event)
    // Prevents an endless loop when `onDrop` captures an event that is dropped too.
    if (isReporting) return
    isReporting = true
    callSafely(logger, 'onDrop', () => onDrop?.(event, reason))
    isReporting = false
  }
}
