import { init } from 'waymark/evaluate'

globalThis.waymark = init('key', { definitionsUrl: '/flags.json' })
