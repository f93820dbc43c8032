import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAppFolder } from './create-app-folder.ts'
import { installAppPackages } from './install-app-packages.ts'
import { installWaymark } from './install-waymark.ts'
import { runJest } from './run-jest.ts'

let packages: string
let app: string
beforeAll(async () => {
  packages = await installAppPackages()
  app = createAppFolder(packages, 'jest')
  installWaymark(app)
}, 400_000)
afterAll(() => app && rmSync(app, { recursive: true, force: true }))

/** Tests of an app, as the README advises. */
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

/** What the agent gives to React Native, and what React Native gives to the native code of a phone. */
const NETWORK_TEST = `
import AsyncStorage3 from 'async-storage-3'
import { DeviceEventEmitter, NativeModules } from 'react-native'
import { init } from 'waymark/react-native'
import { gunzipSync } from 'node:zlib'

jest.mock('async-storage-3', () => require('async-storage-3/jest'))

/** Puts the fetch of React Native in the place of that of Node. */
const useFetchOfReactNative = () => {
  delete global.fetch
  require('react-native/Libraries/Network/fetch')
  global.XMLHttpRequest = require('react-native/Libraries/Network/XMLHttpRequest').default
}

test('sends gzip through the fetch of React Native, and keeps in AsyncStorage 3 what has no response', async () => {
  useFetchOfReactNative()
  const sent = []
  let status = 503
  NativeModules.Networking.sendRequest.mockImplementation(({ url, data, withCredentials }, callback) => {
    callback(sent.length)
    const { batch } = JSON.parse(gunzipSync(Buffer.from(data.base64, 'base64')))
    sent.push({ status, withCredentials, names: batch.map(({ event }) => event), text: batch[0].properties.text })
    DeviceEventEmitter.emit('didReceiveNetworkResponse', [sent.length - 1, status, {}, url])
    DeviceEventEmitter.emit('didCompleteNetworkResponse', [sent.length - 1, '', false])
  })
  const setMany = jest.spyOn(AsyncStorage3, 'setMany')
  const start = () =>
    init('key', {
      host: 'https://waymark.test',
      storage: AsyncStorage3,
      captureLifecycle: false,
      preloadFeatureFlags: false,
      fetchRetryCount: 0,
    })
  const first = start()
  first.capture('a', { text: 'é 中 🙂' })
  first.capture('b')
  await first.shutdown()
  status = 200
  const second = start()
  await second.flush()
  await second.shutdown()
  const request = { withCredentials: false, names: ['a', 'b'], text: 'é 中 🙂' }
  expect(sent[0]).toEqual({ ...request, status: 503 })
  expect(sent.at(-1)).toEqual({ ...request, status: 200 })
  expect(setMany.mock.calls.some(([entries]) => Object.keys(entries).filter((key) => key.includes('_e/')).length === 2)).toBe(true)
  expect((await AsyncStorage3.getAllKeys()).filter((key) => key.includes('_e/'))).toEqual([])
})
`

const NAVIGATION_TEST = `
import { act, createElement } from 'react'
import { create } from 'react-test-renderer'
import { init } from 'waymark/react-native'

const Screen = () => null

test.each(['@react-navigation/native', '@react-navigation/native-6'])('captures the screens of %s', async (name) => {
  const complain = jest.spyOn(console, 'error').mockReturnValue()
  const navigation = require(name)
  const Stack = navigation.createNavigatorFactory(({ children }) => {
    const { state, descriptors, NavigationContent } = navigation.useNavigationBuilder(navigation.StackRouter, { children })
    return <NavigationContent>{descriptors[state.routes[state.index].key].render()}</NavigationContent>
  })()
  const events = []
  const waymark = init('key', {
    host: 'https://waymark.test',
    captureLifecycle: false,
    preloadFeatureFlags: false,
    before_send(event) {
      events.push(event)
      return null
    },
  })
  await waymark.ready()
  const ref = navigation.createNavigationContainerRef()
  waymark.trackNavigation(ref)
  await act(() =>
    create(
      <navigation.NavigationContainer ref={ref}>
        <Stack.Navigator>
          <Stack.Screen name="Home" component={Screen} />
          <Stack.Screen name="Item" component={Screen} />
        </Stack.Navigator>
      </navigation.NavigationContainer>,
    ),
  )
  await act(() => ref.navigate('Item', { id: 'secret' }))
  await act(() => ref.navigate('Item', { id: 'other' }))
  await act(() => ref.goBack())
  await waymark.shutdown()
  const screens = events.map(({ event, properties }) => [event, properties.$screen_name])
  expect(screens).toEqual(['Home', 'Item', 'Home'].map((screen) => ['$screen', screen]))
  expect(JSON.stringify(events)).not.toMatch(/secret|other/)
  // React Navigation writes an error when it is asked for a route too early. That the renderer is deprecated is another one.
  expect(complain.mock.calls.filter(([message]) => !/deprecated/.test(message))).toEqual([])
})
`

it("runs in Jest with React Native's preset, its fetch and its navigation, and AsyncStorage's mocks", () => {
  const transformIgnorePatterns = [
    'node_modules/(?!((jest-)?react-native|@react-native(-community)?|@react-navigation|async-storage-3|waymark)/)',
  ]
  const manifest = { name: 'app', jest: { preset: 'react-native', transformIgnorePatterns } }
  writeFileSync(join(app, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(app, 'babel.config.js'), "module.exports = { presets: ['@react-native/babel-preset'] }")
  writeFileSync(join(app, 'app.test.js'), APP_TEST)
  writeFileSync(join(app, 'network.test.js'), NETWORK_TEST)
  writeFileSync(join(app, 'navigation.test.js'), NAVIGATION_TEST)
  expect(runJest(packages, app)).toMatchObject({ numPassedTests: 6, success: true })
}, 120_000)
