// The app of the test. It runs first without a network, then with one, and then evaluates flags by itself.
import { init as initByCondition } from 'waymark'
import { init as initEvaluateByCondition } from 'waymark/evaluate'
import { init } from 'waymark/react-native'
import { init as initEvaluate } from 'waymark/react-native/evaluate'
import { evaluateSets } from './evaluate-sets'

const { apiKey, storage, isOnline, definitions, flagSets, print, Linking, ErrorUtils } = globalThis

print('SAME', JSON.stringify(init === initByCondition && initEvaluate === initEvaluateByCondition))
const waymark = (definitions ? initEvaluate : init)(apiKey, {
  host: 'https://waymark.test',
  ...(definitions && { bootstrap: { definitions } }),
  storage,
  platform: { OS: 'android', Version: 34 },
  linking: Linking,
  errorUtils: ErrorUtils,
})
const fail = () => {
  throw new TypeError('no cart')
}
if (definitions) {
  print('EVALUATED', JSON.stringify(evaluateSets(flagSets)))
  void waymark.ready().then(() => {
    print('READ', JSON.stringify(definitions.flags.map(({ key }) => waymark.getFeatureFlag(key) ?? null)))
    waymark.setPersonPropertiesForFlags({ plan: 'pro' })
    print('READ', JSON.stringify(definitions.flags.map(({ key }) => waymark.getFeatureFlag(key) ?? null)))
  })
} else if (isOnline) {
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
