import { byId, setText } from './element.js'

/** Returns the agent's verbs. */
export const agent = () => globalThis.waymark

const listeners = new Set()

/** Calls the listener after each call of the agent. */
export const onCall = (listener) => listeners.add(listener)

/** Calls a verb of the agent, and shows the call as source code. */
export const call = (verb, ...args) => {
  setText(byId('last-call'), `${verb}(${args.map((arg) => formatValue(arg)).join(', ')})`)
  const result = agent()[verb](...args)
  for (const listener of listeners) listener()
  return result
}

/** Formats a value as JavaScript source. */
export const formatValue = (value) => {
  if (typeof value === 'string') return `'${value}'`
  if (typeof value !== 'object' || value === null) return String(value)
  return `{ ${Object.entries(value)
    .map(([key, item]) => `${/^\w+$/.test(key) ? key : `'${key}'`}: ${formatValue(item)}`)
    .join(', ')} }`
}
