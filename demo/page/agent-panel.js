import { agent, onCall } from './calls.js'
import { byId, element, setText } from './element.js'
import { waitingEvents } from './waiting-events.js'
import { whileVisible } from './while-visible.js'

const QUEUE_MS = 250
const PLURAL = new Intl.PluralRules('en')
const NUMBER = new Intl.NumberFormat('en')

/** Shows what the agent knows and holds. @param {string} database Name of the agent's database. */
export const startAgentPanel = (database) => {
  const showWho = () => {
    setText(byId('distinct-id'), agent().getDistinctId())
    setText(byId('session-id'), agent().getSessionId())
    setText(byId('consent'), agent().isOptedOut() ? 'opted out: nothing is captured' : 'opted in')
  }
  onCall(showWho)
  showWho()

  agent().onFeatureFlags((flags) => {
    const rows = Object.entries(flags).map(([key, value]) => {
      const payload = agent().getFeatureFlagPayload(key)
      const cells = [key, String(value), payload === undefined ? '–' : brief(payload)]
      return element('tr', {}, ...cells.map((cell) => element('td', {}, cell)))
    })
    if (!rows.length) rows.push(element('tr', {}, element('td', { colspan: 3 }, 'none')))
    byId('flags').replaceChildren(...rows)
  })

  const count = waitingEvents(database)
  whileVisible(QUEUE_MS, async () => {
    const waiting = await count().catch(() => undefined)
    setText(byId('queue-length'), waiting === undefined ? '?' : NUMBER.format(waiting))
    setText(byId('queue-unit'), unit(waiting ?? 0))
    setText(byId('ticker-queue'), waiting ? `${NUMBER.format(waiting)} on disk` : 'nothing waits')
    setText(
      byId('queue-note'),
      waiting === undefined
        ? 'this browser does not let the page look'
        : waiting
          ? 'on disk, safe from a crash'
          : 'nothing waits',
    )
  })
}

/** Shows a request as it went out. @param report The agent's `SendReport`. */
export const showRequest = ({ encoding, events, bytesBefore, bytesAfter, status, url }) => {
  const path = new URL(url).pathname
  const how = status === undefined ? 'by beacon' : status ? '' : ', kept for later'
  setText(byId('request-status'), status === undefined ? 'sent' : status ? String(status) : 'no answer')
  setText(byId('request-note'), `${counted(events)} as ${encoding} to ${path} ${how}`.trim())
  setText(byId('ticker-request'), `${status || 'no answer'}: ${counted(events)}, ${NUMBER.format(bytesAfter)} bytes`)
  const before = `${NUMBER.format(bytesBefore)} bytes of JSON`
  const after = `${NUMBER.format(bytesAfter)} bytes sent`
  setText(byId('bytes-before'), before)
  setText(byId('bytes-after'), `${after} (${Math.round((100 * bytesAfter) / bytesBefore)} %)`)
  byId('bytes').setAttribute('aria-label', `Last request: ${before}, ${after}.`)
  const most = Math.max(bytesBefore, bytesAfter)
  document.querySelector('.bytes .before').setAttribute('width', String((100 * bytesBefore) / most))
  document.querySelector('.bytes .after').setAttribute('width', String((100 * bytesAfter) / most))
}

/** Shows an event that will never be delivered, and why. */
export const showDropped = ({ event }, reason) => setText(byId('dropped'), `${event} (${reason})`)

const unit = (events) => (PLURAL.select(events) === 'one' ? 'event' : 'events')

const counted = (events) => `${events} ${unit(events)}`

const brief = (payload) => {
  const text = JSON.stringify(payload)
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}
