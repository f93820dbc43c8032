import { describe, expect, it } from 'vitest'
import {
  continueSession as continueWithIdle,
  entryProperties,
  initialProperties,
  sessionFromId,
  MAX_SESSION_MS,
} from '../../src/capture/session.ts'
import type { Session } from '../../src/capture/session.ts'

const SESSION_IDLE_MS = 1_800_000

const START = Date.UTC(2026, 0, 1)
const newId = (now: number): string => `new at ${now - START}`
const session = { id: 'old', startedAt: START, activeAt: START }

const continueSession = (session: Session | undefined, now: number, createId: (now: number) => string): Session =>
  continueWithIdle(session, now, SESSION_IDLE_MS, (startMs) => ({ id: createId(startMs) }))

describe('a session', () => {
  it('begins with the first event', () => {
    expect(continueSession(undefined, START, newId)).toEqual({ ...session, id: 'new at 0' })
  })

  it('continues within the idle limit and records the activity', () => {
    const now = START + SESSION_IDLE_MS - 1
    expect(continueSession(session, now, newId)).toEqual({ ...session, activeAt: now })
  })

  it('ends after the idle limit', () => {
    expect(continueSession(session, START + SESSION_IDLE_MS, newId).id).toBe(`new at ${SESSION_IDLE_MS}`)
  })

  it('ends after its maximum length even with constant activity', () => {
    const activeSession = { ...session, activeAt: START + MAX_SESSION_MS - 1 }
    expect(continueSession(activeSession, START + MAX_SESSION_MS - 1, newId).id).toBe('old')
    expect(continueSession(activeSession, START + MAX_SESSION_MS, newId).id).not.toBe('old')
  })

  it('continues when the clock was set back an hour, and keeps the later activity', () => {
    expect(continueSession(session, START - 3_600_000, newId)).toEqual(session)
  })

  it('ends when its start is more than the maximum length in the future', () => {
    expect(continueSession(session, START - MAX_SESSION_MS, newId).id).not.toBe('old')
  })
})

describe('sessionFromId', () => {
  // Contains 2026-01-01T00:00:00Z.
  const id = '019b76da-a800-7000-8000-000000000000'

  it('reads the start from the id', () => {
    expect(sessionFromId(id, START + 5)).toEqual({ id, startedAt: START, activeAt: START + 5 })
  })

  it.each([
    ['begins in the future', id, START - 1],
    ['is not version 7', '019b76da-a800-4000-8000-000000000000', START],
    ['is not a uuid', 'session', START],
    ['is not a string', 7 as never, START],
  ])('is undefined when the id %s', (_reason, invalid, now) => {
    expect(sessionFromId(invalid, now)).toBeUndefined()
  })
})

describe('the entry of a session', () => {
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

  it("has URL, referrer and campaign under the protocol's names", () => {
    expect(entryProperties(automatic)).toEqual({
      $session_entry_url: 'https://shop.test/?utm_source=ad',
      $session_entry_pathname: '/',
      $session_entry_host: 'shop.test',
      $session_entry_referrer: '$direct',
      $session_entry_referring_domain: '$direct',
      $session_entry_utm_source: 'ad',
    })
    expect(initialProperties(entryProperties(automatic)!)).toEqual({
      $initial_current_url: 'https://shop.test/?utm_source=ad',
      $initial_pathname: '/',
      $initial_host: 'shop.test',
      $initial_referrer: '$direct',
      $initial_referring_domain: '$direct',
      $initial_utm_source: 'ad',
    })
  })

  it('is undefined in an app, which has no URL', () => {
    expect(entryProperties({ $lib: 'waymark-react-native', $app_version: '1.0' })).toBeUndefined()
  })
})
