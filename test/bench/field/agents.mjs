/**
 * The agents of the bench, ours first. `program` is the code of a site, bundled with rollup and terser as a site would do it.
 * `start(host)` is timed together with the evaluation of the bundle. `official` is the prebuilt browser file of the package; only its
 * size is measured.
 *
 * All settings are the defaults of each package except two that would drop the events of a bench: the filter of automated browsers and
 * the limit of events per second.
 *
 * @typedef {object} Agent
 * @property {string} name
 * @property {string} [program] A module that exports `start` and `capture`.
 * @property {string} [packageName] The npm package with the version and the official file.
 * @property {string} [official] Path within the package.
 * @property {boolean} [onlyStart] Only measure the start, because another row has the other figures.
 */

const POSTHOG_OPTIONS = `{
  api_host: host,
  opt_out_useragent_filter: true,
  rate_limiting: { events_per_second: 1e6, events_burst_limit: 1e7 },
}`

/** The script tag, which starts by itself with the attributes of its element. */
export const SCRIPT_TAG = 'waymark'

/** A page without an agent, to measure the overhead of page and measurement. */
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
        // This version reads the option before it is set.
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
