import AsyncStorage from '@react-native-async-storage/async-storage'
import * as Application from 'expo-application'
import * as Device from 'expo-device'
import { AppState, Dimensions, Linking, Platform } from 'react-native'
import { init, mask } from 'waymark/react-native'

/**
 * The agent. Key and host are those that `npm start` of this repository prints: EXPO_PUBLIC_WAYMARK_KEY=wm_… npx expo start. On a phone,
 * the host is the address of the computer: EXPO_PUBLIC_WAYMARK_HOST=http://192.168.…:8010.
 */
export const waymark = init(process.env.EXPO_PUBLIC_WAYMARK_KEY ?? '', {
  host: process.env.EXPO_PUBLIC_WAYMARK_HOST ?? 'http://localhost:8010',
  storage: AsyncStorage,
  appState: AppState,
  linking: Linking,
  platform: Platform,
  dimensions: Dimensions,
  application: Application,
  device: Device,
  // Nothing is captured before the visitor agrees on the first screen.
  defaultOptIn: false,
  before_send: mask({ maskUrlParameters: true }),
})
