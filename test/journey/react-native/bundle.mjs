// Bundles an app with Metro: node bundle.mjs <folder with node_modules> <folder of the app, below it>. Writes `bundle.js` into the app.
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [, , packages, app] = process.argv
const Metro = createRequire(join(packages, 'package.json'))('metro')
const defaults = await Metro.loadConfig({ cwd: app }, {})
const config = {
  ...defaults,
  projectRoot: app,
  watchFolders: [packages],
  maxWorkers: 1,
  reporter: { update() {} },
  cacheStores: [],
  // As in `@react-native/metro-config`.
  resolver: { ...defaults.resolver, useWatchman: false, unstable_conditionNames: ['react-native'] },
}
await Metro.runBuild(config, {
  entry: 'index.js',
  out: join(app, 'bundle.js'),
  platform: 'android',
  dev: false,
  minify: false,
})
