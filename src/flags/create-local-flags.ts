import type { DecideRequest, FlagSubject } from '../wire/decide.ts'
import { createDefinitions, type DefinitionsOptions } from './definitions.ts'
import { type EvaluateLocally, evaluateLocally } from './evaluate-locally.ts'
import type { FlagSnapshot } from './flag-snapshot.ts'
import type { CreateLocalFlags, LocalFlags } from './local-flags.ts'

/**
 * Flags evaluated on the page from definitions. These are loaded at start, and with each later load of flags that is made for news, not
 * because the user or a property is another one.
 */
export const createLocalFlags =
  (options: DefinitionsOptions): CreateLocalFlags =>
  (askService, { clock, send, logger }, { requestTimeout }, onNews) => {
    const definitions = createDefinitions(options, send, requestTimeout, logger.warn)
    const evaluatorOf = remembered(evaluateLocally)
    const evaluator = (): EvaluateLocally | undefined => {
      const current = definitions.current()
      return current && evaluatorOf(current)
    }
    /** About whom the last load was. */
    let asked: string | undefined

    const shown = remembered(
      (
        evaluate: EvaluateLocally,
        told: FlagSnapshot['flags'],
        who: FlagSubject,
        person: FlagSnapshot['person'],
        group: FlagSnapshot['group'],
      ): ReturnType<LocalFlags['over']> => {
        const { flags } = evaluate(
          { ...who, person_properties: { ...person }, group_properties: { ...group } },
          clock.now(),
        )
        return told || Object.keys(flags).length ? { ...told, ...flags } : undefined
      },
    )

    return {
      over({ flags, person, group }, who) {
        const evaluate = evaluator()
        return evaluate ? shown(evaluate, flags, who, person, group) : flags
      },
      async ask(known, subject, isWanted) {
        const about = JSON.stringify(subject)
        const isForNews = about === asked
        asked = about
        if ((isForNews || !definitions.isLoaded()) && (await definitions.load()) && isWanted()) onNews()
        const evaluate = evaluator()
        if (!evaluate) return askService(known, subject, isWanted)
        const { unresolved } = evaluate(subject, clock.now())
        if (unresolved.length) return askService(known, asking(subject, unresolved), isWanted)
        const isMinimal = definitions.current()!.minimal_flag_called_events === true
        return { known: { ...known, flags: {}, requestId: undefined, isMinimal }, errors: [], isFailed: false }
      },
    }
  }

const asking = (subject: DecideRequest, keys: readonly string[]): DecideRequest => ({
  ...subject,
  flag_keys_to_evaluate: keys,
})

/** Answers the last result again as long as the arguments are the same objects. */
const remembered = <Given extends readonly unknown[], Result>(
  compute: (...given: Given) => Result,
): ((...given: Given) => Result) => {
  let last: { readonly given: Given; readonly result: Result } | undefined
  return (...given) => {
    if (!last?.given.every((one, at) => one === given[at])) last = { given, result: compute(...given) }
    return last.result
  }
}
