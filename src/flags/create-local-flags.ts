import { askAbout } from './ask-about.ts'
import type { FlagReply } from './ask-flags.ts'
import { createDefinitions } from './definitions.ts'
import type { DefinitionsOptions } from './definitions.ts'
import type { FlagSnapshot } from './flag-snapshot.ts'
import type { CreateLocalFlags, LocalFlags } from './local-flags.ts'
import { localSet } from './local-set.ts'
import type { LocalSet } from './local-set.ts'

/** Definitions, and how far they go. */
export interface LocalFlagsOptions extends DefinitionsOptions {
  /** True: there are flags that they do not name, and the service is asked for them. */
  readonly partialDefinitions?: boolean | undefined
}

/** What the service has told since flags were last loaded for news. */
interface Told {
  /** What was known then; other flags are another person's. */
  readonly flags: FlagSnapshot['flags']
  /** The request, as text. */
  readonly about: string
  /** The keys it was asked for; undefined: all. */
  readonly keys: ReadonlySet<string> | undefined
  readonly errors: readonly string[]
}

/** How long the first definitions may take, in milliseconds, before the service is asked for all flags instead. */
const FIRST_WAIT_MS = 1_000

/**
 * Flags evaluated on the page from definitions. These are loaded at the first load of flags, and with each later one that is made for
 * news, or when `flagsIntervalMs` have passed since. The service is asked at the same time for what those in use leave open, and again if
 * newer ones leave more open. Where there are none yet, it is asked once they are there, or do not come in time.
 */
export const createLocalFlags =
  ({ partialDefinitions: isPartial, ...where }: LocalFlagsOptions): CreateLocalFlags =>
  (askService, { clock, send, logger }, { requestTimeout, flagsIntervalMs: intervalMs }, onNews) => {
    const definitions = createDefinitions(where, send, requestTimeout, logger.warn)
    const compiled = remembered(localSet)
    const inUse = (): LocalSet | undefined => {
      const current = definitions.current()
      return current && compiled(current)
    }
    /** When flags were loaded last: relative dates count from here, so that values stand still in between. */
    let moment = clock.now()
    let told: Told | undefined
    const isTold = (key: string): boolean => !!told && (told.keys?.has(key) ?? true)

    let isDue = true
    let isLoading = false
    let triedAt = 0
    let arriving: Promise<boolean> = Promise.resolve(false)
    let loaded: Promise<void> | undefined
    const load = async (): Promise<void> => {
      isDue = false
      isLoading = true
      triedAt = clock.now()
      const hadFailed = definitions.hasFailed()
      arriving = definitions.load()
      const isOther = await arriving
      isLoading = false
      if (isOther || hadFailed || definitions.hasFailed()) await onNews(isOther)
    }

    /** Resolves when the first definitions are there or not to be had; at the latest when they have had their time since they were asked for. */
    const first = (): Promise<void> =>
      new Promise((resolve) => {
        const leftMs = triedAt + FIRST_WAIT_MS - clock.now()
        const giveUp = clock.after(Math.min(Math.max(leftMs, 0), FIRST_WAIT_MS), resolve)
        void arriving.then(() => {
          giveUp()
          resolve()
        })
      })

    const shown = remembered(
      (
        { evaluate }: LocalSet,
        at: number,
        given: FlagSnapshot['flags'],
        who: Parameters<LocalFlags['over']>[1],
        person: FlagSnapshot['person'],
        group: FlagSnapshot['group'],
      ): ReturnType<LocalFlags['over']> => {
        const { flags } = evaluate({ ...who, person_properties: { ...person }, group_properties: { ...group } }, at)
        return given || Object.keys(flags).length ? { ...given, ...flags } : undefined
      },
    )

    return {
      over({ flags, person, group }, who) {
        const set = inUse()
        return set ? shown(set, moment, flags, who, person, group) : flags
      },
      async ask(known, subject, isWanted) {
        const at = clock.now()
        const about = JSON.stringify(subject)
        if (isDue || about !== told?.about || known.flags !== told.flags) told = undefined
        if (!isLoading && (isDue || (intervalMs && Math.abs(at - triedAt) >= intervalMs))) loaded = load()
        if (isLoading && !inUse() && !isPartial) await first()
        const set = inUse()
        const open = set && !isPartial ? set.evaluate(subject, at).unresolved : undefined
        const keys = open?.filter((key) => !isTold(key))
        let reply: FlagReply = { known, errors: told?.errors ?? [], isFailed: false }
        // Where other definitions are the only news, nothing is asked twice.
        if (keys ? keys.length : !told || told.keys)
          reply = await (keys
            ? askAbout(keys, askService, known, subject, isWanted)
            : askService(known, subject, isWanted))
        if (isWanted()) {
          moment = at
          if (!reply.isFailed && reply.known.flags)
            told = {
              flags: reply.known.flags,
              about,
              keys: keys && (told && !told.keys ? undefined : new Set([...(told?.keys ?? []), ...keys])),
              errors: reply.errors,
            }
        }
        return definitions.hasFailed()
          ? { ...reply, errors: [...reply.errors, 'definitions_not_loaded'], isUnfinished: true }
          : reply
      },
      isTold({ flags }, key) {
        const set = inUse()
        if (set?.names(key)) return told?.flags === flags && isTold(key)
        return (set && !isPartial && definitions.isLoaded()) || undefined
      },
      renew() {
        isDue = true
      },
      loaded: () => loaded,
    }
  }

/** Answers the last result again as long as the arguments are the same. */
const remembered = <Given extends readonly unknown[], Result>(
  compute: (...given: Given) => Result,
): ((...given: Given) => Result) => {
  let last: { readonly given: Given; readonly result: Result } | undefined
  return (...given) => {
    if (!last?.given.every((one, at) => one === given[at])) last = { given, result: compute(...given) }
    return last.result
  }
}
