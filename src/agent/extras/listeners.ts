import type { BeforeSend } from '../../capture/before-send.ts'
import { callSafely } from '../../lib/call-safely.ts'
import type { Logger } from '../../port/logger.ts'
import type { Listeners } from './extra-verbs.ts'
import { createListenerHooks } from './listener-hooks.ts'

/** The listeners of events. Those of flags belong to the flags. */
type EventListeners = Omit<Listeners, 'flags'>

/** Who wants to be told of events. */
export interface EventListenerList {
  add<Topic extends keyof EventListeners>(topic: Topic, listener: EventListeners[Topic]): () => void
  /** Tells of a dropped event. */
  readonly drop: Listeners['drop']
  /** The last hooks of `before_send`, which tell of the event and do not change it. */
  readonly hooks: ReadonlySet<BeforeSend>
}

const addTo = <Member>(set: Set<Member>, member: Member): (() => void) => {
  set.add(member)
  return () => void set.delete(member)
}

export const createListeners = (logger: Logger): EventListenerList => {
  const hooks = new Set<BeforeSend>()
  const drops = new Set<Listeners['drop']>()
  const createHook = createListenerHooks(logger)

  return {
    hooks,
    add: (topic, listener) =>
      topic === 'drop' ? addTo(drops, listener) : addTo(hooks, createHook(listener as Listeners['capture'])),
    drop(event, reason) {
      for (const listener of drops) callSafely(logger, 'listener', () => listener(event, reason))
    },
  }
}
