// The script for script tags.
import { OPTION_NAMES } from '../agent/option-names.ts'
import { flags, surveys } from '../agent/parts.ts'
import { lz64Form } from '../codec/lz64.ts'
import { startScript } from './start-script.ts'

startScript({ flags, surveys, lz64: lz64Form, optionNames: OPTION_NAMES })
