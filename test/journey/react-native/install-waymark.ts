import { cpSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Puts the built package, and what it depends on in an app, into the `node_modules` of an app. */
export const installWaymark = (app: string): void => {
  const waymark = join(app, 'node_modules/waymark')
  mkdirSync(join(waymark, 'dist'), { recursive: true })
  for (const file of ['package.json', 'dist/index.js', 'dist/react-native.js']) cpSync(file, join(waymark, file))
  cpSync(resolve('node_modules/fflate'), join(app, 'node_modules/fflate'), { recursive: true, dereference: true })
}
