import { config } from './config.js'
import { byId, setText } from './element.js'
import { createClient } from './management.js'
import { createFunnel, createLegend, createLineChart, createRetention } from './numbers-charts.js'
import { whileVisible } from './while-visible.js'

const POLL_INTERVAL_MS = 5_000

const VISIT = { kind: 'EventsNode', event: '$pageview', custom_name: 'Visits' }
const PURCHASE = { kind: 'EventsNode', event: 'map bought', custom_name: 'Maps bought' }

const TREND = {
  kind: 'TrendsQuery',
  series: [VISIT, PURCHASE],
  dateRange: { date_from: '-23h' },
  interval: 'hour',
}
const FUNNEL = {
  kind: 'FunnelsQuery',
  series: [VISIT, PURCHASE, { kind: 'EventsNode', event: '$identify', custom_name: 'Signed in' }],
  dateRange: { date_from: '-30d' },
}
const RETENTION = {
  kind: 'RetentionQuery',
  retentionFilter: {
    targetEntity: { id: '$pageview', type: 'events' },
    returningEntity: { id: '$pageview', type: 'events' },
    period: 'Day',
    totalIntervals: 7,
  },
}

const start = ({ host = location.origin, projectId, personalApiKey }) => {
  if (!personalApiKey || !projectId) {
    showNote(
      'This page needs the local service, or a project and a personal API key of the backend: npm start -- --help.',
    )
    byId('numbers').hidden = true
    return
  }
  // No retries: the page asks again anyway.
  const client = createClient({ host, projectId, personalApiKey, maxRetries: 0 })
  const ask = async (query) => (await client.query(query)).results

  whileVisible(POLL_INTERVAL_MS, async () => {
    try {
      // One after the other: a project runs two queries at once, and other pages ask, too.
      showTrend(await ask(TREND))
      byId('funnel').replaceChildren(...createFunnel((await ask(FUNNEL)).map(toStep)))
      showRetention(await ask(RETENTION))
      showNote('')
    } catch (error) {
      showNote(`The numbers cannot be read now: ${error.message}`)
    }
  })
}

const showNote = (note) => {
  byId('note').hidden = !note
  setText(byId('note'), note)
}

const toStep = ({ custom_name: customName, name, ...step }) => ({ ...step, name: customName || name })

const showTrend = (results) => {
  const lines = results.map(({ label, data, labels }) => ({
    name: label,
    data,
    // `31-Jan-2026 14:00`
    labels: labels.map((each) => each.split(' ').at(-1)),
  }))
  byId('trend').replaceChildren(createLineChart(lines))
  byId('trend-legend').replaceChildren(...createLegend(lines))
}

const showRetention = (cohorts) => {
  const { head, rows } = createRetention(cohorts)
  byId('retention-head').replaceChildren(head)
  byId('retention').replaceChildren(...rows)
}

start(config)
