// The script for script tags of pages that use neither flags nor surveys.
import { deliverFromBrowser } from './browser-delivery.ts'
import { startScript } from './start-script.ts'

startScript({ loadDelivery: () => deliverFromBrowser() })
