import { expect, it } from 'vitest'
import { createProcessState } from '../../../src/capture/node/process-state.ts'

const propertiesOf = (state: ReturnType<typeof createProcessState>): object =>
  JSON.parse(`{${state.common().text}}`) as object

it('merges what is registered over the automatic properties; null takes one away again', () => {
  const state = createProcessState({ $lib: 'waymark' }, false)
  state.register({ plan: 'pro', region: 'eu' })
  state.register({ plan: 'free', $lib: 'mine' })
  expect(propertiesOf(state)).toEqual({ $lib: 'mine', plan: 'free', region: 'eu' })
  state.register({ plan: null, $lib: null, unknown: null })
  expect(propertiesOf(state)).toEqual({ $lib: 'waymark', region: 'eu' })
})

it('takes copies: what the caller changes afterwards is not seen, not even at the next registration', () => {
  const state = createProcessState({}, false)
  const given = { tags: ['a'] }
  state.register(given)
  given.tags.push('b')
  state.register({ other: 1 })
  expect(propertiesOf(state)).toEqual({ tags: ['a'], other: 1 })
})

it('keeps the text and the properties of what events have in common the same', () => {
  const state = createProcessState({ $lib: 'waymark', left: undefined }, false)
  state.register({ n: 1 })
  expect(state.common().text).toBe('"$lib":"waymark","n":1')
  expect(state.nameless().text).toBe('"$process_person_profile":false,"$lib":"waymark","n":1')
})

it('is opted out from the start when told so', () => {
  const state = createProcessState({}, true)
  expect(state.isOptedOut()).toBe(true)
  state.setOptedOut(false)
  expect(state.isOptedOut()).toBe(false)
})
