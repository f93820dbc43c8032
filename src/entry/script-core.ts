// The script for script tags that loads what delivers the events when the page rests: `/waymark.js` of the service.
import { OPTION_NAMES } from '../agent/option-names.ts'
import { flags, surveys } from '../agent/parts.ts'
import { DELIVERY_CONTRACT } from './delivery-contract.ts'
import { importChunk, startScript } from './start-script.ts'

const loadDelivery = async () => (await importChunk(`delivery-${DELIVERY_CONTRACT}`)).createDelivery

startScript({ flags, surveys, optionNames: OPTION_NAMES, loadDelivery })
