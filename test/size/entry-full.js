import { init } from 'waymark/full'

globalThis.waymark = init('key')
