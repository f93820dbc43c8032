import type { DebugEntry } from '../../port/debug-entry.ts'
import { Path } from '../../wire/path.ts'
import { EXTRA_OPTION_NAMES } from '../extras/extra-option-names.ts'
import { describeChanges, describeNames } from './describe-changes.ts'
import { describeMistake } from './describe-mistake.ts'
import { describeEvents, describeRequest } from './describe-request.ts'
import { EVALUATE_OPTION_NAMES, OPTION_NAMES } from '../option-names.ts'

type Details<Topic> =
  Extract<DebugEntry, { readonly 0: Topic }> extends readonly [topic: unknown, ...details: infer Rest] ? Rest : never

/** A function per topic; undefined when the entry says nothing new. */
type Describers = { readonly [Topic in DebugEntry[0]]: (...details: Details<Topic>) => readonly unknown[] | undefined }

const STOP_REASONS: Readonly<Record<string, string>> = {
  disabled: 'the option disabled is true',
  do_not_track: 'the browser asks not to track, and respectDnt is true',
  bot: 'this is a bot or an automated browser. Set captureBots: true, or opt_out_useragent_filter: true in waymark/compat.',
  no_page: 'there is no page. Use waymark/node on servers.',
}

/** The time of day in UTC, with milliseconds. */
const formatTime = (timeMs: number): string => new Date(timeMs).toISOString().slice(11, 23)

/** What a line says about the user, from the agent's state. */
const toIdentity = (json: string): Record<string, unknown> => {
  const { distinctId, deviceId, isIdentified, isOptedOut, groups, session } = JSON.parse(json) as Record<
    string,
    unknown
  >
  const { id: sessionId } = Object(session) as { readonly id?: string }
  return { distinctId, deviceId, isIdentified, isOptedOut: !!isOptedOut, groups, sessionId }
}

/**
 * Creates the describer of one agent. It remembers flags, identity and who delivers, to tell only what has changed.
 *
 * @returns Puts an entry into words for the console. Undefined: nothing new. Never throws.
 */
export const createDescriber = (): ((
  timeMs: number,
  topic: string,
  ...details: readonly unknown[]
) => readonly unknown[] | undefined) => {
  let flags: Readonly<Record<string, unknown>> = {}
  /** JSON by the key of the flag. */
  let definitions: Readonly<Record<string, string>> = {}
  let identity: Readonly<Record<string, unknown>> = {}
  let isThisTab: boolean | undefined
  /** Duration of the last request. */
  let durationMs = 0
  /** Time of the entry that is described. */
  let nowMs = 0

  const describers: Describers = {
    option(name) {
      const names = [...OPTION_NAMES, ...EVALUATE_OPTION_NAMES]
      if (names.includes(name)) return undefined
      return [
        EXTRA_OPTION_NAMES.includes(name)
          ? describeMistake('extra_option', name)
          : describeMistake('unknown_option', name, names),
      ]
    },
    captured(json) {
      const event = JSON.parse(json) as { readonly event: string; readonly uuid: string }
      return [`captured "${event.event}" ${event.uuid}`, event]
    },
    dropped: (event, uuid, reason) => [`dropped "${event}" ${uuid}: ${reason}`],
    repeated: (message, subject) => [message, subject],
    request(url, status, startMs) {
      durationMs = nowMs - startMs
      return url.endsWith(Path.batch) ? undefined : [describeRequest(url, status, durationMs)]
    },
    sent(report) {
      const prefix = isThisTab === false ? 'this tab delivers: ' : ''
      isThisTab = true
      return [prefix + describeEvents(report, durationMs)]
    },
    retry: (error, nextAttemptMs) => [`attempt failed: ${error}; next attempt at ${formatTime(nextAttemptMs)}`],
    part_failed: (part, error) => [`${part} not loaded, tried again later: ${String(error)}`],
    flags(values, { errorsLoading }) {
      const changes = describeChanges(flags, values)
      flags = values
      const count = Object.keys(values).length
      return [
        `flags loaded${errorsLoading ? ' with errors' : ''}: ${count}; ${changes.join(', ') || 'nothing changed'}`,
      ]
    },
    state(json) {
      const newIdentity = toIdentity(json)
      const changes = describeChanges(identity, newIdentity)
      identity = newIdentity
      return changes.length > 0 ? [`identity: ${changes.join(', ')}`] : undefined
    },
    definitions_in_use(loaded) {
      const newDefinitions = Object.fromEntries(loaded.map((flag) => [flag.key, JSON.stringify(flag)]))
      const changes = describeNames(definitions, newDefinitions)
      definitions = newDefinitions
      return [`flag definitions in use: ${loaded.length}; ${changes.join(', ') || 'nothing changed'}`]
    },
    definitions: (message) => [message],
    stopped: (reason) => [`nothing is captured: ${STOP_REASONS[reason] ?? reason}`],
    busy() {
      if (isThisTab === false) return undefined
      isThisTab = false
      return ['another tab delivers']
    },
  }

  const describe = (topic: string, details: readonly unknown[]): readonly unknown[] | undefined => {
    const describeTopic = (
      describers as Record<string, ((...details: readonly unknown[]) => readonly unknown[]) | undefined>
    )[topic]
    if (describeTopic) return describeTopic(...details)
    const sentence = describeMistake(topic, ...details)
    return sentence === undefined ? [topic, ...details] : [sentence]
  }

  return (timeMs, topic, ...details) => {
    nowMs = timeMs
    try {
      const message = describe(topic, details)
      return message && [formatTime(timeMs), ...message]
    } catch {
      // A debugging aid must not disturb the page.
      return [timeMs, topic, ...details]
    }
  }
}
