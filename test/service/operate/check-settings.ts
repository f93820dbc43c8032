import { expect } from 'vitest'
import type { Config } from '../../../src/service/config.ts'
import { CONFIG_KEYS, readConfig } from '../../../src/service/read-config.ts'

const VARIABLES = new Set(CONFIG_KEYS.map(({ variable }) => variable))

/** Reads settings as the service does. Fails if one has a name that the service does not know, or an invalid value. */
export const checkSettings = (environment: Readonly<Record<string, string>>): Config => {
  for (const name of Object.keys(environment)) expect(VARIABLES, name).toContain(name)
  return readConfig(environment, {})
}

/** The files that settings name, beside the data folder. */
export const namedFiles = ({
  metadata,
  metadataPasswordFile,
  events,
  eventsPasswordFile,
}: Config): readonly string[] => {
  const authorities = [new URL(metadata!).searchParams.get('sslrootcert'), new URL(events!).searchParams.get('ca_cert')]
  const files = [metadataPasswordFile, eventsPasswordFile, ...authorities]
  expect(files).not.toContain(null)
  return files as readonly string[]
}
