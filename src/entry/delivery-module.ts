// The delivery of bundles: `waymark` loads it when the page rests, other entries have it at once.
import type { CreateDelivery } from '../capture/delivery.ts'
import { deliverFromBrowser } from './browser-delivery.ts'
import { lazyGzip } from './lazy-gzip.ts'

export const createDelivery: CreateDelivery = deliverFromBrowser(lazyGzip)
