import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DraftDialect } from '../../src/service/draft/draft-dialect.ts'
import { DraftError } from '../../src/service/draft/draft-error.ts'
import { draftSelect } from '../../src/service/draft/draft-select.ts'
import type { ProjectNames } from '../../src/service/draft/question.ts'
import { readProjectNames } from '../../src/service/draft/read-project-names.ts'
import { askWith } from '../../src/service/insight/question/questions.ts'
import type { JsonObject } from '../../src/wire/json.ts'
import { derivePersonId } from '../../src/service/persons/person-id.ts'
import type { EventStore } from '../../src/service/store/events/event-store.ts'
import { batchOf, storedEvent } from './service-event-store.ts'
import type { StoreUnderTest } from './service-event-store.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOW = Date.now()

/** Noon of a day in UTC, so that calendar days are certain. */
const noonOf = (daysAgo: number): number => Math.floor(NOW / DAY_MS) * DAY_MS - daysAgo * DAY_MS + 12 * HOUR_MS

/** Event, distinct id, time, properties. Ada is on the plan pro, Bob and Cy on free. Dan has no plan. */
const EVENTS: readonly (readonly [string, string, number, Record<string, string | number | boolean>])[] = [
  ['bought', 'ada', noonOf(3), { amount: 10, $browser: 'Firefox', plan_code: 'P1' }],
  ['bought', 'ada', noonOf(4), { amount: 30.5, $browser: 'Firefox' }],
  ['bought', 'bob', noonOf(5), { amount: 5, $browser: 'Chrome' }],
  ['bought', 'cy', noonOf(40), { amount: 100, $browser: 'Chrome', coupon: 'SPRING' }],
  ['bought', 'dan', noonOf(200), { amount: 'none', $browser: 'Safari' }],
  ['$pageview', 'ada', noonOf(1), { $current_url: 'https://shop.example/pricing', $browser: 'Firefox' }],
  ['$pageview', 'ada', noonOf(2), { $current_url: 'https://shop.example/', $browser: 'Firefox' }],
  ['$pageview', 'bob', noonOf(1), { $current_url: 'https://shop.example/pricing', $browser: 'Chrome' }],
  [
    '$pageview',
    'eve',
    noonOf(10),
    { $current_url: 'https://blog.example/', $geoip_country_name: 'Germany', $browser: 'Chrome' },
  ],
  ['signed up', 'bob', Date.UTC(2025, 0, 10, 12), { method: 'email', trial: true }],
  ['signed up', 'cy', Date.UTC(2025, 0, 31, 23), { method: 'google', trial: false }],
  ['signed up', 'dan', Date.UTC(2025, 1, 1, 0), { method: 'email', trial: true }],
]

const PLANS: Readonly<Record<string, string | null>> = { ada: 'pro', bob: 'free', cy: 'free', dan: null, eve: 'free' }

/** Tests that the drafts for every engine must pass. */
export const draftSelectContract = (create: () => StoreUnderTest, dialect: DraftDialect): void => {
  describe('drafts', () => {
    let fixture: StoreUnderTest
    let store: EventStore
    let names: ProjectNames
    beforeAll(async () => {
      fixture = create()
      store = await fixture.open()
      await store.commit(
        batchOf(
          EVENTS.map(([event, distinctId, timestamp, properties], index) =>
            storedEvent(index + 1, { event, distinctId, timestamp, properties }),
          ),
          {
            persons: {
              persons: Object.entries(PLANS).map(([id, plan]) => ({
                id: derivePersonId(1, id),
                properties: (plan === null ? { 'company size': 5 } : { plan }) as JsonObject,
                createdAt: 0,
                isIdentified: true,
              })),
              distinctIds: new Map(Object.keys(PLANS).map((id) => [id, derivePersonId(1, id)])),
              groups: [],
            },
          },
        ),
      )
      names = await readNames()
    })
    afterAll(async () => {
      await store.close()
      await fixture.cleanUp()
    })

    const readNames = (): Promise<ProjectNames> =>
      readProjectNames((name, question) => askWith(store)(name, { ...question, timeoutMs: 10_000 }))

    const ask = async (question: string) => {
      const { sql, explanation } = draftSelect(question, names, NOW, dialect)
      const { columns, rows } = await store.query({ sql, timeoutMs: 10_000, maxRows: 100 })
      return { sql, explanation, columns, rows }
    }

    it('reads the names of a project, the most frequent first', () => {
      expect(names.events).toEqual(['bought', '$pageview', 'signed up'])
      expect(names.eventProperties.slice(0, 2)).toEqual(['$browser', 'amount'])
      expect(names.personProperties).toEqual(['plan', 'company size'])
    })

    describe('one number', () => {
      it.each([
        ['How many persons did "bought"?', 4],
        ['How many people bought in the last 90 days?', 3],
        ['how many unique users bought in the last 7 days', 2],
        ['How many times was "bought" captured in the last 30 days?', 3],
        ['How many "bought" events were there?', 5],
        ['How many events?', 12],
        ['How many events in the last 15 days?', 7],
        ['count bought', 5],
        ['Count of "signed up" in January 2025', 2],
        ['Number of sign ups in 2025-01', 2],
        ['number of signed up on 2025-02-01', 1],
        ['how many people signed up between 2025-01-10 and 2025-01-31?', 2],
        ['How many signups before 2025-02-01?', 2],
        ['How many sign ups since 2025-01-31', 2],
        ['How many signed up after 2025-01-31', 1],
        ['signed up until 2025-01-31', 2],
        ['signed up in 2025', 3],
        ['signed up from 2025-01-01 to 2025-01-15', 1],
        ['What is the total amount of bought?', 145.5],
        ['sum of amount of "bought" in the last 30 days', 45.5],
        ['What was the average amount of bought in the last 30 days?', 45.5 / 3],
        ['Average amount', 145.5 / 4],
        ['average company size', 5],
        ['how many times bought in the last 12 days', 3],
        ['median amount of bought', 20.25],
        ['highest amount for bought', 100],
        ['minimum amount in the past 12 weeks', 5],
        ['Show me the number of people who bought where plan is pro', 1],
        ['How many people bought where the amount is at least 10?', 2],
        ['How many times did people bought with amount > 10', 2],
        ['How many bought events with amount less than 10.5?', 2],
        ['How many bought where amount >= 5 and amount <= 30.5', 3],
        ['How many bought where plan is not free', 3],
        ['How many bought where plan is pro or free', 4],
        ['bought where coupon is set', 1],
        ['bought where coupon is not set', 4],
        ['bought where browser is Firefox and plan is pro', 2],
        ['page views where url contains "/pricing"', 2],
        ['How many users with page views where $current_url starts with https://shop', 2],
        ['pageviews where url ends with pricing in the last 3 days', 2],
        ['page views where url does not contain pricing', 2],
        ['signed up where trial is true', 2],
        ['signed up whose method = email', 2],
        ['How many people did $pageview in the last 3 days?', 2],
        ['how often was bought today', 0],
        ['bought yesterday', 0],
        ['page views until today', 4],
        ['page views between 2020-01-01 and today', 4],
        ['page views from yesterday to today', 2],
        ['page views after today', 0],
        ['page views yesterday', 2],
        ['How many active users in the last 7 days?', 2],
        ['How many visitors were there of all time?', 5],
        ['Please tell me how many customers did bought with plan "free"', 2],
      ] as const)('%s', async (question, expected) => {
        const { rows, sql } = await ask(question)
        expect(rows, sql).toHaveLength(1)
        expect(Number(rows[0]![0]), sql).toBeCloseTo(expected, 6)
      })
    })

    describe('a number for each value', () => {
      it.each([
        [
          'How many persons did "bought" by plan?',
          [
            ['free', 2],
            ['pro', 1],
            [null, 1],
          ],
        ],
        [
          'bought by browser',
          [
            ['Chrome', 2],
            ['Firefox', 2],
            ['Safari', 1],
          ],
        ],
        ['bought per browser, top 1', [['Chrome', 2]]],
        [
          'Top 2 page views by url',
          [
            ['https://shop.example/pricing', 2],
            ['https://blog.example/', 1],
          ],
        ],
        [
          'total amount of bought broken down by person property plan',
          [
            ['free', 105],
            ['pro', 40.5],
            [null, null],
          ],
        ],
        [
          'How many events by event?',
          [
            ['bought', 5],
            ['$pageview', 4],
            ['signed up', 3],
          ],
        ],
        [
          'signed up per month',
          [
            ['2025-01-01', 2],
            ['2025-02-01', 1],
          ],
        ],
        [
          'How many people signed up monthly by method',
          [
            ['2025-01-01', 'email', 1],
            ['2025-01-01', 'google', 1],
            ['2025-02-01', 'email', 1],
          ],
        ],
        [
          'page views by country in the last 20 days',
          [
            [null, 3],
            ['Germany', 1],
          ],
        ],
        ['sign ups by quarter', [['2025-01-01', 3]]],
        [
          'sign ups per day where method is email',
          [
            ['2025-01-10', 1],
            ['2025-02-01', 1],
          ],
        ],
        [
          'average amount of bought for each plan in the last 30 days',
          [
            ['pro', 20.25],
            ['free', 5],
          ],
        ],
      ] as const)('%s', async (question, expected) => {
        const { rows, sql } = await ask(question)
        const sorted = (list: readonly (readonly unknown[])[]) => list.map((row) => JSON.stringify(row)).sort()
        expect(sorted(rows), sql).toEqual(sorted(expected))
      })

      it('the question of the reference, week by week', async () => {
        const { rows, columns, explanation } = await ask(
          'How many persons did "bought" per week in the last 90 days by plan?',
        )
        expect(columns).toEqual(['week', 'plan', 'persons'])
        const monday = (time: number): string => {
          const day = new Date(time)
          return new Date(time - ((day.getUTCDay() + 6) % 7) * DAY_MS).toISOString().slice(0, 10)
        }
        const expected = new Map<string, Set<string>>()
        for (const [event, id, time] of EVENTS) {
          if (event !== 'bought' || time < NOW - 90 * DAY_MS) continue
          const key = JSON.stringify([monday(time), PLANS[id]])
          expected.set(key, (expected.get(key) ?? new Set()).add(id))
        }
        const found = rows.map(([week, plan, persons]) => [JSON.stringify([week, plan]), persons])
        expect(Object.fromEntries(found)).toEqual(
          Object.fromEntries([...expected].map(([key, ids]) => [key, ids.size])),
        )
        expect(explanation).toBe(
          'The number of different persons with the event "bought" in the last 90 days per week by the person property "plan". Times are in UTC.',
        )
      })

      it.each([
        'bought per day this month',
        'bought daily in the last 2 weeks by $browser',
        'bought per hour today',
        'page views a day last week',
        'Show bought over time for the last quarter',
        'bought by week this year by coupon',
        'How many people had page views each month in the previous year?',
        'average amount by month since 2024',
        'bought per minute in the last hour',
        'total amount of bought weekly in the past six months where plan is one of pro, free or team',
      ])('runs: %s', async (question) => {
        const { rows } = await ask(question)
        expect(Array.isArray(rows)).toBe(true)
      })
    })

    it.each([
      ['how many people boguht', '"boguht" is read as the event "bought".'],
      ['sign ups by metod', '"sign ups" is read as the event "signed up". "metod" is read as the property "method".'],
      ['average amuont of bought', '"amuont" is read as the property "amount".'],
      ['bought by country', '"country" is read as the property "$geoip_country_name".'],
      ['bought where browser is Firefox', '"browser" is read as the property "$browser".'],
    ])('corrects names and says so: %s', async (question, correction) => {
      expect((await ask(question)).explanation).toContain(correction)
    })

    it.each([
      ['How many persons did "teleported"?', '"teleported"'],
      ['what is the meaning of life', 'meaning of life'],
      ['bought by shoe size', 'shoe size'],
      ['average happiness of bought', 'happiness'],
      ['bought where shoe size is 5', 'where shoe size is 5'],
      ['bought where amount is more than many', '"many"'],
      ['bought by plan by browser', '"plan" and "browser"'],
      ['bought by plan and browser', '"plan" and "browser"'],
      ['bought in the last 0 days', '"bought in the last 0 days"'],
      ['"bought" for users from Germany', '"bought for users from Germany"'],
      ['bought today in the last 7 days', '"today" and "in the last 7 days"'],
      ['"bought" and "signed up"', '"bought" "signed up"'],
      ['bought on 2025-02-30', '"2025-02-30"'],
      ['top 5 bought', '"top 5"'],
      ['bought then signed up within 3 days', 'bought then signed up'],
      ['drop table events; --', 'drop table'],
      ['???', '???'],
    ])('says which part it does not understand: %s', (question, part) => {
      const draft = () => draftSelect(question, names, NOW, dialect)
      expect(draft).toThrow(DraftError)
      expect(draft).toThrow(part)
    })

    it('counts each person once for a property of persons alone, and says when it counts events', async () => {
      const alone = await ask('average company size where company size is more than 4')
      expect(alone.sql).toContain('FROM persons')
      expect(alone.explanation).toBe(
        'The average of the person property "company size" in all persons where the person property "company size" is more than "4".',
      )
      const ofEvents = await ask('average company size of bought')
      expect([ofEvents.rows, ofEvents.explanation]).toEqual([
        [[5]],
        'The average of the person property "company size" in the event "bought" of all time. A person counts once for each event.',
      ])
    })

    it('quotes names and values, whatever they are', async () => {
      const odd: ProjectNames = { events: ["it's"], eventProperties: ['a"b', "x'y"], personProperties: [] }
      const { sql } = draftSelect(`count "it's" by "x'y" where "x'y" is "'; SELECT 1 --"`, odd, NOW, dialect)
      const { rows } = await store.query({ sql, timeoutMs: 10_000, maxRows: 10 })
      expect(rows).toEqual([])
    })

    it('drafts nothing from a project without events', () => {
      const none: ProjectNames = { events: [], eventProperties: [], personProperties: [] }
      expect(() => draftSelect('How many persons did "bought"?', none, NOW, dialect)).toThrow('The project has none.')
    })

    it('knows the properties of an event when thousands of another one are newer', async () => {
      const heartbeats = Array.from({ length: 6_000 }, (_, index) =>
        storedEvent(1_000 + index, { event: 'heartbeat', distinctId: 'ada', timestamp: NOW + index, properties: {} }),
      )
      await store.commit(batchOf(heartbeats))
      const { eventProperties } = await readNames()
      expect(eventProperties).toEqual(names.eventProperties)
    })

    it('leaves out names of more than 100 characters, which would take long to compare', async () => {
      const [kept, tooLong] = ['x'.repeat(100), 'x'.repeat(101)] as const
      const properties = { [kept]: 1, [tooLong]: 1 }
      const events = [kept, tooLong].map((event, index) =>
        storedEvent(100 + index, { event, distinctId: 'ada', timestamp: noonOf(0), properties }),
      )
      const person = { id: derivePersonId(1, 'zoe'), properties, createdAt: 0, isIdentified: true }
      await store.commit(batchOf(events, { persons: { persons: [person], distinctIds: new Map(), groups: [] } }))
      const lists = Object.values(await readNames())
      expect(lists.map((list) => list.filter((name: string) => name.startsWith('xxx')))).toEqual([
        [kept],
        [kept],
        [kept],
      ])
    })
  })
}
