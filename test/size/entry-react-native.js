import { init } from 'waymark/react-native'

globalThis.waymark = init('key', { host: 'https://a.example' })
