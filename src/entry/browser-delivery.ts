import { createDelivery } from '../capture/delivery.ts'
import type { CreateDelivery } from '../capture/delivery.ts'
import { createBrowserChannel } from '../platform/browser/channel.ts'
import { createStreamCompressor } from '../platform/web/compressor.ts'
import { createBrowserLock } from '../platform/browser/lock.ts'
import type { Compressor } from '../port/compressor.ts'
import { siteName } from './site-name.ts'

/**
 * Creates the delivery of a page, with all that only the delivery needs of the browser.
 *
 * @param gzip Used where the browser has no gzip. Default: none.
 */
export const deliverFromBrowser =
  (gzip?: Compressor): CreateDelivery =>
  (options, ports) => {
    const name = siteName(options.host, options.apiKey)
    return createDelivery(options, ports, {
      compressor: createStreamCompressor(gzip),
      lock: createBrowserLock(name),
      channel: createBrowserChannel(name, ports.lifecycle),
    })
  }
