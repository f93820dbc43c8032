import { OPTION_NAMES } from '../agent/option-names.ts'
import type { Words } from '../agent/option-names.ts'
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

/** Page options, modules of an app and the other options of an app. Lists of words are smaller than records, and compile only if complete. */
const PAGE_WORDS = 'persistence crossSubdomainCookie capturePageview captureBots respectDnt extension tracingHeaders'
const MODULE_WORDS =
  'storage appState netInfo linking errorUtils deviceInfo application device constants platform dimensions'
const OTHER_WORDS = 'getRandomValues captureLifecycle'

type AppOption = Exclude<keyof ReactNativeOptions, keyof Options | 'fetch'>
type WordsOf<Complete, List extends string> = [Complete] extends [Words<List>] ? string : never

const pageWords: WordsOf<PageOption, typeof PAGE_WORDS> = PAGE_WORDS
const moduleWords: WordsOf<AppOption, `${typeof MODULE_WORDS} ${typeof OTHER_WORDS}`> = MODULE_WORDS

/** Names of the options that are objects of the app, which a second `init` may wrap anew. */
export const MODULE_OPTION_NAMES: readonly string[] = moduleWords.split(' ')

/** Names of all options of an agent in an app. */
export const REACT_NATIVE_OPTION_NAMES: readonly string[] = [
  ...OPTION_NAMES.filter((name) => !pageWords.split(' ').includes(name)),
  ...MODULE_OPTION_NAMES,
  ...OTHER_WORDS.split(' '),
]
