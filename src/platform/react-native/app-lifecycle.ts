import { callAll } from '../../lib/call-all.ts'
import type { Lifecycle } from '../../port/lifecycle.ts'
import { noop } from '../../lib/noop.ts'
import { tryOr } from '../../lib/try-or.ts'

/** `AppState` of React Native. */
export interface AppState {
  /** `active`, `background`, or `inactive` for a moment between the two. Missing or null while unknown. */
  readonly currentState?: string | null
  addEventListener(type: 'change', listener: (state: string) => void): { remove(): void } | undefined | void
}

/** The default export of `@react-native-community/netinfo`. */
export interface NetInfo {
  addEventListener(listener: (state: { readonly isConnected: boolean | null }) => void): () => void
}

/** The lifecycle of an app. It ends without notice: `onUnload` never calls. */
export interface AppLifecycle extends Lifecycle {
  /** False while the app is in the background. */
  isActive(): boolean
}

/**
 * @param appState Default: the app counts as active for ever.
 * @param netInfo Tells when the network is back. Default: the network counts as available.
 */
export const createAppLifecycle = (appState: AppState | undefined, netInfo: NetInfo | undefined): AppLifecycle => {
  let isConnected = true

  /** Calls the listener when the app goes to the background, or comes back. `inactive` is neither. */
  const onChange = (listener: (isActive: boolean) => void): (() => void) => {
    let wasActive = isActive()
    // Throws where the native module is missing.
    const subscription = tryOr(() =>
      appState?.addEventListener('change', (state) => {
        if (state !== (wasActive ? 'background' : 'active')) return
        wasActive = !wasActive
        listener(wasActive)
      }),
    )
    return () => subscription?.remove()
  }
  const isActive = (): boolean => appState?.currentState !== 'background'

  const onOnline = (listener: () => void): (() => void) => {
    // Per listener, because each of them must hear of the change.
    let wasConnected = isConnected
    const stop = tryOr(() =>
      netInfo?.addEventListener((state) => {
        isConnected = state.isConnected !== false
        if (isConnected && !wasConnected) listener()
        wasConnected = isConnected
      }),
    )
    return stop ?? noop
  }

  return {
    isActive,
    onWake: (listener) =>
      callAll([onChange((isActive) => isActive && listener('visible')), onOnline(() => listener('online'))]),
    onHidden: (listener) => onChange((isActive) => isActive || listener()),
    onUnload: () => noop,
    isOnline: () => isConnected,
  }
}
