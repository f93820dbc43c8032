import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startJourneyService } from '../../support/service.ts'
import { removeFolder } from '../../support/remove-folder.ts'
import type { RunningService } from '../../support/service.ts'
import { createAppFolder } from './create-app-folder.ts'
import { installAppPackages } from './install-app-packages.ts'
import { installWaymark } from './install-waymark.ts'
import { runJest } from './run-jest.ts'

const HERE = new URL('.', import.meta.url).pathname
const dataFolder = mkdtempSync(join(tmpdir(), 'waymark-expo-'))
let packages: string
let app: string
let service: RunningService
beforeAll(async () => {
  packages = await installAppPackages()
  service = await startJourneyService(dataFolder)
  app = createAppFolder(packages, 'expo')
  cpSync('demo/native', app, { recursive: true })
  installWaymark(app)
  writeFileSync(join(app, 'babel.config.js'), "module.exports = { presets: ['babel-preset-expo'] }")
}, 400_000)
afterAll(async () => {
  await service?.kill()
  if (app) await removeFolder(app)
  await removeFolder(dataFolder)
})

/** An app of expo-router, whose routes are in memory. */
const ROUTER_TEST = `
import { router, Slot, useNavigationContainerRef, usePathname, useSegments } from 'expo-router'
import { act, renderRouter } from 'expo-router/testing-library'
import { useEffect } from 'react'
import { init } from 'waymark/react-native'

const screensOf = async (useTracking) => {
  const screens = []
  const waymark = init('key', {
    host: 'http://127.0.0.1:9',
    captureLifecycle: false,
    preloadFeatureFlags: false,
    fetch: () => Promise.reject(new TypeError('Network request failed')),
    before_send: (event) => {
      if (event.event === '$screen') screens.push(event.properties.$screen_name)
      return event
    },
  })
  await waymark.ready()
  const Layout = () => {
    useTracking(waymark)
    return <Slot />
  }
  const Screen = () => null
  renderRouter({ _layout: Layout, index: Screen, 'users/[id]': Screen }, { initialUrl: '/' })
  for (const path of ['/users/7', '/users/8', '/']) await act(async () => router.push(path))
  // Not awaited, because the library of expo-router stops the timers.
  void waymark.shutdown()
  return screens
}

test('captures screens by the ref of the root', async () => {
  const useTracking = (waymark) => {
    const ref = useNavigationContainerRef()
    useEffect(() => waymark.trackNavigation(ref), [ref])
  }
  expect(await screensOf(useTracking)).toEqual(['index', 'users/[id]', 'users/[id]', 'index'])
})

test('captures screens by path, without the values in it', async () => {
  const useTracking = (waymark) => {
    const path = usePathname()
    const segments = useSegments()
    useEffect(() => waymark.trackPath(path, { getScreenName: () => '/' + segments.join('/') }), [path])
  }
  expect(await screensOf(useTracking)).toEqual(['/', '/users/[id]', '/users/[id]', '/'])
})
`

/** The sample app, as a visitor uses it. */
const SAMPLE_TEST = `
import { act, fireEvent, render } from '@testing-library/react-native'
import { App } from './App'
import { waymark } from './analytics'

jest.mock('@react-native-async-storage/async-storage', () =>
  require('@react-native-async-storage/async-storage/jest/async-storage-mock'),
)

test('captures nothing before the visitor agrees, and then what the visitor does', async () => {
  const { findByText, getByText, getByPlaceholderText } = render(<App />)
  const agree = await findByText('Agree')
  expect(waymark.isOptedOut()).toBe(true)
  await act(async () => fireEvent.press(agree))
  await act(async () => fireEvent.press(await findByText('Buy for 14 €')))
  await act(async () => fireEvent.press(getByText('Easily')))
  await act(async () => fireEvent.press(getByText('Account')))
  await act(async () => fireEvent.changeText(getByPlaceholderText('Your name'), 'Ada'))
  await act(async () => fireEvent.press(getByText('Sign in')))
  await act(async () => waymark.shutdown())
})
`

it('the sample app and an app of expo-router run in Jest, and the service has what the visitor did', async () => {
  const transformIgnorePatterns = [
    'node_modules/(?!((jest-)?react-native|@react-native(-community)?|@react-navigation|@?expo[^/]*|waymark)(/|$))',
  ]
  const manifest = { name: 'app', main: 'index.js', jest: { preset: 'jest-expo/ios', transformIgnorePatterns } }
  writeFileSync(join(app, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(app, 'router.test.js'), ROUTER_TEST)
  writeFileSync(join(app, 'sample.test.js'), SAMPLE_TEST)
  const env = { EXPO_PUBLIC_WAYMARK_KEY: service.apiKey, EXPO_PUBLIC_WAYMARK_HOST: service.url }
  expect(runJest(packages, app, env)).toMatchObject({ numPassedTests: 3, success: true })
  await service.settled()
  const rows = await service.query('SELECT event, count(*) FROM events GROUP BY event ORDER BY event')
  expect(rows).toEqual([
    ['$feature_flag_called', 1],
    ['$identify', 1],
    ['$screen', 2],
    ['map bought', 1],
    ['maps seen', 1],
    ['survey sent', 1],
    ['survey shown', 1],
  ])
}, 240_000)

it('Metro bundles the sample app, except for what is native', () => {
  writeFileSync(join(app, 'native.js'), 'module.exports = {}')
  execFileSync(process.execPath, [join(HERE, 'bundle.mjs'), packages, app, 'native.js'], { stdio: 'pipe' })
  const bundle = readFileSync(join(app, 'bundle.js'), 'utf8')
  expect(bundle).toContain('map bought')
  expect(bundle).toContain('waymark-react-native')
}, 120_000)
