import { agent, onCall } from './calls.js'
import { byId, element, setText } from './element.js'
import { createWaitingCounter } from './count-waiting-events.js'
import { whileVisible } from './while-visible.js'

const QUEUE_POLL_INTERVAL_MS = 250
const PLURAL_RULES = new Intl.PluralRules('en')
const NUMBER_FORMAT = new Intl.NumberFormat('en')

/** Shows the state of the agent: ids, flags and queue. @param {string} databaseName Name of the agent's database. */
export const startAgentPanel = (databaseName) => {
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

  const countWaiting = createWaitingCounter(databaseName)
  whileVisible(QUEUE_POLL_INTERVAL_MS, async () => {
    const waitingCount = await countWaiting().catch(() => undefined)
    setText(byId('queue-length'), waitingCount === undefined ? '?' : NUMBER_FORMAT.format(waitingCount))
    setText(byId('queue-unit'), formatUnit(waitingCount ?? 0))
    setText(byId('ticker-queue'), waitingCount ? `${NUMBER_FORMAT.format(waitingCount)} on disk` : 'queue empty')
    setText(
      byId('queue-note'),
      waitingCount === undefined
        ? 'not readable in this browser'
        : waitingCount
          ? 'on disk, safe from a crash'
          : 'no events',
    )
  })
}

/** Shows the last request. @param report The agent's `SendReport`. */
export const showRequest = ({ encoding, events, bytesBefore, bytesAfter, status, url }) => {
  const path = new URL(url).pathname
  const note = status === undefined ? 'by beacon' : status ? '' : ', kept for a retry'
  setText(byId('request-status'), status === undefined ? 'sent' : status ? String(status) : 'no response')
  setText(byId('request-note'), `${formatCount(events)} as ${encoding} to ${path} ${note}`.trim())
  setText(
    byId('ticker-request'),
    `${status || 'no response'}: ${formatCount(events)}, ${NUMBER_FORMAT.format(bytesAfter)} bytes`,
  )
  const before = `${NUMBER_FORMAT.format(bytesBefore)} bytes of JSON`
  const after = `${NUMBER_FORMAT.format(bytesAfter)} bytes sent`
  setText(byId('bytes-before'), before)
  setText(byId('bytes-after'), `${after} (${Math.round((100 * bytesAfter) / bytesBefore)} %)`)
  byId('bytes').setAttribute('aria-label', `Last request: ${before}, ${after}.`)
  const maxBytes = Math.max(bytesBefore, bytesAfter)
  document.querySelector('.bytes .before').setAttribute('width', String((100 * bytesBefore) / maxBytes))
  document.querySelector('.bytes .after').setAttribute('width', String((100 * bytesAfter) / maxBytes))
}

/** Shows an event that will never be delivered, and why. */
export const showDropped = ({ event }, reason) => setText(byId('dropped'), `${event} (${reason})`)

const formatUnit = (count) => (PLURAL_RULES.select(count) === 'one' ? 'event' : 'events')

const formatCount = (count) => `${count} ${formatUnit(count)}`

const shorten = (payload) => {
  const json = JSON.stringify(payload)
  return json.length > 60 ? `${json.slice(0, 59)}…` : json
}
