import type { OutgoingEvent } from '../../capture/before-send.ts'
import { callSafely } from '../../port/call-safely.ts'
import type { Logger } from '../../port/logger.ts'
import type { Listeners } from './extra-verbs.ts'

/** The listeners of events. Those of flags belong to the flags. */
type EventListeners = Omit<Listeners, 'flags'>

/** Who wants to be told of events. */
export interface EventListenerList {
  add<Topic extends keyof EventListeners>(topic: Topic, listener: EventListeners[Topic]): () => void
  /** Tells of a dropped event. */
  readonly drop: Listeners['drop']
  /** A last hook of `before_send`, which tells of the event and does not change it. Undefined: nobody listens. */
  hook(): ((event: OutgoingEvent) => OutgoingEvent) | undefined
}

export const createListeners = (logger: Logger): EventListenerList => {
  const listeners: { readonly [Topic in keyof EventListeners]: Set<EventListeners[Topic]> } = {
    capture: new Set(),
    drop: new Set(),
  }
  let isTelling = false

  return {
    add(topic, listener) {
      const topicListeners: Set<typeof listener> = listeners[topic]
      topicListeners.add(listener)
      return () => void topicListeners.delete(listener)
    },
    drop(event, reason) {
      for (const listener of listeners.drop) callSafely(logger, 'listener', () => listener(event, reason))
    },
    hook() {
      if (!listeners.capture.size) return undefined
      return (event) => {
        if (isTelling) return event
        isTelling = true
        for (const listener of listeners.capture)
          callSafely(logger, 'listener', () => listener(JSON.parse(JSON.stringify(event)) as OutgoingEvent))
        isTelling = false
        return event
      }
    },
  }
}
