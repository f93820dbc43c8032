import { cpSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Puts the built package into the `node_modules` of an app. */
export const installWaymark = (app: string): void => {
  const waymark = join(app, 'node_modules/waymark')
  mkdirSync(join(waymark, 'dist'), { recursive: true })
  cpSync('package.json', join(waymark, 'package.json'))
  // Without the agents of servers and the service.
  cpSync('dist', join(waymark, 'dist'), {
    recursive: true,
    filter: (path) => statSync(path).isDirectory() || /react|index|evaluate/.test(path),
  })
}
