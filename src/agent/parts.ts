import type { Pipeline } from '../capture/pipeline.ts'
import { createFlags } from '../flags/flags.ts'
import type { Flags } from '../flags/flags.ts'
import type { FlagVerbs } from '../flags/flag-verbs.ts'
import type { FlagsOptions } from '../flags/flags-options.ts'
import type { FlagsPorts } from '../flags/flags-ports.ts'
import { createSurveyVerbs } from '../surveys/survey-verbs.ts'
import type { SurveyVerbs } from '../surveys/survey-verbs.ts'
import { FLAG_VERBS, SURVEY_VERBS } from './verb-table.ts'
import type { VerbTable } from './verb-table.ts'
import type { CaptureWaymark } from './waymark.ts'

declare const PART: unique symbol

/** Feature flags: the part of an agent that loads and reads them. What it contains is not public. */
export interface FlagsPart {
  readonly [PART]: 'flags'
}

/** Survey events: the part of an agent that captures them. What it contains is not public. */
export interface SurveysPart {
  readonly [PART]: 'surveys'
}

/** What an entry adds to an agent. Code of a part that no entry names is not in its bundle. */
export interface Parts {
  readonly flags?: FlagsPart
  readonly surveys?: SurveysPart
}

/** The verbs of an agent with these parts. */
export type VerbsOf<P extends Parts> = CaptureWaymark &
  (P extends { readonly flags: FlagsPart } ? FlagVerbs : unknown) &
  (P extends { readonly surveys: SurveysPart } ? SurveyVerbs : unknown)

/** What the parts contain. */
export interface PartContents {
  readonly flags?: {
    readonly table: VerbTable<FlagVerbs>
    /** @param pipeline Knows the user, and captures the reads. */
    readonly create: (
      options: FlagsOptions,
      ports: Omit<FlagsPorts, 'identity' | 'capture'>,
      pipeline: Pick<Pipeline, 'state' | 'capture'>,
    ) => Flags
  }
  readonly surveys?: {
    readonly table: VerbTable<SurveyVerbs>
    readonly create: typeof createSurveyVerbs
  }
}

const FLAGS: PartContents['flags'] = {
  table: FLAG_VERBS,
  create: (options, ports, { state, capture }) =>
    createFlags(options, {
      ...ports,
      identity() {
        const { distinctId, anonymousId, isIdentified, deviceId, groups } = state.current()
        return {
          distinct_id: distinctId,
          $anon_distinct_id: isIdentified ? anonymousId : undefined,
          $device_id: deviceId,
          groups,
        }
      },
      capture: (event, properties, allowedNames) => capture(event, properties, {}, allowedNames),
    }),
}

const SURVEYS: PartContents['surveys'] = { table: SURVEY_VERBS, create: createSurveyVerbs }

/** Pass it to `init` of `waymark/capture` for the verbs of feature flags. */
export const flags = FLAGS as unknown as FlagsPart

/** Pass it to `init` of `waymark/capture` for the verbs of survey events. */
export const surveys = SURVEYS as unknown as SurveysPart

/** What these parts contain. Only this file makes parts. */
export const openParts = (parts: Parts): PartContents => parts as PartContents
