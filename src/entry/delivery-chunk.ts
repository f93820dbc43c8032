// The chunk `waymark-delivery-1.js`. A script of another version may load it: see `delivery-contract.ts`.
import type { CreateDelivery } from '../capture/delivery.ts'
import { deliverFromBrowser } from './browser-delivery.ts'

export const createDelivery: CreateDelivery = deliverFromBrowser()
