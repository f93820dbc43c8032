import { createLocalFlags } from '../../src/flags/create-local-flags.ts'
import type { LocalFlagsOptions } from '../../src/flags/create-local-flags.ts'
import type { FlagsOptions } from '../../src/flags/flags-options.ts'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import type { KeyValue } from '../../src/port/key-value.ts'
import type { FlagDefinition } from '../../src/wire/definition.ts'
import type { ScriptedResponse } from '../support/recording-send.ts'
import { createFixture } from './flags-fixture.ts'
import type { FlagsFixture } from './flags-fixture.ts'

/** Creates a definition; without filters its flag is on for all users. */
export const flag = (key: string, filters: FlagDefinition['filters'] = { groups: [{}] }): FlagDefinition => ({
  id: 1,
  key,
  active: true,
  filters,
})

/** Creates the definition of a flag that is on for users whose property equals `value`. */
export const byProperty = (key: string, property: string, value: string): FlagDefinition =>
  flag(key, { groups: [{ properties: [{ key: property, value }] }] })

/** Creates a page with local evaluation. `responses.file` is the response of the definitions file, `responses.service` that of the flag endpoint. */
export const createLocalPage = (
  localOptions: LocalFlagsOptions,
  responses: {
    file?: ScriptedResponse | Promise<ScriptedResponse>
    service?: ScriptedResponse | Promise<ScriptedResponse>
  } = {},
  options: Partial<FlagsOptions> = {},
  storage: KeyValue = createMemoryKeyValue(),
): FlagsFixture => {
  const page = createFixture(options, { storage, local: createLocalFlags(localOptions) })
  page.respond = (index) =>
    (page.requests[index]!.url === localOptions.definitionsUrl ? responses.file : responses.service) ?? 500
  return page
}

/** Returns the flag keys of each request to the service; undefined for a request of all flags. */
export const getRequestedKeys = ({ requests }: FlagsFixture): unknown[] =>
  requests
    .filter(({ url }) => url.includes('/decide/'))
    .map(({ body }) => (JSON.parse(body as string) as Record<string, unknown>)['flag_keys_to_evaluate'])

/** A response that the test resolves. */
export const createDeferredResponse = (): {
  response: Promise<ScriptedResponse>
  resolve: (response: ScriptedResponse) => void
} => {
  let resolveResponse: (response: ScriptedResponse) => void = () => {}
  const response = new Promise<ScriptedResponse>((resolve) => {
    resolveResponse = resolve
  })
  return { response, resolve: resolveResponse }
}
