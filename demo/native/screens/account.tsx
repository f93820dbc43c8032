import { useState } from 'react'
import { Button, Switch, Text, TextInput, View } from 'react-native'
import { waymark } from '../analytics'

/** Signs a user in and out, and shows and changes the consent. */
export const Account = () => {
  const [name, setName] = useState('')
  const [isCounted, setIsCounted] = useState(() => !waymark.isOptedOut())
  const changeConsent = (isAllowed: boolean) => {
    if (isAllowed) waymark.optIn()
    else waymark.optOut()
    setIsCounted(isAllowed)
  }
  return (
    <View style={{ padding: 24, gap: 12 }}>
      {/* What is typed is not captured: only `wm-no-capture` also hides that the field was touched. */}
      <TextInput value={name} onChangeText={setName} placeholder="Your name" {...{ 'wm-no-capture': true }} />
      <Button title="Sign in" disabled={!name} onPress={() => waymark.identify(name.toLowerCase(), { name })} />
      <Button title="Sign out" onPress={() => waymark.reset()} />
      <Text>Count which screens I use</Text>
      <Switch value={isCounted} onValueChange={changeConsent} />
    </View>
  )
}
