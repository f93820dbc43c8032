import { EVALUATE_OPTION_NAMES } from '../agent/option-names.ts'
import type { ReactNativeWaymark } from '../agent/react-native/waymark.ts'
import { createLocalFlags } from '../flags/create-local-flags.ts'
import type { FlagDefinitions } from '../wire/definition.ts'
import { initReactNative } from './init-react-native.ts'
import { REACT_NATIVE_OPTION_NAMES } from './react-native-options.ts'
import type { ReactNativeOptions } from './react-native-options.ts'

export * from './evaluation-engine.ts'
export * from './react-native-shared.ts'

/**
 * Options of an agent that evaluates flags in the app. Users of the app can read the definitions: leave out flags whose conditions
 * are confidential, such as email addresses or names of customers.
 */
export interface ReactNativeEvaluateOptions extends ReactNativeOptions {
  /**
   * `definitions`: the body of `GET /flags/definitions?send_cohorts`, for example a JSON file in the app's bundle. Without `send_cohorts`,
   * flags with a cohort are requested from the service. The first read of a flag after `ready()` compiles it in about 0.1 ms and returns its
   * value. Default: none.
   */
  bootstrap?: NonNullable<ReactNativeOptions['bootstrap']> & { readonly definitions?: FlagDefinitions }
  /**
   * URL of newer definitions, requested by GET without cookies. Default: none.
   *
   * They are loaded with the first load of flags, every `flagsIntervalMs`, when the app comes to the foreground after that time, and by
   * `reloadFeatureFlags`. They are not stored: each start begins with those of `bootstrap`. If there are none yet and the request takes
   * longer than a second, all flags are requested from the service. If the load fails, the agent warns, keeps its definitions and retries
   * at the next load.
   */
  definitionsUrl?: string
  /**
   * False: the definitions contain all flags that this app uses. A flag without a definition keeps its bootstrapped or stored value, or has
   * none. True: the project has more flags, and each load requests them from the service. Default: false.
   */
  partialDefinitions?: boolean
}

/**
 * Starts the agent of an app like `init` of `waymark/react-native`, and evaluates flags in the app.
 *
 * A flag is evaluated here if its definition and the properties set for flags, in this run or an earlier one, suffice. Only the other
 * flags are requested from the service, by key. Without such a request there is no remote config either. Relative dates in conditions count
 * from the last load of flags.
 *
 * If an agent with this key is already running, it is returned and these options are ignored.
 *
 * @param apiKey The project API key.
 */
export const init = (apiKey: string, options: ReactNativeEvaluateOptions): ReactNativeWaymark =>
  initReactNative(apiKey, options, {
    optionNames: [...REACT_NATIVE_OPTION_NAMES, ...EVALUATE_OPTION_NAMES],
    local: createLocalFlags({
      definitions: options?.bootstrap?.definitions,
      definitionsUrl: options?.definitionsUrl,
      partialDefinitions: options?.partialDefinitions,
    }),
  })
