import { init } from 'waymark'

globalThis.waymark = init('key')
