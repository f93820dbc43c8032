import type { RemoteConfig } from '../../wire/decide.ts'

/** Which features a project uses. This is public. */
export interface ProjectFeatures {
  readonly hasFeatureFlags: boolean
  /** Whether a survey is running. */
  readonly hasSurveys: boolean
}

/**
 * The settings that the service sends to every client of a project. Clients enable what is true, and load scripts for it. For
 * missing settings they keep their previous values, so unsupported features are listed as false or empty.
 */
export interface ServiceConfig extends RemoteConfig {
  readonly token: string
  readonly hasFeatureFlags: boolean
  readonly surveys: boolean
  /** Path for single events; clients send batches there, too. */
  readonly analytics: { readonly endpoint: string }
  /** `$autocapture` events contain the string `$elements_chain`, which is half the size of the array `$elements`. */
  readonly elementsChainAsString: boolean
  /** Anonymous events create no person, unless the client overrides this. */
  readonly defaultIdentifiedOnly: boolean
  readonly sessionRecording: false
  readonly siteApps: readonly never[]
  readonly [absent: string]: unknown
}

/** The settings that are the same for every project. */
export const COMMON_CONFIG = {
  // Current senders check for `gzip-js` and then send gzip. The service recognises gzip by its first bytes.
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

/** Creates the remote config of a project, for `GET /array/<key>/config`. */
export const createRemoteConfig = (token: string, { hasFeatureFlags, hasSurveys }: ProjectFeatures): ServiceConfig => ({
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
 * Creates the remote config as a script, for pages that load it with a script element: `GET /array/<key>/config.js`. No value
 * in it can end the script or its element.
 */
export const createRemoteConfigScript = (config: ServiceConfig): string => {
  const member = { config, siteApps: [] }
  return (
    '(function(){var all=window._POSTHOG_REMOTE_CONFIG=window._POSTHOG_REMOTE_CONFIG||{};' +
    `all[${toScriptLiteral(config.token)}]=${toScriptLiteral(member)}})();\n`
  )
}

/** JSON for use in a script: escapes what could end the script element, and the line separators that strings allow only since ES2019. */
const toScriptLiteral = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[<>\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
