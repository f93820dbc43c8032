// What `waymark` loads when the page rests.
import type { CreateDelivery } from '../capture/delivery.ts'
import { deliverFromBrowser } from './browser-delivery.ts'
import { lazyGzip } from './lazy-gzip.ts'

export const createDelivery: CreateDelivery = deliverFromBrowser(lazyGzip)
