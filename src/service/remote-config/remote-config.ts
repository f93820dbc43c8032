import type { RemoteConfig } from '../../wire/decide.ts'

/** What of a project every client may know. */
export interface ProjectFacts {
  readonly hasFeatureFlags: boolean
  /** Surveys that are not archived. */
  readonly hasSurveys: boolean
}

/**
 * What the service tells every client of a project beside the flags' values. Clients switch on what is true, and load scripts for it; what
 * is left out they take for whatever they knew before, so everything that this service does not have stands here as false or empty.
 */
export interface ServedConfig extends RemoteConfig {
  readonly token: string
  readonly hasFeatureFlags: boolean
  readonly surveys: boolean
  /** Path of single events, from which batches are sent, too. */
  readonly analytics: { readonly endpoint: string }
  /** `$autocapture` comes with the text `$elements_chain`, which takes half the room of the array. */
  readonly elementsChainAsString: boolean
  /** Anonymous events make no person, unless the client says otherwise. */
  readonly defaultIdentifiedOnly: boolean
  readonly sessionRecording: false
  readonly siteApps: readonly never[]
  readonly [absent: string]: unknown
}

/** What every answer of this service says, whatever the project. */
export const COMMON_CONFIG = {
  // `gzip-js` is what today's senders look for, and gzip by its first bytes is what they send then.
  supportedCompression: ['gzip', 'gzip-js', 'lz64', 'base64'],
  analytics: { endpoint: '/i/v0/e/' },
  elementsChainAsString: true,
  defaultIdentifiedOnly: true,
  autocapture_opt_out: false,
  autocaptureExceptions: false,
  capturePerformance: false,
  heatmaps: false,
  sessionRecording: false,
  siteApps: [],
} as const

/** The remote config of a project: `GET /array/<key>/config`. */
export const remoteConfig = (token: string, { hasFeatureFlags, hasSurveys }: ProjectFacts): ServedConfig => ({
  token,
  ...COMMON_CONFIG,
  hasFeatureFlags,
  surveys: hasSurveys,
  captureDeadClicks: false,
  conversations: false,
  errorTracking: { autocaptureExceptions: false, captureExtensionExceptions: false, suppressionRules: [] },
  logs: { captureConsoleLogs: false },
  productTours: false,
})

/**
 * The same as a script, for pages that load it by a script element: `GET /array/<key>/config.js`. Nothing in it can end the script
 * or its element.
 */
export const remoteConfigScript = (config: ServedConfig): string => {
  const member = { config, siteApps: [] }
  return (
    '(function(){var all=window._POSTHOG_REMOTE_CONFIG=window._POSTHOG_REMOTE_CONFIG||{};' +
    `all[${inScript(config.token)}]=${inScript(member)}})();\n`
  )
}

/** JSON as a script's text: without what ends a script element, and without the line ends that were none before ES2019. */
const inScript = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[<>\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
