import { init } from 'waymark/react-native/evaluate'

globalThis.waymark = init('key', { host: 'https://a.example', definitionsUrl: 'https://a.example/flags.json' })
