import { describe, expect, it } from 'vitest'
import {
  continueSession as continueFor,
  entryOf,
  initialOf,
  sessionOf,
  SESSION_LENGTH_MS,
} from '../../src/capture/session.ts'
import type { Session } from '../../src/capture/session.ts'

const SESSION_IDLE_MS = 1_800_000

const START = Date.UTC(2026, 0, 1)
const newId = (now: number): string => `new at ${now - START}`
const session = { id: 'old', startedAt: START, activeAt: START }

const continueSession = (known: Session | undefined, now: number, makeId: (now: number) => string): Session =>
  continueFor(known, now, SESSION_IDLE_MS, (at) => ({ id: makeId(at) }))

describe('a session', () => {
  it('begins with the first event', () => {
    expect(continueSession(undefined, START, newId)).toEqual({ ...session, id: 'new at 0' })
  })

  it('goes on within the idle limit and remembers the activity', () => {
    const now = START + SESSION_IDLE_MS - 1
    expect(continueSession(session, now, newId)).toEqual({ ...session, activeAt: now })
  })

  it('ends after the idle limit', () => {
    expect(continueSession(session, START + SESSION_IDLE_MS, newId).id).toBe(`new at ${SESSION_IDLE_MS}`)
  })

  it('ends after its longest length even with constant activity', () => {
    const active = { ...session, activeAt: START + SESSION_LENGTH_MS - 1 }
    expect(continueSession(active, START + SESSION_LENGTH_MS - 1, newId).id).toBe('old')
    expect(continueSession(active, START + SESSION_LENGTH_MS, newId).id).not.toBe('old')
  })

  it('goes on when the clock was set back an hour, and keeps the later activity', () => {
    expect(continueSession(session, START - 3_600_000, newId)).toEqual(session)
  })

  it('ends when it began further in the future than a session lasts: the clock was wrong', () => {
    expect(continueSession(session, START - SESSION_LENGTH_MS, newId).id).not.toBe('old')
  })
})

describe('a session that began elsewhere', () => {
  // 2026-01-01T00:00:00Z inside.
  const id = '019b76da-a800-7000-8000-000000000000'

  it('goes on with the start that its id tells', () => {
    expect(sessionOf(id, START + 5)).toEqual({ id, startedAt: START, activeAt: START + 5 })
  })

  it.each([
    ['begins in the future', id, START - 1],
    ['is no version 7', '019b76da-a800-4000-8000-000000000000', START],
    ['is no uuid', 'session', START],
    ['is no text', 7 as never, START],
  ])('is none when its id %s', (_why, given, now) => {
    expect(sessionOf(given, now)).toBeUndefined()
  })
})

describe('where it began', () => {
  const automatic = {
    $lib: 'waymark',
    $current_url: 'https://shop.test/?utm_source=ad',
    $pathname: '/',
    $host: 'shop.test',
    $referrer: '$direct',
    $referring_domain: '$direct',
    $screen_width: 1,
    utm_source: 'ad',
  }

  it("is told by the address, the referrer and the campaign, under the protocol's names", () => {
    expect(entryOf(automatic)).toEqual({
      $session_entry_url: 'https://shop.test/?utm_source=ad',
      $session_entry_pathname: '/',
      $session_entry_host: 'shop.test',
      $session_entry_referrer: '$direct',
      $session_entry_referring_domain: '$direct',
      $session_entry_utm_source: 'ad',
    })
    expect(initialOf(entryOf(automatic))).toEqual({
      $initial_current_url: 'https://shop.test/?utm_source=ad',
      $initial_pathname: '/',
      $initial_host: 'shop.test',
      $initial_referrer: '$direct',
      $initial_referring_domain: '$direct',
      $initial_utm_source: 'ad',
    })
  })
})
