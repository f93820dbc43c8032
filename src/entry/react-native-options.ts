import { OPTION_NAMES } from '../agent/option-names.ts'
import type { Options } from '../agent/options.ts'
import type { Linking } from '../autocapture/react-native/watch-deep-links.ts'
import type { ErrorUtils } from '../autocapture/react-native/watch-exceptions.ts'
import type { AppState, NetInfo } from '../platform/react-native/app-lifecycle.ts'
import type { DescribingModules } from '../platform/react-native/app-properties.ts'
import type { GetRandomValues } from '../platform/react-native/app-random.ts'
import type { AppStorage } from '../platform/react-native/app-storage.ts'

/** Options that only pages have. */
type PageOption =
  | 'persistence'
  | 'crossSubdomainCookie'
  | 'capturePageview'
  | 'captureBots'
  | 'respectDnt'
  | 'extension'

/** Options of an agent in an app. */
export interface ReactNativeOptions extends Omit<Options, PageOption | 'host'>, DescribingModules {
  /** URL of the service: `https://…`. A trailing slash is allowed. */
  host: string
  /**
   * Where events, identity, consent and flags are kept, for example AsyncStorage. The agent is the only writer of keys that begin with
   * `waymark_`. Default: only in memory, with one warning.
   */
  storage?: AppStorage
  /**
   * `AppState` of React Native: events are delivered when the app goes to the background and when it comes back. Default: by time only,
   * and neither `Application Backgrounded` nor a later `Application Opened` is captured.
   */
  appState?: AppState
  /**
   * The default export of `@react-native-community/netinfo`: nothing is sent without a network, and events are delivered when it is back.
   * Default: the agent retries with its back-off, and when the app comes to the foreground.
   */
  netInfo?: NetInfo
  /**
   * Fills an array with random bytes, as `getRandomValues` of `expo-crypto` does. Default: that of the global `crypto`. Without one,
   * `Math.random`: two devices get the same ids if their engines create the same numbers at the same millisecond.
   */
  getRandomValues?: GetRandomValues
  /** Capture `Application Installed`, `Application Updated`, `Application Opened` and `Application Backgrounded`. Default true. */
  captureLifecycle?: boolean
  /**
   * `Linking` of React Native, or the module `expo-linking`: captures `Deep Link Opened` for each URL that opens the app, and adds the URL
   * to `Application Opened` of the start. URLs may contain secrets, see `mask`. Default: no URL is read.
   */
  linking?: Linking
  /**
   * `ErrorUtils`, a global of React Native: captures `$exception` for each error that nobody has caught, then calls the handler that was set
   * before; after a fatal error when the event is stored, at the latest after 2 seconds. At most 10 errors a minute are captured. Rejected
   * promises are not. Default: no errors are captured.
   */
  errorUtils?: ErrorUtils
  /** Replaces the platform's `fetch`, for events and flags. Default: the global `fetch`, looked up at each request. */
  fetch?: typeof fetch
}

/** A record, so that the compiler finds a missing option. */
const PAGE_OPTIONS: Readonly<Record<PageOption | 'tracingHeaders', 0>> = {
  persistence: 0,
  crossSubdomainCookie: 0,
  capturePageview: 0,
  captureBots: 0,
  respectDnt: 0,
  extension: 0,
  tracingHeaders: 0,
}

/** Options that only this agent has. True: an object of the app, which a second `init` may wrap anew. */
const APP_OPTIONS: Readonly<Record<Exclude<keyof ReactNativeOptions, keyof Options | 'fetch'>, boolean>> = {
  storage: true,
  appState: true,
  netInfo: true,
  linking: true,
  errorUtils: true,
  deviceInfo: true,
  application: true,
  device: true,
  constants: true,
  platform: true,
  dimensions: true,
  getRandomValues: false,
  captureLifecycle: false,
}

/** Names of all options of an agent in an app. */
export const REACT_NATIVE_OPTION_NAMES: readonly string[] = [
  ...OPTION_NAMES.filter((name) => !(name in PAGE_OPTIONS)),
  ...Object.keys(APP_OPTIONS),
]

/** Names of the options that are objects of the app. */
export const MODULE_OPTION_NAMES: readonly string[] = Object.entries(APP_OPTIONS).flatMap(([name, isModule]) =>
  isModule ? name : [],
)
