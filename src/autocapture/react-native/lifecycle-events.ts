import type { KeyValue } from '../../port/key-value.ts'
import type { Lifecycle } from '../../port/lifecycle.ts'
import { AppEventName } from '../../wire/event.ts'
import { parseJson } from '../../wire/parse-json.ts'

/** What the app says about itself; undefined where it says nothing. */
export interface AppVersion {
  readonly version: unknown
  readonly build: unknown
}

/** Key of the stored `[version, build]` of the last run. The storage writes it after the event that reports it. */
export const VERSION_KEY = 'app'

/**
 * Captures the lifecycle events of an app: `Application Installed` at the first start, `Application Updated` at the first start of another
 * version or build, `Application Opened` at a start and on each return to the foreground, `Application Backgrounded`.
 *
 * An app that starts in the background, for a push message for example, is opened when it comes to the foreground.
 *
 * @param mayStore While false, the version is neither reported nor stored: a later start reports it.
 * @returns Stops the captures.
 */
export const watchAppLifecycle = (
  capture: (event: string, properties?: object) => void,
  { version, build }: AppVersion,
  storage: KeyValue,
  lifecycle: Lifecycle & { readonly isActive: () => boolean },
  mayStore: () => boolean,
): (() => void) => {
  let hasOpened = false
  const open = (): void => {
    capture(AppEventName.opened, { version, build, from_background: hasOpened })
    hasOpened = true
  }

  const reportVersion = (): void => {
    if (!mayStore()) return
    const current = JSON.stringify([version ?? null, build ?? null])
    const stored = storage.get(VERSION_KEY)
    if (stored === current) return
    const [previous_version, previous_build] = (parseJson(stored ?? '[]') ?? []) as unknown[]
    if (stored === null) capture(AppEventName.installed, { version, build })
    else capture(AppEventName.updated, { version, build, previous_version, previous_build })
    storage.set(VERSION_KEY, current)
  }

  reportVersion()
  if (lifecycle.isActive()) open()
  const stopWake = lifecycle.onWake((cause) => cause === 'visible' && open())
  const stopHidden = lifecycle.onHidden(() => capture(AppEventName.backgrounded))
  return () => {
    stopWake()
    stopHidden()
  }
}
