// The script for script tags.
import { OPTION_NAMES } from '../agent/option-names.ts'
import { flags, surveys } from '../agent/parts.ts'
import { startScript } from './start-script.ts'

startScript({ flags, surveys, optionNames: OPTION_NAMES })
