import type { Waymark } from '../agent/waymark.ts'
import type { BrowserOptions } from './browser-entry.ts'
import { createInit } from './create-init.ts'
import { createDelivery } from './delivery-module.ts'

export type * from './index.ts'

/**
 * Starts the agent of a page like `init` of `waymark`, without a part that is loaded later: for service workers, and for bundles of one file.
 *
 * @param apiKey The project API key.
 */
export const init: (apiKey: string, options?: BrowserOptions) => Waymark = createInit(() => createDelivery)
