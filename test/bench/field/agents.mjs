/**
 * The agents of the bench, ours first. `program` is what a site's own code would say, bundled by rollup and terser as a site would do
 * it; `start(host)` is timed with the evaluation of the bundle. `official` is the ready-made browser file of the package, for its size alone.
 *
 * Settings are each package's defaults but for two, which would drop events of a bench: the filter of automated browsers and
 * the limit of events per second.
 *
 * @typedef {object} Agent
 * @property {string} name
 * @property {string} [program] A module that exports `start` and `capture`.
 * @property {string} [packageName] Where its version and official file are.
 * @property {string} [official] Inside the package.
 * @property {boolean} [onlyStart] Leave out what another row has measured already.
 */

const POSTHOG_OPTIONS = `{
  api_host: host,
  opt_out_useragent_filter: true,
  rate_limiting: { events_per_second: 1e6, events_burst_limit: 1e7 },
}`

/** The script tag: starts by itself from the attributes of its element. */
export const SCRIPT_TAG = 'waymark'

/** Nothing at all: what the page and the measuring itself take. */
export const EMPTY_PAGE = 'empty page'

/** @type {readonly Agent[]} */
export const AGENTS = [
  { name: SCRIPT_TAG },
  {
    name: 'waymark, bundled import',
    program: `import { init } from 'waymark'
      let waymark
      export const start = (host) => { waymark = init('bench', { host }) }
      export const capture = (event, properties) => waymark.capture(event, properties)`,
    onlyStart: true,
  },
  {
    name: 'posthog-js',
    packageName: 'posthog-js',
    official: 'dist/array.js',
    program: `import posthog from 'posthog-js'
      export const start = (host) => { posthog.init('bench', ${POSTHOG_OPTIONS}) }
      export const capture = (event, properties) => posthog.capture(event, properties)`,
  },
  {
    name: 'posthog-js 1.150',
    packageName: 'posthog-js-1.150',
    official: 'dist/array.js',
    program: `import posthog from 'posthog-js-1.150'
      export const start = (host) => {
        posthog.init('bench', ${POSTHOG_OPTIONS})
        // Reads its option before it is set.
        Object.assign(posthog.rateLimiter, { captureEventsPerSecond: 1e6, captureEventsBurstLimit: 1e7 })
      }
      export const capture = (event, properties) => posthog.capture(event, properties)`,
  },
  {
    name: 'posthog-js-lite',
    packageName: 'posthog-js-lite',
    program: `import { PostHog } from 'posthog-js-lite'
      let posthog
      export const start = (host) => { posthog = new PostHog('bench', { host }) }
      export const capture = (event, properties) => posthog.capture(event, properties)`,
  },
  {
    name: 'Segment',
    packageName: '@segment/analytics-next',
    official: 'dist/umd/index.js',
    program: `import { AnalyticsBrowser } from '@segment/analytics-next'
      let analytics
      export const start = (host) => {
        const api = { apiHost: host.replace('http://', '') + '/v1', protocol: 'http' }
        analytics = AnalyticsBrowser.load({ writeKey: 'bench', cdnURL: host }, { integrations: { 'Segment.io': api } })
      }
      export const capture = (event, properties) => analytics.track(event, properties)`,
  },
  {
    name: 'Snowplow',
    packageName: '@snowplow/browser-tracker',
    official: 'dist/index.umd.min.js',
    program: `import { newTracker, trackSelfDescribingEvent } from '@snowplow/browser-tracker'
      export const start = (host) => { newTracker('bench', host, { appId: 'bench' }) }
      export const capture = (event, data) => {
        const schema = 'iglu:com.example/' + event.replace(' ', '_') + '/jsonschema/1-0-0'
        trackSelfDescribingEvent({ event: { schema, data } })
      }`,
  },
  {
    name: 'Amplitude',
    packageName: '@amplitude/analytics-browser',
    official: 'lib/scripts/amplitude-min.js',
    program: `import * as amplitude from '@amplitude/analytics-browser'
      export const start = (host) => {
        amplitude.init('bench', { serverUrl: host + '/2/httpapi', remoteConfig: { serverUrl: host + '/config' } })
      }
      export const capture = (event, properties) => amplitude.track(event, properties)`,
  },
]
