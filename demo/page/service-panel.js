import { byId, element, setText } from './element.js'
import { minuteChart } from './minute-chart.js'
import { createQuery } from './query.js'
import { whileVisible } from './while-visible.js'

const EVERY_MS = 2_000
const MINUTES = 30
const ROWS = 8

const NEWEST = `select uuid, timestamp, event, distinct_id from events order by timestamp desc limit ${ROWS}`
const PER_MINUTE = `select date_trunc('minute', timestamp) as minute, count(*) as events from events
  where timestamp > now() - interval ${MINUTES} minute group by minute`

const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })

/** Shows what has arrived, as the service's query API tells it. */
export const startServicePanel = ({ host, projectId, personalApiKey }) => {
  if (!personalApiKey || !projectId) {
    tell(
      'To read events back, this page needs the local service, or a project and a personal key of that backend: npm start -- --help.',
    )
    byId('service').hidden = true
    return
  }
  const query = createQuery({ host, projectId, personalApiKey })
  let seen

  whileVisible(EVERY_MS, async () => {
    try {
      const [newest, perMinute] = await Promise.all([query(NEWEST), query(PER_MINUTE)])
      tell('')
      showChart(perMinute)
      showEvents(newest, seen)
      seen = new Set(newest.map(([uuid]) => uuid))
    } catch (error) {
      tell(`Cannot be read now: ${error.message}`)
    }
  })
}

const tell = (text) => {
  byId('service-note').hidden = !text
  setText(byId('service-note'), text)
}

const showChart = (rows) => {
  const counts = new Map(rows.map(([minute, count]) => [Date.parse(minute), Number(count)]))
  const last = Math.floor(Date.now() / 60_000) * 60_000
  const series = Array.from({ length: MINUTES }, (_, index) => counts.get(last - (MINUTES - 1 - index) * 60_000) ?? 0)
  const chart = minuteChart(series)
  setText(byId('chart-most'), `most: ${Math.max(...series)}`)
  if (byId('chart').firstChild?.ariaLabel !== chart.ariaLabel) byId('chart').replaceChildren(chart)
}

/** Anonymous ids begin with their time, so their ends tell them apart. */
const brief = (id) => (/^[0-9a-f-]{36}$/.test(id) ? `…${id.slice(-8)}` : id)

/** @param seen Uuids of the rows before, undefined at first: rows that are new light up. */
const showEvents = (rows, seen) => {
  if (seen && rows.every(([uuid]) => seen.has(uuid))) return
  byId('events').replaceChildren(
    ...rows.map(([uuid, timestamp, event, distinctId]) =>
      element(
        'tr',
        { class: seen && !seen.has(uuid) ? 'new' : false },
        element('td', {}, TIME.format(new Date(timestamp))),
        element('td', {}, String(event)),
        element('td', {}, brief(String(distinctId))),
      ),
    ),
  )
}
