import { tryOr } from '../../lib/try-or.ts'

/** The modules that describe the app and its device, as an app imports them. All are optional; the first one that knows a value wins. */
export interface DescribingModules {
  /** The default export of `react-native-device-info`. */
  readonly deviceInfo?: DeviceInfo
  /** `import * as Application from 'expo-application'`. */
  readonly application?: ExpoApplication
  /** `import * as Device from 'expo-device'`. */
  readonly device?: ExpoDevice
  /** The default export of `expo-constants`. Its version is that of the bundle, which an update over the air may change. */
  readonly constants?: ExpoConstants
  /** `Platform` of React Native. */
  readonly platform?: NativePlatform
  /** `Dimensions` of React Native. */
  readonly dimensions?: { get(name: 'screen'): { readonly width: number; readonly height: number } }
}

interface DeviceInfo {
  getApplicationName?(): string
  getVersion?(): string
  getBuildNumber?(): string
  getBundleId?(): string
  getManufacturerSync?(): string
  getModel?(): string
  getDeviceType?(): string
  getSystemName?(): string
  getSystemVersion?(): string
}

interface ExpoApplication {
  readonly applicationName?: string | null
  readonly nativeApplicationVersion?: string | null
  readonly nativeBuildVersion?: string | null
  readonly applicationId?: string | null
}

interface ExpoDevice {
  readonly manufacturer?: string | null
  readonly modelName?: string | null
  readonly deviceType?: number | null
  readonly osName?: string | null
  readonly osVersion?: string | null
}

interface ExpoConstants {
  readonly expoConfig?: {
    readonly name?: string | undefined
    readonly version?: string | undefined
    readonly ios?: { readonly buildNumber?: string | undefined; readonly bundleIdentifier?: string | undefined }
    readonly android?: { readonly versionCode?: number | undefined; readonly package?: string | undefined }
  } | null
}

interface NativePlatform {
  readonly OS: string
  readonly Version?: string | number | undefined
  readonly isPad?: boolean | undefined
  readonly constants?: object | undefined
}

/** `Platform.constants` on Android. */
interface AndroidConstants {
  readonly Manufacturer?: string
  readonly Model?: string
  readonly Release?: string
}

const OS_NAMES: Readonly<Record<string, string>> = {
  ios: 'iOS',
  android: 'Android',
  macos: 'macOS',
  windows: 'Windows',
}

/** By the numbers of `expo-device`. */
const EXPO_DEVICE_TYPES: readonly (string | undefined)[] = [undefined, 'Mobile', 'Tablet', 'Desktop', 'TV']

/** By the words of `react-native-device-info`. */
const DEVICE_TYPES: Readonly<Record<string, string>> = {
  Handset: 'Mobile',
  Tablet: 'Tablet',
  Desktop: 'Desktop',
  Tv: 'TV',
}

/**
 * Reads the properties of the app and its device for all events. The name that the owner gave the device is not among them: it is often
 * the name of a person.
 *
 * @returns Only properties that are known. Never throws.
 */
export const readAppProperties = (modules: DescribingModules): Record<string, string | number> => {
  const { deviceInfo, application, device, constants, platform, dimensions } = modules
  const { expoConfig } = constants ?? {}
  const { Manufacturer, Model, Release } = (platform?.constants ?? {}) as AndroidConstants
  const os = platform?.OS
  const intl = tryOr(() => Intl.DateTimeFormat().resolvedOptions())
  const screen = tryOr(() => dimensions?.get('screen'))

  const values: Readonly<Record<string, readonly (() => unknown)[]>> = {
    $app_name: [() => deviceInfo?.getApplicationName?.(), () => application?.applicationName, () => expoConfig?.name],
    $app_version: [
      () => deviceInfo?.getVersion?.(),
      () => application?.nativeApplicationVersion,
      () => expoConfig?.version,
    ],
    $app_build: [
      () => deviceInfo?.getBuildNumber?.(),
      () => application?.nativeBuildVersion,
      () => (os === 'android' ? expoConfig?.android?.versionCode : expoConfig?.ios?.buildNumber),
    ],
    $app_namespace: [
      () => deviceInfo?.getBundleId?.(),
      () => application?.applicationId,
      () => (os === 'android' ? expoConfig?.android?.package : expoConfig?.ios?.bundleIdentifier),
    ],
    $device_manufacturer: [
      () => deviceInfo?.getManufacturerSync?.(),
      () => device?.manufacturer,
      () => Manufacturer,
      () => os === 'ios' && 'Apple',
    ],
    $device_model: [() => deviceInfo?.getModel?.(), () => device?.modelName, () => Model],
    $device_type: [
      () => DEVICE_TYPES[deviceInfo?.getDeviceType?.() ?? ''],
      () => EXPO_DEVICE_TYPES[device?.deviceType ?? 0],
      () => platform?.isPad && 'Tablet',
      () => /^(ios|android)$/.test(os ?? '') && 'Mobile',
    ],
    $os: [() => deviceInfo?.getSystemName?.(), () => device?.osName, () => OS_NAMES[os ?? ''] ?? os],
    $os_version: [
      () => deviceInfo?.getSystemVersion?.(),
      () => device?.osVersion,
      () => Release,
      () => String(platform?.Version ?? ''),
    ],
    $screen_width: [() => screen?.width],
    $screen_height: [() => screen?.height],
    $locale: [() => intl?.locale],
    $timezone: [() => intl?.timeZone],
    $timezone_offset: [() => new Date().getTimezoneOffset()],
  }

  const properties: Record<string, string | number> = {}
  for (const name of Object.keys(values)) {
    for (const readValue of values[name]!) {
      const value = tryOr(readValue)
      if (typeof value === 'number' || (typeof value === 'string' && value)) {
        properties[name] = value
        break
      }
    }
  }
  return properties
}
