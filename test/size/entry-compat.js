import analytics from 'waymark/compat'

globalThis.analytics = analytics.init('key')
