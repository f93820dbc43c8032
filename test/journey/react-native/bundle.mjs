// Bundles an app with Metro: node bundle.mjs <folder with node_modules> <folder of the app, below it> [stub]. Writes `bundle.js` into the
// app. A stub takes the place of React Native and of the native packages of Expo: Babel needs half a minute for their 1,000 files. What is
// compiled stays in the folder of the packages for the next run, which knows it again if the app has the same path.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [, , packages, app, stub] = process.argv
const NATIVE = /^(react-native|expo)([-/]|$)/
const load = createRequire(join(packages, 'package.json'))
const Metro = load('metro')
const { FileStore } = load('metro-cache')
const defaults = await Metro.loadConfig({ cwd: app }, {})
const config = {
  ...defaults,
  projectRoot: app,
  watchFolders: [packages],
  maxWorkers: 1,
  reporter: { update() {} },
  cacheStores: [new FileStore({ root: join(packages, 'metro-cache') })],
  // Metro does not look at it.
  cacheVersion: readFileSync(join(app, 'babel.config.js'), 'utf8'),
  // As in `@react-native/metro-config`.
  transformer: {
    ...defaults.transformer,
    allowOptionalDependencies: true,
    assetRegistryPath: '@react-native/assets-registry/registry',
  },
  resolver: {
    ...defaults.resolver,
    useWatchman: false,
    unstable_conditionNames: ['react-native'],
    resolveRequest: (context, name, platform) =>
      stub && NATIVE.test(name)
        ? { type: 'sourceFile', filePath: join(app, stub) }
        : context.resolveRequest(context, name, platform),
  },
}
await Metro.runBuild(config, {
  entry: 'index.js',
  out: join(app, 'bundle.js'),
  platform: 'android',
  dev: false,
  minify: false,
})
