// What the entries of apps have in common beside `init`.
import { createMask } from '../agent/extras/mask.ts'
import type { MaskOptions } from '../agent/extras/mask.ts'
import type { BeforeSend } from '../capture/before-send.ts'

export type { BeforeSend, OutgoingEvent } from '../capture/before-send.ts'
export type { SendReport } from '../capture/post-events.ts'
export type { Status } from '../capture/status.ts'
export type { DropReason } from '../capture/drop-reason.ts'
export type { CaptureOptions } from '../capture/capture.ts'
export type { FlagResult, FlagsListener } from '../flags/flag-verbs.ts'
export type { FlagValue } from '../wire/decide.ts'
export type { Properties } from '../agent/waymark.ts'
export type { ReactNativeOptions } from './react-native-options.ts'
export type { MaskOptions } from '../agent/extras/mask.ts'
export type {
  ReactNativeWaymark as Waymark,
  TrackNavigationOptions,
  TrackPathOptions,
} from '../agent/react-native/waymark.ts'
export { touchHandlers } from '../autocapture/react-native/touch-handlers.ts'
export type { AppTouchEvent, TouchHandlers } from '../autocapture/react-native/touch-handlers.ts'
export type { Linking } from '../autocapture/react-native/watch-deep-links.ts'
export type { ErrorUtils } from '../autocapture/react-native/watch-exceptions.ts'
export type { AppState, NetInfo } from '../platform/react-native/app-lifecycle.ts'
export type { AppStorage } from '../platform/react-native/app-storage.ts'
export type { NavigationRef, Route } from '../port/navigation.ts'

/**
 * Creates a `before_send` that hides parts of all events, but not their distinct id. For deep links and screens, whose URLs and paths may
 * contain secrets and names. In URLs of an app's own scheme, the path begins after the scheme: `/users/7` in `shop://users/7`.
 *
 * @example before_send: mask({ maskUrlParameters: true, maskPaths: ['/users/:id'] })
 */
export const mask = (options: MaskOptions): BeforeSend => createMask(options) ?? ((event) => event)
