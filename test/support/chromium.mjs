import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Program names of Chromium and of browsers based on it. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge']

/** Usual install paths outside of the search path. */
const USUAL_PATHS = [
  '/usr/bin/chromium',
  '/usr/lib/chromium/chromium',
  '/snap/bin/chromium',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
]

/**
 * Finds Chromium or Chrome: `CHROMIUM_PATH`, else the first one on the search path, else one of the usual paths.
 *
 * @returns {string}
 * @throws With instructions to install one.
 */
export const findChromium = () => {
  const fromEnvironment = process.env['CHROMIUM_PATH']
  if (fromEnvironment) {
    if (isExecutable(fromEnvironment)) return fromEnvironment
    throw new Error(`CHROMIUM_PATH is ${fromEnvironment}, which is not an executable program.`)
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)
  const path = [...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), ...USUAL_PATHS].find(
    isExecutable,
  )
  if (path) return path
  throw new Error(
    'No Chromium or Chrome found: install one (on Debian or Ubuntu: `apt-get install chromium`) or set CHROMIUM_PATH to its program.',
  )
}

/** @param {string} path */
const isExecutable = (path) => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
