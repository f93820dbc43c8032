import type { OutgoingEvent } from '../../capture/before-send.ts'
import type { FlagValues } from '../../wire/typed-flags.ts'

/** A call of a verb: its name and its arguments. */
export type RecordedCall = readonly [verb: string, ...args: unknown[]]

/** What a test agent has beside the verbs. */
export interface Recording {
  /** All calls of verbs, the oldest first. */
  readonly calls: readonly RecordedCall[]
  /** All events that a real agent would send, after `before_send`, the oldest first. */
  readonly events: readonly OutgoingEvent[]
  /**
   * Replaces all flags, and all payloads. Listeners of `onFeatureFlags` are told. Reads of these flags are not reported.
   *
   * @param flags Default: none.
   * @param payloads Payloads of these flags, as the agent returns them. Default: none.
   */
  setFlags(flags?: Readonly<FlagValues>, payloads?: Readonly<Record<string, unknown>>): void
  /** Forgets the calls and events. */
  clear(): void
}

/** The flags that a test agent has from its start. */
export interface TestFlags {
  /** Values by key; every user has them. A flag that is not here is unknown. Default: none. */
  readonly flags?: Readonly<FlagValues>
  /** Payloads of these flags, as the agent returns them. Default: none. */
  readonly payloads?: Readonly<Record<string, unknown>>
}

/**
 * Adds a recording to an agent. Returns a new object: calls of the agent's own parts do not count.
 *
 * @param events Receives the events.
 */
export const recordCalls = <Verbs extends object>(
  verbs: Verbs,
  events: OutgoingEvent[],
  setFlags: Recording['setFlags'],
): Verbs & Recording => {
  const calls: RecordedCall[] = []
  const recorded = Object.entries(verbs).map(([name, verb]: [string, (...args: unknown[]) => unknown]) => [
    name,
    (...args: unknown[]) => {
      calls.push([name, ...args])
      return verb(...args)
    },
  ])
  return {
    ...(Object.fromEntries(recorded) as Verbs),
    calls,
    events,
    setFlags,
    clear() {
      calls.length = 0
      events.length = 0
    },
  }
}
