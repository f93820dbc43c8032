/**
 * The agents of the bench, ours first. `script` is a file of `dist`, which starts by the attributes of its tag. `program` is the code of a
 * site, bundled with rollup and terser as a site would do it. `official` is the prebuilt browser file of the package; only its size is
 * measured.
 *
 * All settings are the defaults of each package except two that would drop the events of a bench: the filter of automated browsers and
 * the limit of events per second.
 *
 * @typedef {object} Agent
 * @property {string} name
 * @property {string} [script] The name of a file of `dist`.
 * @property {string} [program] A module that exports `start(host)`, `capture` and, if the agent has flags, `onFeatureFlags`.
 * @property {string} [packageName] The npm package with the version and the official file.
 * @property {string} [official] Path within the package.
 * @property {boolean} [hasFlags] Loads flags at its start.
 * @property {boolean} [onlyStart] Only measure the start, because another row has the other figures.
 */

const POSTHOG_OPTIONS = `{
  api_host: host,
  opt_out_useragent_filter: true,
  rate_limiting: { events_per_second: 1e6, events_burst_limit: 1e7 },
}`

/** The rows that the goals name. */
export const SCRIPT_TAG = 'waymark'
export const CAPTURE_SCRIPT = 'waymark, `script-capture.js`'
export const LITE_4 = 'posthog-js-lite'
export const LITE_3 = 'posthog-js-lite 3.4'
export const AMPLITUDE = 'Amplitude'

export const NAMED_BY_GOALS = new Set([SCRIPT_TAG, CAPTURE_SCRIPT, LITE_4, LITE_3, AMPLITUDE])

/** A page without an agent, to measure the overhead of page and measurement. */
export const EMPTY_PAGE = 'empty page'

/** @type {readonly Agent[]} */
export const AGENTS = [
  { name: SCRIPT_TAG, script: 'script-core.js', hasFlags: true },
  { name: CAPTURE_SCRIPT, script: 'script-capture.js', onlyStart: true },
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
    hasFlags: true,
    program: `import posthog from 'posthog-js'
      export const start = (host) => { posthog.init('bench', ${POSTHOG_OPTIONS}) }
      export const capture = (event, properties) => posthog.capture(event, properties)
      export const onFeatureFlags = (listener) => posthog.onFeatureFlags(listener)`,
  },
  {
    name: 'posthog-js 1.150',
    packageName: 'posthog-js-1.150',
    official: 'dist/array.js',
    hasFlags: true,
    program: `import posthog from 'posthog-js-1.150'
      export const start = (host) => {
        posthog.init('bench', ${POSTHOG_OPTIONS})
        // This version reads the option before it is set.
        Object.assign(posthog.rateLimiter, { captureEventsPerSecond: 1e6, captureEventsBurstLimit: 1e7 })
      }
      export const capture = (event, properties) => posthog.capture(event, properties)
      export const onFeatureFlags = (listener) => posthog.onFeatureFlags(listener)`,
  },
  {
    name: LITE_4,
    packageName: 'posthog-js-lite',
    hasFlags: true,
    program: `import { PostHog } from 'posthog-js-lite'
      let posthog
      export const start = (host) => { posthog = new PostHog('bench', { host }) }
      export const capture = (event, properties) => posthog.capture(event, properties)
      export const onFeatureFlags = (listener) => posthog.onFeatureFlags(listener)`,
  },
  {
    name: LITE_3,
    packageName: 'posthog-js-lite-3',
    hasFlags: true,
    program: `import { PostHog } from 'posthog-js-lite-3'
      let posthog
      export const start = (host) => { posthog = new PostHog('bench', { host }) }
      export const capture = (event, properties) => posthog.capture(event, properties)
      export const onFeatureFlags = (listener) => posthog.onFeatureFlags(listener)`,
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
    name: AMPLITUDE,
    packageName: '@amplitude/analytics-browser',
    official: 'lib/scripts/amplitude-min.js',
    program: `import * as amplitude from '@amplitude/analytics-browser'
      export const start = (host) => {
        amplitude.init('bench', { serverUrl: host + '/2/httpapi', remoteConfig: { serverUrl: host + '/config' } })
      }
      export const capture = (event, properties) => amplitude.track(event, properties)`,
  },
]
