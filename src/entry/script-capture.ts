// The script for script tags of pages that use neither flags nor surveys.
import { startScript } from './start-script.ts'

startScript({})
