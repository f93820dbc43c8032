import { describe, expect, it } from 'vitest'
import { createHooks } from '../../../src/agent/compat/create-hooks.ts'
import type { CaptureResult, PostHogConfig, Properties } from '../../../src/agent/compat/posthog.ts'
import { runBeforeSend } from '../../../src/capture/before-send.ts'
import type { OutgoingEvent } from '../../../src/capture/before-send.ts'

const EVENT: OutgoingEvent = {
  uuid: '0190a9f1-0000-7000-8000-000000000000',
  event: 'bought',
  distinct_id: 'ada',
  timestamp: '2026-01-02T03:04:05.000Z',
  properties: { distinct_id: 'ada', item: 'tea', email: 'a@b.c', $set: { plan: 'pro', email: 'a@b.c' } },
}

const hooksOf = (config: PostHogConfig) =>
  createHooks(config.property_denylist ?? [], config.sanitize_properties, config.before_send)
const run = (config: PostHogConfig, errors: unknown[] = []) =>
  runBeforeSend(hooksOf(config), EVENT, (error) => errors.push(error))

describe('createHooks', () => {
  it('creates none by default, so that events are not copied', () => {
    expect(hooksOf({})).toEqual([])
    expect(hooksOf({ property_denylist: [], before_send: null, sanitize_properties: null })).toEqual([])
  })

  it('passes an event in the form of posthog-js', () => {
    let seen: CaptureResult | undefined
    run({ before_send: (event) => (seen = event) })
    expect(seen).toMatchObject({
      uuid: EVENT.uuid,
      event: 'bought',
      properties: EVENT.properties,
      $set: EVENT.properties.$set,
      $set_once: undefined,
      timestamp: new Date(EVENT.timestamp),
    })
  })

  it('changes name and properties, and keeps uuid, time and user', () => {
    const result = run({
      before_send: (event) => ({ ...event, event: 'sold', properties: { ...event.properties, n: 1 } }),
    })
    expect(result).toEqual({ ...EVENT, event: 'sold', properties: { ...EVENT.properties, n: 1 } })
  })

  it.each([
    ['the object', (event: CaptureResult) => (delete event.$set!.email, event)],
    ['the property', (event: CaptureResult) => ((event.properties.$set = { plan: 'pro' }), event)],
    ['the member', (event: CaptureResult) => ({ ...event, $set: { plan: 'pro' } })],
  ])('takes person properties that a hook has changed in %s', (_, before_send) => {
    expect(run({ before_send })!.properties.$set).toEqual({ plan: 'pro' })
  })

  it('removes person properties that a hook removes', () => {
    const before_send = (event: CaptureResult) => ({ ...event, $set: undefined })
    expect(run({ before_send })!.properties.$set).toBeUndefined()
  })

  it('takes the names of person properties to remove that a hook adds', () => {
    const before_send = (event: CaptureResult) => ({ ...event, $unset: ['trial'] })
    expect(run({ before_send })!.properties.$unset).toEqual(['trial'])
  })

  it('runs several hooks in order, and drops the event when one returns null', () => {
    const names: string[] = []
    const rename = (name: string) => (event: CaptureResult) => {
      names.push(event.event)
      return { ...event, event: name }
    }
    expect(run({ before_send: [rename('a'), rename('b')] })!.event).toBe('b')
    expect(names).toEqual(['bought', 'a'])
    expect(run({ before_send: [rename('a'), () => null, rename('b')] })).toBeUndefined()
  })

  it.each<[string, PostHogConfig]>([
    [
      'a hook',
      {
        before_send: () => {
          throw new Error('broken')
        },
      },
    ],
    [
      'sanitize_properties',
      {
        sanitize_properties: () => {
          throw new Error('broken')
        },
      },
    ],
  ])('drops the event when %s throws', (_, config) => {
    const errors: unknown[] = []
    expect(run(config, errors)).toBeUndefined()
    expect(errors).toEqual([new Error('broken')])
  })

  it('removes denied properties before other hooks see them', () => {
    const seen: unknown[] = []
    const result = run({
      property_denylist: ['email'],
      sanitize_properties: (properties, event) => {
        seen.push(event, properties.email)
        return { ...properties, item: 'coffee' }
      },
      before_send: (event) => (seen.push(event.properties.item), event),
    })
    expect(seen).toEqual(['bought', undefined, 'coffee'])
    expect(result!.properties).toEqual({ distinct_id: 'ada', item: 'coffee', $set: EVENT.properties.$set })
  })

  it('cleans the person properties to set once, too', () => {
    const event = { ...EVENT, properties: { $set_once: { $initial_current_url: 'https://a.test/?token=1' } } }
    const seen: string[] = []
    const sanitize = (properties: Properties, name: string): Properties => {
      seen.push(name)
      return '$initial_current_url' in properties ? { $initial_current_url: 'https://a.test/' } : { ...properties }
    }
    const result = runBeforeSend(createHooks([], sanitize, null), event, () => undefined)
    expect(seen).toEqual(['bought', '$set_once'])
    expect(result!.properties['$set_once']).toEqual({ $initial_current_url: 'https://a.test/' })
  })

  it('drops the event when a hook returns nothing', () => {
    expect(run({ sanitize_properties: () => undefined as never })).toBeUndefined()
    expect(run({ before_send: () => undefined })).toBeUndefined()
  })
})
