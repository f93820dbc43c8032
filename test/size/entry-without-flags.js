import { init, surveys, tracing } from 'waymark/capture'

globalThis.waymark = init('key', {}, { surveys, tracing })
