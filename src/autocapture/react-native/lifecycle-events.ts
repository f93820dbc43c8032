import { callAll } from '../../lib/call-all.ts'
import type { KeyValue } from '../../port/key-value.ts'
import type { Lifecycle } from '../../port/lifecycle.ts'
import { noop } from '../../lib/noop.ts'
import { once } from '../../lib/once.ts'
import { AppEventName } from '../../wire/event.ts'
import { parseJson } from '../../wire/parse-json.ts'

/** What the app says about itself; undefined where it says nothing. */
export interface AppVersion {
  readonly version: unknown
  readonly build: unknown
}

/** How the app was started. */
export interface AppStart {
  readonly time: Date
  /** Resolves soon with the URL that has started the app; with undefined when it is not known. */
  readonly url: Promise<string | undefined>
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
 * @param start `Application Opened` of this start waits for its URL, until the app goes to the background. Default: the URL is not captured.
 * @returns Stops the captures.
 */
export const watchAppLifecycle = (
  capture: (event: string, properties?: object, options?: { readonly timestamp: Date }) => void,
  { version, build }: AppVersion,
  storage: KeyValue,
  lifecycle: Lifecycle & { readonly isActive: () => boolean },
  mayStore: () => boolean,
  start?: AppStart,
): (() => void) => {
  let hasOpened = false
  let reportStart: (url: string | undefined) => void = noop
  const open = (openedBy?: AppStart): void => {
    const properties = { version, build, from_background: hasOpened }
    hasOpened = true
    if (!openedBy) return capture(AppEventName.opened, properties)
    reportStart = once((url) => capture(AppEventName.opened, { ...properties, url }, { timestamp: openedBy.time }))
    void openedBy.url.then(reportStart)
  }

  const reportVersion = (): void => {
    if (!mayStore()) return
    const current = JSON.stringify([version, build])
    const stored = storage.get(VERSION_KEY)
    if (stored === current) return
    const [previous_version, previous_build] = (parseJson(stored ?? '[]') ?? []) as unknown[]
    if (stored === null) capture(AppEventName.installed, { version, build })
    else capture(AppEventName.updated, { version, build, previous_version, previous_build })
    storage.set(VERSION_KEY, current)
  }

  reportVersion()
  if (lifecycle.isActive()) open(start)
  return callAll([
    lifecycle.onWake((cause) => cause === 'visible' && open()),
    lifecycle.onHidden(() => {
      // The app may end before the URL is known.
      reportStart(undefined)
      capture(AppEventName.backgrounded)
    }),
  ])
}
