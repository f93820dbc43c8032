import { callSafely } from '../port/call-safely.ts'
import type { Logger } from '../port/logger.ts'
import type { OutgoingEvent } from './before-send.ts'
import type { DropReason } from './drop-reason.ts'

/** Called for each event that will never be delivered, with the reason. */
export type OnDrop = (event: OutgoingEvent, reason: DropReason) => void

/** Reports dropped events: to `onDrop` always, and as a warning for the first event of each reason. Never throws. */
export const createDropReport = (onDrop: OnDrop | undefined, logger: Logger): OnDrop => {
  let isReporting: boolean | undefined
  // `before_send` drops events on purpose, so it is never a warning.
  const quietReasons = new Set<DropReason>(['before_send'])

  return (event, reason) => {
    logger.debug('dropped', event.event, event.uuid, reason)
    if (!quietReasons.has(reason)) logger.warn(`event dropped (${reason}):`, event.event)
    quietReasons.add(reason)
    // Prevents an endless loop when `onDrop` captures an event that is dropped too.
    if (isReporting) return
    isReporting = true
    callSafely(logger, 'onDrop', () => onDrop?.(event, reason))
    isReporting = false
  }
}
