import { Button, Text, View } from 'react-native'
import { waymark } from '../analytics'

/** Asks once. Who declines is asked again at the next start, because nothing about them is stored. */
export const Consent = ({ onAnswer }: { onAnswer(): void }) => (
  <View style={{ flex: 1, justifyContent: 'center', padding: 24, gap: 12 }}>
    <Text>May this app count which screens you use? Nothing leaves your phone before you agree.</Text>
    <Button
      title="Agree"
      onPress={() => {
        waymark.optIn()
        onAnswer()
      }}
    />
    <Button title="No" onPress={onAnswer} />
  </View>
)
