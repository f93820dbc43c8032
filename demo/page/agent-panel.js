import { agent, onCall } from './calls.js'
import { byId, element, setText } from './element.js'
import { whileVisible } from './while-visible.js'
import { watchRequests } from './watch-requests.js'

const STATUS_POLL_INTERVAL_MS = 250
const PLURAL_RULES = new Intl.PluralRules('en')
const NUMBER_FORMAT = new Intl.NumberFormat('en')
const TIME_FORMAT = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })

/** Shows the state of the agent: ids, flags, queue and delivery. @param {string} host URL of the service. */
export const startAgentPanel = (host) => {
  const showIdentity = () => {
    setText(byId('distinct-id'), agent().getDistinctId())
    setText(byId('session-id'), agent().getSessionId())
    setText(byId('consent'), agent().isOptedOut() ? 'opted out: nothing is captured' : 'opted in')
  }
  onCall(showIdentity)
  showIdentity()

  agent().onFeatureFlags((flags) => {
    const rows = Object.entries(flags).map(([key, value]) => {
      const payload = agent().getFeatureFlagPayload(key)
      const cells = [key, String(value), payload === undefined ? '–' : shorten(payload)]
      return element('tr', {}, ...cells.map((cell) => element('td', {}, cell)))
    })
    if (!rows.length) rows.push(element('tr', {}, element('td', { colspan: 3 }, 'none')))
    byId('flags').replaceChildren(...rows)
  })

  whileVisible(STATUS_POLL_INTERVAL_MS, async () => showStatus(agent().getStatus()))
  watchRequests(host, showRequest)
}

/** @param status Undefined: the agent has not started yet. */
const showStatus = ({ waitingEvents = 0, lastDelivery, lastError, nextAttempt } = {}) => {
  setText(byId('queue-length'), NUMBER_FORMAT.format(waitingEvents))
  setText(byId('queue-unit'), PLURAL_RULES.select(waitingEvents) === 'one' ? 'event' : 'events')
  setText(byId('queue-note'), waitingEvents ? 'on disk, safe from a crash' : 'no events')
  setText(byId('ticker-queue'), waitingEvents ? `${NUMBER_FORMAT.format(waitingEvents)} on disk` : 'queue empty')
  const retry = nextAttempt ? `, again at ${TIME_FORMAT.format(nextAttempt)}` : ''
  const delivered = lastDelivery ? `last at ${TIME_FORMAT.format(lastDelivery)}` : 'none on this page yet'
  setText(byId('delivery'), lastError ? lastError + retry : delivered)
}

const showRequest = ({ path, status, durationMs }) => {
  const answer = status ? String(status) : 'no response'
  setText(byId('request-status'), answer)
  setText(byId('request-note'), status ? `in ${durationMs} ms, to ${path}` : `to ${path}, kept for a retry`)
  setText(byId('ticker-request'), status ? `${answer} in ${durationMs} ms` : answer)
}

const shorten = (payload) => {
  const json = JSON.stringify(payload)
  return json.length > 60 ? `${json.slice(0, 59)}…` : json
}
