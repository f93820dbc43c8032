import type { ReactNativeWaymark } from '../agent/react-native/waymark.ts'
import { initReactNative } from './init-react-native.ts'
import { REACT_NATIVE_OPTION_NAMES } from './react-native-options.ts'
import type { ReactNativeOptions } from './react-native-options.ts'

export * from './react-native-shared.ts'

/**
 * Starts the agent of an app. Never throws: without a key or a `host` the agent does nothing and warns on the console.
 *
 * A second call with the same key returns the running agent and ignores its options. A call with another key starts a second agent.
 *
 * @param apiKey The project API key.
 */
export const init = (apiKey: string, options: ReactNativeOptions): ReactNativeWaymark =>
  initReactNative(apiKey, options, { optionNames: REACT_NATIVE_OPTION_NAMES })
