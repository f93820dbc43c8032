import { tryOr } from '../../lib/try-or.ts'
import { AppEventName } from '../../wire/event.ts'
import { isNonBlankString } from '../../wire/is-non-blank-string.ts'

/** `Linking` of React Native, or the module `expo-linking`. */
export interface Linking {
  getInitialURL(): Promise<string | null>
  addEventListener(
    type: 'url',
    listener: (event: { readonly url: string }) => void,
  ): { remove(): void } | undefined | void
}

/** Resolves with the URL that has started the app; with undefined when there is none, or the native module is missing. Never rejects. */
export const readInitialUrl = (linking: Linking): Promise<string | undefined> =>
  // The constructor turns an exception into a rejection.
  new Promise<string | null>((resolve) => resolve(linking.getInitialURL())).then(
    (url) => url ?? undefined,
    () => undefined,
  )

/** API keys whose agent has reported the URL that has started the app. `Linking` keeps it until the app ends, an agent may not. */
const reportedBy = new WeakMap<Linking, Set<string>>()

/**
 * Captures `Deep Link Opened` for the URL that has started the app, and for each URL that opens it later. The first one is captured
 * once per API key, also when the agent is shut down and started again.
 *
 * @param initialUrl The result of `readInitialUrl`.
 * @returns Stops it.
 */
export const watchDeepLinks = (
  linking: Linking,
  initialUrl: Promise<string | undefined>,
  apiKey: string,
  capture: (event: string, properties: object) => void,
): (() => void) => {
  let isStopped = false
  const report = (url: unknown): void => {
    if (!isStopped && isNonBlankString(url)) capture(AppEventName.deepLinkOpened, { url })
  }
  void initialUrl.then((url) => {
    const reported = reportedBy.get(linking) ?? new Set()
    if (isStopped || reported.has(apiKey)) return
    reportedBy.set(linking, reported.add(apiKey))
    report(url)
  })
  // Throws where the native module is missing.
  const subscription = tryOr(() => linking.addEventListener('url', ({ url }) => report(url)))
  return () => {
    isStopped = true
    subscription?.remove()
  }
}
