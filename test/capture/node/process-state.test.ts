import { expect, it } from 'vitest'
import { createProcessState } from '../../../src/capture/node/process-state.ts'

const propertiesOf = (state: ReturnType<typeof createProcessState>): object =>
  JSON.parse(`{${state.commonProperties().membersJson}}`) as object

it('lets registered properties override automatic ones; null removes a property', () => {
  const state = createProcessState({ $lib: 'waymark' }, false)
  state.register({ plan: 'pro', region: 'eu' })
  state.register({ plan: 'free', $lib: 'mine' })
  expect(propertiesOf(state)).toEqual({ $lib: 'mine', plan: 'free', region: 'eu' })
  state.register({ plan: null, $lib: null, unknown: null })
  expect(propertiesOf(state)).toEqual({ $lib: 'waymark', region: 'eu' })
})

it('copies registered properties: later changes have no effect', () => {
  const state = createProcessState({}, false)
  const properties = { tags: ['a'] }
  state.register(properties)
  properties.tags.push('b')
  state.register({ other: 1 })
  expect(propertiesOf(state)).toEqual({ tags: ['a'], other: 1 })
})

it('prepares the JSON of common properties for identified and anonymous events', () => {
  const state = createProcessState({ $lib: 'waymark', left: undefined }, false)
  state.register({ n: 1 })
  expect(state.commonProperties().membersJson).toBe('"$lib":"waymark","n":1')
  expect(state.anonymousProperties().membersJson).toBe('"$process_person_profile":false,"$lib":"waymark","n":1')
})

it('can start opted out', () => {
  const state = createProcessState({}, true)
  expect(state.isOptedOut()).toBe(true)
  state.setOptedOut(false)
  expect(state.isOptedOut()).toBe(false)
})
