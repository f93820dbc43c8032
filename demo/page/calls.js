import { byId, setText } from './element.js'
import { formatValue } from './format-value.js'

/** Returns the agent's verbs. */
export const agent = () => globalThis.waymark

const listeners = new Set()

/** Calls the listener after each call of the agent. */
export const onCall = (listener) => listeners.add(listener)

/**
 * Calls a verb of the agent, and shows the call as source code, and its answer.
 *
 * @returns What the verb has returned.
 */
export const call = (verb, ...args) => {
  setText(byId('last-call'), formatCall(verb, args))
  const result = agent()[verb](...args)
  setText(byId('last-answer'), formatValue(result))
  for (const listener of listeners) listener()
  return result
}

/** Formats a call as JavaScript source. */
export const formatCall = (verb, args) => `${verb}(${args.map((arg) => formatValue(arg)).join(', ')})`
