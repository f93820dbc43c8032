import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/wire/json.ts'
import { createLocate } from '../../../src/service/geo/locate.ts'
import { withLocation } from '../../../src/service/indexer/event-address.ts'
import { changeOf } from '../../../src/service/persons/change.ts'
import { openLedger, personIdOf, resolveChange, settle } from '../../../src/service/persons/resolve.ts'

const LONDON = '81.2.69.160'
const SOMEWHERE = '8.8.8.8'
const locate = createLocate((address): JsonObject => {
  if (address === LONDON) return { $geoip_country_code: 'GB', $geoip_time_zone: 'Europe/London' }
  return { $geoip_country_code: 'US', $geoip_city_name: 'Ashburn' }
})

type Sent = readonly [distinctId: string, address: string | null, properties?: JsonObject, event?: string]

/** The properties of one person after these events. */
const after = (of: string, events: readonly Sent[]): JsonObject => {
  const ledger = openLedger(new Map(), new Map(), new Map())
  for (const [at, [distinctId, address, properties = {}, event = 'a']] of events.entries()) {
    const change = changeOf({ event, distinctId, properties })
    resolveChange(ledger, withLocation(change, address === null ? null : locate(address)), at, (id) => `of ${id}`)
  }
  settle(ledger)
  return ledger.persons.get(personIdOf(ledger, of)!)!.properties
}

const FIRST_LONDON = { $initial_geoip_country_code: 'GB', $initial_geoip_time_zone: 'Europe/London' }
const IN_LONDON = { $geoip_country_code: 'GB', $geoip_time_zone: 'Europe/London' }
const ELSEWHERE = { $geoip_country_code: 'US', $geoip_city_name: 'Ashburn' }

test('a person who moves keeps nothing of the place before, and all of the first', () => {
  expect(
    after('ada', [
      ['ada', LONDON],
      ['ada', SOMEWHERE],
    ]),
  ).toEqual({ ...ELSEWHERE, ...FIRST_LONDON })
})

test('an event without a place leaves the place as it is', () => {
  expect(
    after('ada', [
      ['ada', LONDON],
      ['ada', null, { $set: { a: 1 } }],
    ]),
  ).toEqual({ ...IN_LONDON, ...FIRST_LONDON, a: 1 })
})

test('what the sender says of the place stays beside what the address says', () => {
  const $set = { $geoip_time_zone: 'UTC' }
  expect(after('ada', [['ada', SOMEWHERE, { $set }]])).toMatchObject({ ...ELSEWHERE, $geoip_time_zone: 'UTC' })
})

test('who becomes one person with another is in one place, not in parts of two', () => {
  const events: Sent[] = [
    ['anon', LONDON],
    ['ada', SOMEWHERE],
    ['ada', null, { $anon_distinct_id: 'anon' }, '$identify'],
  ]
  expect(after('anon', events)).toEqual({
    ...ELSEWHERE,
    $initial_geoip_country_code: 'US',
    $initial_geoip_city_name: 'Ashburn',
  })
})
