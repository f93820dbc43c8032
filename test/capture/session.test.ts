import { describe, expect, it } from 'vitest'
import { continueSession, SESSION_IDLE_MS, SESSION_LENGTH_MS } from '../../src/capture/session.ts'

const START = Date.UTC(2026, 0, 1)
const newId = (now: number): string => `new at ${now - START}`
const session = { id: 'old', startedAt: START, activeAt: START }

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
