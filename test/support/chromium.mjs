import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The names under which Chromium and its relatives are installed. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge']

/** Where they are when the search path does not know them. */
const USUAL_PLACES = [
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
 * The path of a Chromium or Chrome: `CHROMIUM_PATH`, else the first one on the search path, else in the usual places.
 *
 * @returns {string}
 * @throws With one sentence on how to get one.
 */
export const findChromium = () => {
  const asked = process.env['CHROMIUM_PATH']
  if (asked) {
    if (isExecutable(asked)) return asked
    throw new Error(`CHROMIUM_PATH is ${asked}, which is not a program that can be run.`)
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)
  const found = [...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), ...USUAL_PLACES].find(
    isExecutable,
  )
  if (found) return found
  throw new Error(
    'No Chromium or Chrome was found: install one (on Debian or Ubuntu: `apt-get install chromium`) or set CHROMIUM_PATH to its program.',
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
