// The app of the test. It runs twice: first without a network, then with one.
import { init as initByCondition } from 'waymark'
import { init } from 'waymark/react-native'

const { apiKey, storage, isOnline, print, Linking, ErrorUtils } = globalThis

print('SAME', JSON.stringify(init === initByCondition))
const waymark = init(apiKey, {
  host: 'https://waymark.test',
  storage,
  platform: { OS: 'android', Version: 34 },
  linking: Linking,
  errorUtils: ErrorUtils,
})
const fail = () => {
  throw new TypeError('no cart')
}
if (isOnline) {
  const read = () => [waymark.getDistinctId(), waymark.getFeatureFlag('beta'), waymark.getStatus().waitingEvents]
  void waymark.ready().then(() => print('READ', JSON.stringify(read())))
  waymark.onFeatureFlags(() => print('READ', JSON.stringify(read().slice(0, 2))))
} else {
  waymark.identify('hermes-user', { city: 'Zürich' })
  waymark.capture('early', { text: 'é 中 🙂', lone: '\ud800' })
  for (let n = 0; n < 150; n++) waymark.capture('burst', { n })
  try {
    fail()
  } catch (error) {
    ErrorUtils.getGlobalHandler()(error, true)
  }
}
