import type { Waymark } from '../agent/waymark.ts'
import type { BrowserOptions } from './browser-entry.ts'
import { createInit } from './create-init.ts'
import { createDelivery } from './delivery-module.ts'

export type * from './index.ts'

/**
 * Starts the agent of a page like `init` of `waymark`, with the code that delivers events at once: for service workers, and for pages that may
 * not load it later. Only the sentences of debug mode, and gzip where the browser has none, are loaded when needed.
 *
 * @param apiKey The project API key.
 */
export const init: (apiKey: string, options?: BrowserOptions) => Waymark = createInit(() => createDelivery)
