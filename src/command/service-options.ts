import { resolveOptions } from '../management/client-options.ts'
import type { ResolvedOptions } from '../management/client-options.ts'
import { UsageError } from './usage-error.ts'

/** The options of every command that calls the management API. */
export const SERVICE_OPTIONS = {
  host: { type: 'string' },
  'personal-key': { type: 'string' },
  project: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

interface ServiceValues {
  readonly host?: string | undefined
  readonly 'personal-key'?: string | undefined
  readonly project?: string | undefined
}

/** Reads the options of the client from the command line, and those that are missing there from the environment. */
export const readServiceOptions = (
  values: ServiceValues,
  environment: Readonly<Record<string, string | undefined>>,
): ResolvedOptions => {
  // An empty variable counts as missing.
  const host = values.host ?? (environment['WAYMARK_URL'] || undefined)
  const personalApiKey = values['personal-key'] ?? (environment['WAYMARK_PERSONAL_API_KEY'] || undefined)
  const projectId = values.project ?? (environment['WAYMARK_PROJECT'] || undefined)
  if (host === undefined) throw new UsageError('The URL of the service is missing. Set WAYMARK_URL, or use --host.')
  if (personalApiKey === undefined)
    throw new UsageError('The personal API key is missing. Set WAYMARK_PERSONAL_API_KEY, or use --personal-key.')
  try {
    return resolveOptions({ host, personalApiKey, projectId })
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message)
    throw error
  }
}
