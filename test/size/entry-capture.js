import { init } from 'waymark/capture'

globalThis.waymark = init('key')
