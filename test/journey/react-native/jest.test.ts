import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { installAppPackages } from './install-app-packages.ts'
import { installWaymark } from './install-waymark.ts'

let packages: string
let app: string
beforeAll(async () => {
  packages = await installAppPackages()
  app = mkdtempSync(join(packages, 'app-'))
  installWaymark(app)
}, 400_000)
afterAll(() => app && rmSync(app, { recursive: true, force: true }))

/** The test of an app, as the README advises. */
const APP_TEST = `
import AsyncStorage from '@react-native-async-storage/async-storage'
import { act } from 'react'
import { AppState, Dimensions, Linking, Platform, Pressable, Text, View } from 'react-native'
import { create } from 'react-test-renderer'
import { init, touchHandlers } from 'waymark'

jest.mock('@react-native-async-storage/async-storage', () =>
  require('@react-native-async-storage/async-storage/jest/async-storage-mock'),
)

const start = (fetch) =>
  init('key', {
    host: 'https://waymark.test',
    storage: AsyncStorage,
    appState: AppState,
    dimensions: Dimensions,
    linking: Linking,
    errorUtils: ErrorUtils,
    platform: Platform,
    preloadFeatureFlags: false,
    disableCompression: true,
    fetchRetryCount: 0,
    fetch,
  })

const events = []
const startOnline = () =>
  start(async (url, { body }) => {
    events.push(...JSON.parse(body).batch)
    return { status: 200, headers: { get: () => null }, text: async () => '{}' }
  })

test('keeps the user and the events of a run without a network', async () => {
  const offline = start(() => Promise.reject(new TypeError('Network request failed')))
  offline.identify('jest-user')
  offline.capture('early')
  await offline.shutdown()

  const online = startOnline()
  await online.ready()
  expect(online.getDistinctId()).toBe('jest-user')
  await online.shutdown()
  expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(['Application Installed', 'early']))
  expect(events.filter(({ event }) => event === 'early')).toHaveLength(1)
  expect(events[0].properties).toMatchObject({ $os: 'iOS', $screen_width: expect.any(Number) })
  expect((await AsyncStorage.getAllKeys()).filter((key) => key.includes('_e/'))).toEqual([])
})

test('stores a fatal error before the handler of the app, and gives that back', async () => {
  let end
  const ended = new Promise((resolve) => (end = resolve))
  const isStored = async () => {
    const keys = await AsyncStorage.getAllKeys()
    return JSON.stringify(await AsyncStorage.multiGet(keys)).includes('no cart')
  }
  const handler = jest.fn(() => end(isStored()))
  ErrorUtils.setGlobalHandler(handler)
  const waymark = startOnline()
  const error = new TypeError('no cart')
  ErrorUtils.reportFatalError(error)
  expect(handler).not.toHaveBeenCalled()
  expect(await ended).toBe(true)
  expect(handler.mock.calls).toEqual([[error, true]])
  await waymark.shutdown()
  expect(ErrorUtils.getGlobalHandler()).toBe(handler)
})

test('captures touches with the names of real components', async () => {
  const touched = []
  const { onTouchEndCapture } = touchHandlers({ capture: (...event) => touched.push(event) })
  const BuyButton = ({ testID }) => (
    <Pressable testID={testID}>
      <Text>Buy</Text>
    </Pressable>
  )
  let app
  await act(() => {
    app = create(
      <View>
        <BuyButton testID="buy" />
        <View wm-no-capture>
          <BuyButton testID="secret" />
        </View>
      </View>,
    )
  })
  const texts = app.root.findAllByType(Text)
  expect(texts).toHaveLength(2)
  // React Native puts the fiber of the touched component into the event.
  for (const { _fiber } of texts) onTouchEndCapture({ nativeEvent: { pageX: 1, pageY: 2 }, _targetInst: _fiber })
  expect(touched).toHaveLength(1)
  const [[name, { $elements }]] = touched
  expect(name).toBe('$autocapture')
  const names = $elements.map(({ tag_name }) => tag_name)
  expect(names[0]).toBe('Text')
  expect(names.indexOf('Pressable')).toBeLessThan(names.indexOf('BuyButton'))
  expect($elements.find(({ tag_name }) => tag_name === 'Pressable')).toEqual({ tag_name: 'Pressable', attr__testID: 'buy' })
  expect(JSON.stringify(touched)).not.toMatch(/Buy"|secret/)
})
`

it("runs in Jest with React Native's preset and AsyncStorage's mock", () => {
  const transformIgnorePatterns = ['node_modules/(?!((jest-)?react-native|@react-native(-community)?|waymark)/)']
  const manifest = { name: 'app', jest: { preset: 'react-native', transformIgnorePatterns } }
  writeFileSync(join(app, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(app, 'babel.config.js'), "module.exports = { presets: ['@react-native/babel-preset'] }")
  writeFileSync(join(app, 'app.test.js'), APP_TEST)
  const jest = join(packages, 'node_modules/jest/bin/jest.js')
  // Throws with the report of Jest when a test fails.
  // The first import of a component compiles all of React Native: longer than Jest's 5 s on a busy machine.
  const flags = ['--json', '--runInBand', '--no-cache', '--watchman=false', '--testTimeout=100000']
  const output = execFileSync(process.execPath, [jest, ...flags], {
    cwd: app,
    encoding: 'utf8',
    stdio: 'pipe',
  })
  expect(JSON.parse(output)).toMatchObject({ numPassedTests: 3, success: true })
}, 120_000)
