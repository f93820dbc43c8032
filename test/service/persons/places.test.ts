import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/wire/json.ts'
import { createLocate } from '../../../src/service/geo/locate.ts'
import { withLocation } from '../../../src/service/indexer/ip-properties.ts'
import { readChange } from '../../../src/service/persons/change.ts'
import { createWorkingSet, findPersonId, applyChange, applyDrafts } from '../../../src/service/persons/apply-change.ts'

const LONDON = '81.2.69.160'
const ASHBURN = '8.8.8.8'
const locate = createLocate((address): JsonObject => {
  if (address === LONDON) return { $geoip_country_code: 'GB', $geoip_time_zone: 'Europe/London' }
  return { $geoip_country_code: 'US', $geoip_city_name: 'Ashburn' }
})

type SentEvent = readonly [distinctId: string, address: string | null, properties?: JsonObject, event?: string]

/** The properties of a person propertiesAfter these events. */
const propertiesAfter = (id: string, events: readonly SentEvent[]): JsonObject => {
  const workingSet = createWorkingSet(new Map(), new Map(), new Map())
  for (const [at, [distinctId, address, properties = {}, event = 'a']] of events.entries()) {
    const change = readChange({ event, distinctId, properties })
    applyChange(
      workingSet,
      withLocation(change, address === null ? null : locate(address)),
      at,
      (newId) => `person of ${newId}`,
    )
  }
  applyDrafts(workingSet)
  return workingSet.persons.get(findPersonId(workingSet, id)!)!.properties
}

const FIRST_LONDON = { $initial_geoip_country_code: 'GB', $initial_geoip_time_zone: 'Europe/London' }
const IN_LONDON = { $geoip_country_code: 'GB', $geoip_time_zone: 'Europe/London' }
const IN_ASHBURN = { $geoip_country_code: 'US', $geoip_city_name: 'Ashburn' }

test('a new location replaces the last one, and the first one stays', () => {
  expect(
    propertiesAfter('ada', [
      ['ada', LONDON],
      ['ada', ASHBURN],
    ]),
  ).toEqual({ ...IN_ASHBURN, ...FIRST_LONDON })
})

test('an event without a location keeps the location', () => {
  expect(
    propertiesAfter('ada', [
      ['ada', LONDON],
      ['ada', null, { $set: { a: 1 } }],
    ]),
  ).toEqual({ ...IN_LONDON, ...FIRST_LONDON, a: 1 })
})

test('location properties of the sender win over those of the IP address', () => {
  const $set = { $geoip_time_zone: 'UTC' }
  expect(propertiesAfter('ada', [['ada', ASHBURN, { $set }]])).toMatchObject({ ...IN_ASHBURN, $geoip_time_zone: 'UTC' })
})

test('a merged person has one location, not parts of two', () => {
  const events: SentEvent[] = [
    ['anon', LONDON],
    ['ada', ASHBURN],
    ['ada', null, { $anon_distinct_id: 'anon' }, '$identify'],
  ]
  expect(propertiesAfter('anon', events)).toEqual({
    ...IN_ASHBURN,
    $initial_geoip_country_code: 'US',
    $initial_geoip_city_name: 'Ashburn',
  })
})
