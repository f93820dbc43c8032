import type { BeforeSend } from '../../capture/before-send.ts'
import { callHook } from '../../lib/call-hook.ts'
import { callSafely } from '../../lib/call-safely.ts'
import type { Logger } from '../../port/logger.ts'
import { stringify } from '../../lib/stringify.ts'
import type { Listeners } from './extra-verbs.ts'

/**
 * Creates hooks of `before_send` that tell a listener of the event, and do not change it. Of events that a listener captures itself, none of
 * them tells.
 */
export const createListenerHooks = (logger: Logger): ((listener: Listeners['capture']) => BeforeSend) => {
  const all = {}
  return (listener) => (event) => {
    callHook(all, () => callSafely(logger, 'listener', () => listener(JSON.parse(stringify(event)) as typeof event)))
    return event
  }
}
