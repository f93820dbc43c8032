import type { NativeStackScreenProps } from '@react-navigation/native-stack'
import { useState } from 'react'
import { Button, ScrollView, Text, View } from 'react-native'
import { CaptureOnView, Feature, useFeatureFlagPayload } from 'waymark/react'
import { waymark } from '../analytics'
import type { Screens } from './screens'
import { Survey } from './survey'

const MAPS = [
  { id: 'high-fells', name: 'High Fells', price: 14 },
  { id: 'saltmarsh', name: 'Saltmarsh Coast', price: 12 },
]

/** The maps on sale. The flags `hero` and `free-delivery` are those of the demo's service. */
export const Shop = ({ navigation }: NativeStackScreenProps<Screens, 'Shop'>) => {
  const [hasBought, setHasBought] = useState(false)
  const hero = useFeatureFlagPayload('hero') as { readonly headline?: string } | undefined
  const buy = (map: (typeof MAPS)[number]) => {
    waymark.capture('map bought', { map: map.id, price: map.price })
    setHasBought(true)
  }
  return (
    <ScrollView contentContainerStyle={{ padding: 24, gap: 12 }}>
      <Text style={{ fontSize: 24 }}>{hero?.headline ?? 'Maps on paper.'}</Text>
      <Feature flag="free-delivery">
        <Text>Free delivery today</Text>
      </Feature>
      <CaptureOnView event="maps seen" properties={{ maps: MAPS.length }}>
        {MAPS.map((map) => (
          <View key={map.id}>
            <Text>{map.name}</Text>
            <Button title={`Buy for ${map.price} €`} testID={`buy-${map.id}`} onPress={() => buy(map)} />
          </View>
        ))}
      </CaptureOnView>
      {hasBought && <Survey />}
      <Button title="Account" onPress={() => navigation.navigate('Account')} />
    </ScrollView>
  )
}
