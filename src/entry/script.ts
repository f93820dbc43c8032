// The complete script for script tags, in one file that a page can copy.
import { OPTION_NAMES } from '../agent/option-names.ts'
import { flags, surveys } from '../agent/parts.ts'
import { deliverFromBrowser } from './browser-delivery.ts'
import { startScript } from './start-script.ts'

startScript({ flags, surveys, optionNames: OPTION_NAMES, loadDelivery: () => deliverFromBrowser() })
