import { expect, it } from 'vitest'
import { readAppProperties } from '../../../src/platform/react-native/app-properties.ts'

const withoutPlace = (properties: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => !/^\$(locale|timezone)/.test(name)))

it('has only the place and the time zone without modules', () => {
  const properties = readAppProperties({})
  expect(Object.keys(properties)).toEqual(['$locale', '$timezone', '$timezone_offset'])
})

it('reads Platform and Dimensions of React Native', () => {
  const dimensions = { get: () => ({ width: 390, height: 844, scale: 3 }) }
  const screen = { $screen_width: 390, $screen_height: 844 }
  expect(
    withoutPlace(readAppProperties({ platform: { OS: 'ios', Version: '18.1', isPad: true }, dimensions })),
  ).toEqual({
    $device_manufacturer: 'Apple',
    $device_type: 'Tablet',
    $os: 'iOS',
    $os_version: '18.1',
    ...screen,
  })
  const constants = { Manufacturer: 'Google', Model: 'Pixel 8', Release: '14' }
  expect(withoutPlace(readAppProperties({ platform: { OS: 'android', Version: 34, constants }, dimensions }))).toEqual({
    $device_manufacturer: 'Google',
    $device_model: 'Pixel 8',
    $device_type: 'Mobile',
    $os: 'Android',
    $os_version: '14',
    ...screen,
  })
})

it('reads the modules of Expo', () => {
  const application = {
    applicationName: 'Shop',
    nativeApplicationVersion: '2.1.0',
    nativeBuildVersion: '42',
    applicationId: 'com.example.shop',
  }
  const device = {
    manufacturer: 'Google',
    modelName: 'Pixel Tablet',
    deviceType: 2,
    osName: 'Android',
    osVersion: '14',
  }
  expect(withoutPlace(readAppProperties({ application, device }))).toEqual({
    $app_name: 'Shop',
    $app_version: '2.1.0',
    $app_build: '42',
    $app_namespace: 'com.example.shop',
    $device_manufacturer: 'Google',
    $device_model: 'Pixel Tablet',
    $device_type: 'Tablet',
    $os: 'Android',
    $os_version: '14',
  })
  const constants = {
    expoConfig: { name: 'Shop', version: '2.2.0', android: { versionCode: 43, package: 'com.example.shop' } },
  }
  expect(readAppProperties({ constants, platform: { OS: 'android' } })).toMatchObject({
    $app_name: 'Shop',
    $app_version: '2.2.0',
    $app_build: 43,
    $app_namespace: 'com.example.shop',
  })
})

it('prefers react-native-device-info, and skips methods that throw or know nothing', () => {
  const deviceInfo = {
    getApplicationName: () => 'Shop',
    getVersion: () => '3.0',
    getBuildNumber: () => '50',
    getBundleId: () => 'com.example.shop',
    getManufacturerSync: (): string => {
      throw new Error('no native module')
    },
    getModel: () => 'iPhone 15',
    getDeviceType: () => 'Handset',
    getSystemName: () => '',
    getSystemVersion: () => '18.1',
  }
  expect(withoutPlace(readAppProperties({ deviceInfo, platform: { OS: 'ios', Version: '18' } }))).toEqual({
    $app_name: 'Shop',
    $app_version: '3.0',
    $app_build: '50',
    $app_namespace: 'com.example.shop',
    $device_manufacturer: 'Apple',
    $device_model: 'iPhone 15',
    $device_type: 'Mobile',
    $os: 'iOS',
    $os_version: '18.1',
  })
})
