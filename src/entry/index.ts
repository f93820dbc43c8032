import type { Waymark } from '../agent/waymark.ts'
import type { BrowserOptions } from './browser-entry.ts'
import { createInit } from './create-init.ts'
import { loadDescriber } from './load-describer.ts'
import { once } from '../lib/once.ts'
import { createLogger } from '../platform/web/logger.ts'

export type { BeforeSend, OutgoingEvent } from '../capture/before-send.ts'
export type { SendReport } from '../capture/post-events.ts'
export type { Status } from '../capture/status.ts'
export type { DropReason } from '../capture/drop-reason.ts'
export type { CaptureOptions } from '../capture/capture.ts'
export type { FlagResult, FlagsListener } from '../flags/flag-verbs.ts'
export type { FlagValue } from '../wire/decide.ts'
export type { EventKey, PropertiesOf } from '../wire/typed-events.ts'
export type { FlagKey, FlagValueOf } from '../wire/typed-flags.ts'
export type { BrowserOptions } from './browser-entry.ts'
export type { Options, Persistence } from '../agent/options.ts'
export type { Properties, Waymark } from '../agent/waymark.ts'
export type { WaymarkGlobal } from './window.ts'

const warnOfWorker = once<unknown>((error) =>
  createLogger(loadDescriber).warn(
    'events are kept, but not delivered: use waymark/full in a service worker:',
    String(error),
  ),
)

/**
 * Starts the agent of a page. Never throws. Without a key, or without a `host` outside of http(s) pages, the agent does nothing and warns on
 * the console. On a server, which has no `location`, it does nothing: it would count all visitors as one person.
 *
 * A second call with the same key returns the running agent and ignores its options. A call with another key starts a second agent.
 *
 * The code that delivers events is loaded when the page rests, at the latest when a request is due. Where `import()` is forbidden, as in a
 * service worker, use `waymark/full`.
 *
 * @param apiKey The project API key.
 */
export const init: (apiKey: string, options?: BrowserOptions) => Waymark = createInit(() =>
  import('./delivery-module.ts').then(
    ({ createDelivery }) => createDelivery,
    (error: unknown) => {
      // A page tries again, and its events leave by a beacon.
      if (!globalThis.document) warnOfWorker(error)
      throw error
    },
  ),
)
