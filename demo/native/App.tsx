import { createNavigationContainerRef, NavigationContainer } from '@react-navigation/native'
import { createNativeStackNavigator } from '@react-navigation/native-stack'
import { useEffect, useState } from 'react'
import { View } from 'react-native'
import { WaymarkProvider } from 'waymark/react'
import { touchHandlers } from 'waymark/react-native'
import { waymark } from './analytics'
import { Account } from './screens/account'
import { Consent } from './screens/consent'
import type { Screens } from './screens/screens'
import { Shop } from './screens/shop'

const Stack = createNativeStackNavigator<Screens>()
const navigation = createNavigationContainerRef<Screens>()
const touches = touchHandlers(waymark)

/** A shop of two screens, behind the question whether it may count its visitors. */
export const App = () => {
  const [isAsking, setIsAsking] = useState<boolean>()
  useEffect(() => {
    // Whether the visitor has agreed in an earlier run is known when the storage was read.
    void waymark.ready().then(() => setIsAsking(waymark.isOptedOut()))
    return waymark.trackNavigation(navigation)
  }, [])
  if (isAsking === undefined) return null
  return (
    <WaymarkProvider client={waymark}>
      {isAsking ? (
        <Consent onAnswer={() => setIsAsking(false)} />
      ) : (
        <View style={{ flex: 1 }} {...touches}>
          <NavigationContainer ref={navigation}>
            <Stack.Navigator>
              <Stack.Screen name="Shop" component={Shop} />
              <Stack.Screen name="Account" component={Account} />
            </Stack.Navigator>
          </NavigationContainer>
        </View>
      )}
    </WaymarkProvider>
  )
}
