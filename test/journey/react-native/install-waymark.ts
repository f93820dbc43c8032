import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** Puts the built package into the `node_modules` of an app. */
export const installWaymark = (app: string): void => {
  const waymark = join(app, 'node_modules/waymark')
  mkdirSync(join(waymark, 'dist'), { recursive: true })
  for (const file of ['package.json', 'dist/index.js', 'dist/react-native.js', 'dist/react-native.cjs'])
    cpSync(file, join(waymark, file))
}
