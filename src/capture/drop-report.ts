import { callHook, forgetCauses } from '../lib/call-hook.ts'
import { callSafely } from '../lib/call-safely.ts'
import type { Logger } from '../port/logger.ts'
import type { OutgoingEvent } from './before-send.ts'
import type { DropReason } from './drop-reason.ts'

/** Called for each event that will never be delivered, with the reason. */
export type OnDrop = (event: OutgoingEvent, reason: DropReason) => void

/**
 * Reports dropped events, as a warning for the first event of each reason, and to `onDrop`: except for what `onDrop` has captured itself.
 * Never throws.
 *
 * @param json The event as it was queued. Undefined: it was not.
 */
export type DropReport = (event: OutgoingEvent, reason: DropReason, json?: string) => void

export const createDropReport = (onDrop: OnDrop | undefined, logger: Logger): DropReport => {
  // `before_send` drops events on purpose, so it is never a warning.
  const quietReasons = new Set<DropReason>(['before_send'])

  return (event, reason, json = '') => {
    logger.debug('dropped', event.event, event.uuid, reason)
    if (!quietReasons.has(reason)) logger.warn(`event dropped (${reason}):`, event.event)
    quietReasons.add(reason)
    callHook(onDrop, () => callSafely(logger, 'onDrop', () => onDrop?.(event, reason)), [json])
    forgetCauses([json])
  }
}
