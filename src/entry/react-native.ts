import type { ReactNativeWaymark } from '../agent/react-native/waymark.ts'
import { initReactNative } from './init-react-native.ts'
import type { ReactNativeOptions } from './react-native-options.ts'

export type { BeforeSend, OutgoingEvent } from '../capture/before-send.ts'
export type { SendReport } from '../capture/post-events.ts'
export type { Status } from '../capture/status.ts'
export type { DropReason } from '../capture/drop-reason.ts'
export type { CaptureOptions } from '../capture/capture.ts'
export type { FlagResult, FlagsListener } from '../flags/flag-verbs.ts'
export type { FlagValue } from '../wire/decide.ts'
export type { Properties } from '../agent/waymark.ts'
export type { ReactNativeOptions } from './react-native-options.ts'
export type { ReactNativeWaymark as Waymark, TrackNavigationOptions } from '../agent/react-native/waymark.ts'
export type { AppState, NetInfo } from '../platform/react-native/app-lifecycle.ts'
export type { AppStorage } from '../platform/react-native/app-storage.ts'
export type { NavigationRef, Route } from '../port/navigation.ts'

/**
 * Starts the agent of an app. Never throws: without a key or a `host` the agent does nothing and warns on the console.
 *
 * A second call with the same key returns the running agent and ignores its options. A call with another key starts a second agent.
 *
 * @param apiKey The project API key.
 */
export const init = (apiKey: string, options: ReactNativeOptions): ReactNativeWaymark =>
  initReactNative(apiKey, options)
