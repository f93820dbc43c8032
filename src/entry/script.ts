// The script for script tags.
import { flags, surveys } from '../agent/parts.ts'
import { lz64Form } from '../codec/lz64.ts'
import { startScript } from './start-script.ts'

startScript({ flags, surveys, lz64: lz64Form })
