import type { Logger } from '../port/logger.ts'
import type { OutgoingEvent } from './before-send.ts'
import type { DropReason } from './drop-reason.ts'

/** Hears of each event that will never be delivered, and why. */
export type OnDrop = (event: OutgoingEvent, reason: DropReason) => void

/** Tells of dropped events: the first of each reason is a warning, and `onDrop` hears of all. Never throws. */
export const createDropReport = (onDrop: OnDrop, logger: Logger): OnDrop => {
  let isDropping: boolean | undefined
  // A filter that does what it was written for is no news.
  const told = new Set<DropReason>(['before_send'])

  return (event, reason) => {
    logger[told.has(reason) ? 'debug' : 'warn'](`event dropped (${reason}):`, event.event)
    told.add(reason)
    // An onDrop that captures may have that event dropped as well, and so on.
    if (isDropping) return
    isDropping = true
    try {
      onDrop(event, reason)
    } catch (error) {
      logger.warn('onDrop failed:', error)
    }
    isDropping = false
  }
}
