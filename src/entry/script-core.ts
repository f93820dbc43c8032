// The script for script tags that loads what delivers the events when the page rests: `/waymark.js` of the service.
import { OPTION_NAMES } from '../agent/option-names.ts'
import { flags, surveys } from '../agent/parts.ts'
import { DELIVERY_CONTRACT } from './delivery-contract.ts'
import type { BrowserEntry } from './browser-entry.ts'
import { importChunk, startScript } from './start-script.ts'

let attempts = 0

const loadDelivery: BrowserEntry['loadDelivery'] = async (host) => {
  // A browser may remember for the life of a page that an address could not be imported: each attempt has its own.
  const name = `delivery-${DELIVERY_CONTRACT}.js${attempts ? `?${attempts}` : ''}`
  attempts++
  return (await importChunk(name, host)).createDelivery
}

startScript({ flags, surveys, optionNames: OPTION_NAMES, loadDelivery })
