import { byId, element, setText } from './element.js'
import { createClient } from './management.js'
import { createMinuteChart } from './minute-chart.js'
import { whileVisible } from './while-visible.js'

const POLL_INTERVAL_MS = 2_000
const MINUTE_COUNT = 30
const MAX_ROWS = 8

const NEWEST_QUERY = `select uuid, timestamp, event, distinct_id from events order by timestamp desc limit ${MAX_ROWS}`
const PER_MINUTE_QUERY = `select date_trunc('minute', timestamp) as minute, count(*) as events from events
  where timestamp > now() - interval ${MINUTE_COUNT} minute group by minute`

const TIME_FORMAT = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })

/** Shows the stored events, which it reads with the management client of the package. */
export const startServicePanel = ({ host, projectId, personalApiKey }) => {
  if (!personalApiKey || !projectId) {
    showNote(
      'To show events, this page needs the local service, or a project and a personal API key of the backend: npm start -- --help.',
    )
    byId('service').hidden = true
    return
  }
  // No retries: the panel asks again anyway.
  const client = createClient({ host, projectId, personalApiKey, maxRetries: 0 })
  const readRows = async (sql) => (await client.query(sql)).results
  let previousUuids

  whileVisible(POLL_INTERVAL_MS, async () => {
    try {
      const [newest, perMinute] = await Promise.all([readRows(NEWEST_QUERY), readRows(PER_MINUTE_QUERY)])
      showNote('')
      showChart(perMinute)
      showEvents(newest, previousUuids)
      previousUuids = new Set(newest.map(([uuid]) => uuid))
    } catch (error) {
      showNote(`The events cannot be read now: ${error.message}`)
    }
  })
}

const showNote = (note) => {
  byId('service-note').hidden = !note
  setText(byId('service-note'), note)
}

const showChart = (rows) => {
  const counts = new Map(rows.map(([minute, count]) => [Date.parse(minute), Number(count)]))
  const lastMinute = Math.floor(Date.now() / 60_000) * 60_000
  const series = Array.from(
    { length: MINUTE_COUNT },
    (_, index) => counts.get(lastMinute - (MINUTE_COUNT - 1 - index) * 60_000) ?? 0,
  )
  const chart = createMinuteChart(series)
  setText(byId('chart-max'), `maximum: ${Math.max(...series)}`)
  if (byId('chart').firstChild?.ariaLabel !== chart.ariaLabel) byId('chart').replaceChildren(chart)
}

/** Shows the end of an anonymous id, because its beginning is only a time. */
const shortenId = (id) => (/^[0-9a-f-]{36}$/.test(id) ? `…${id.slice(-8)}` : id)

/** @param previousUuids Uuids of the rows that were shown before; undefined at first. New rows are highlighted. */
const showEvents = (rows, previousUuids) => {
  if (previousUuids && rows.every(([uuid]) => previousUuids.has(uuid))) return
  byId('events').replaceChildren(
    ...rows.map(([uuid, timestamp, event, distinctId]) =>
      element(
        'tr',
        { class: previousUuids && !previousUuids.has(uuid) ? 'new' : false },
        element('td', {}, TIME_FORMAT.format(new Date(timestamp))),
        element('td', {}, String(event)),
        element('td', {}, shortenId(String(distinctId))),
      ),
    ),
  )
}
