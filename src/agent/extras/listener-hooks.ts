import type { BeforeSend } from '../../capture/before-send.ts'
import { callSafely } from '../../port/call-safely.ts'
import type { Logger } from '../../port/logger.ts'
import { skipNested } from '../../port/skip-nested.ts'
import { stringify } from '../../port/stringify.ts'
import type { Listeners } from './extra-verbs.ts'

/**
 * Creates hooks of `before_send` that tell a listener of the event, and do not change it. Of events that a listener captures itself, none of
 * them tells.
 */
export const createListenerHooks = (logger: Logger): ((listener: Listeners['capture']) => BeforeSend) => {
  const tell = skipNested((listener: Listeners['capture'], event: Parameters<BeforeSend>[0]) =>
    callSafely(logger, 'listener', () => listener(JSON.parse(stringify(event)) as typeof event)),
  )
  return (listener) => (event) => {
    tell(listener, event)
    return event
  }
}
