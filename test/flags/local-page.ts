import { createLocalFlags } from '../../src/flags/create-local-flags.ts'
import type { LocalFlagsOptions } from '../../src/flags/create-local-flags.ts'
import type { FlagsOptions } from '../../src/flags/flags-options.ts'
import { memoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import type { KeyValue } from '../../src/port/key-value.ts'
import type { FlagDefinition } from '../../src/wire/definition.ts'
import type { Scripted } from '../support/recording-send.ts'
import { fixture } from './flags-fixture.ts'
import type { Fixture } from './flags-fixture.ts'

/** A definition; for everybody unless told otherwise. */
export const flag = (key: string, filters: FlagDefinition['filters'] = { groups: [{}] }): FlagDefinition => ({
  id: 1,
  key,
  active: true,
  filters,
})

/** A definition for those whose property is this text. */
export const byProperty = (key: string, property: string, value: string): FlagDefinition =>
  flag(key, { groups: [{ properties: [{ key: property, value }] }] })

/** A page that evaluates by itself; the site's file is `answers.file`, what the service says `answers.service`. */
export const localPage = (
  given: LocalFlagsOptions,
  answers: { file?: Scripted | Promise<Scripted>; service?: Scripted | Promise<Scripted> } = {},
  options: Partial<FlagsOptions> = {},
  storage: KeyValue = memoryKeyValue(),
): Fixture => {
  const own = fixture(options, { storage, local: createLocalFlags(given) })
  own.answer = (index) => (own.requests[index]!.url === given.definitionsUrl ? answers.file : answers.service) ?? 500
  return own
}

/** The keys that each request to the service was about; undefined: all. */
export const askedFor = ({ requests }: Fixture): unknown[] =>
  requests
    .filter(({ url }) => url.includes('/decide/'))
    .map(({ body }) => (JSON.parse(body as string) as Record<string, unknown>)['flag_keys_to_evaluate'])

/** An answer that comes when the test says so. */
export const later = (): { answer: Promise<Scripted>; give: (answer: Scripted) => void } => {
  let give: (answer: Scripted) => void = () => {}
  const answer = new Promise<Scripted>((resolve) => {
    give = resolve
  })
  return { answer, give }
}
