import { byId, setText } from './element.js'

/** The agent's verbs, once its script is there. */
export const agent = () => globalThis.waymark

const watchers = new Set()

/** Calls back after each call that the page makes. */
export const onCall = (watcher) => watchers.add(watcher)

/** Calls a verb of the agent and shows the call as a programmer would write it. */
export const call = (verb, ...args) => {
  setText(byId('last-call'), `${verb}(${args.map((arg) => written(arg)).join(', ')})`)
  const answer = agent()[verb](...args)
  for (const watcher of watchers) watcher()
  return answer
}

/** A value as it stands in JavaScript source, short enough for one line or two. */
export const written = (value) => {
  if (typeof value === 'string') return `'${value}'`
  if (typeof value !== 'object' || value === null) return String(value)
  return `{ ${Object.entries(value)
    .map(([key, item]) => `${/^\w+$/.test(key) ? key : `'${key}'`}: ${written(item)}`)
    .join(', ')} }`
}
