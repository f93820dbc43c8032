import { useEffect, useState } from 'react'
import { Button, Text, View } from 'react-native'
import { waymark } from '../analytics'

const SURVEY = 'folding-2026'

/** One question, after a purchase. */
export const Survey = () => {
  const [isOpen, setIsOpen] = useState(true)
  useEffect(() => waymark.surveyShown(SURVEY), [])
  if (!isOpen) return null
  const close = (report: () => void) => {
    report()
    setIsOpen(false)
  }
  return (
    <View style={{ gap: 8 }}>
      <Text>How easily do our maps fold back?</Text>
      {['Hardly', 'Easily'].map((answer) => (
        <Button key={answer} title={answer} onPress={() => close(() => waymark.surveySent(SURVEY, answer))} />
      ))}
      <Button title="Not now" onPress={() => close(() => waymark.surveyDismissed(SURVEY))} />
    </View>
  )
}
